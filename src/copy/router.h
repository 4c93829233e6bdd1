/*
 * router.h: rows of a partitioned table on their way to its partitions.
 *
 * Rows come parsed and converted; finding the partition and storing the row
 * goes row by row through core's calls, with batches per partition that are flushed
 * where CopyFrom() flushes them.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "access/heapam.h"
#include "commands/copyfrom_internal.h"
#include "executor/execPartition.h"
#include "nodes/execnodes.h"
}

namespace mr {

struct Router {
  CopyFromState cstate;
  EState* estate;
  ModifyTableState* mtstate;
  ResultRelInfo* root;
  PartitionTupleRouting* routing;
  CommandId cid;
  int options;
  BulkInsertState bistate; /* for rows stored one by one */
  MemoryContext context;

  List* batches; /* LeafBatch */
  int waiting;   /* rows in all of them */
  int64 waiting_bytes;
  uint64 refused; /* rows sent to foreign servers that they did not store */

  /* The partition of the row before, and what was found out about it. */
  ResultRelInfo* leaf;
  bool leaf_takes_batches;
  bool leaf_before_trigger;
};

/* Lives in CurrentMemoryContext. mtstate->rootResultRelInfo is the partitioned table. */
Router* router_create(CopyFromState cstate, ModifyTableState* mtstate, CommandId cid, int options);

/*
 * Stores the row in `slot` (of the root's type), or lets it wait for the flush. Returns false if a
 * trigger or a foreign table took it out. cstate->cur_lineno and line_buf must be right for
 * errors about rows stored at once; lineno and line_bytes are the row's.
 */
bool router_insert(Router* router, TupleTableSlot* slot, uint64 lineno, uint32 line_bytes);

/* Is it time to flush, as CopyMultiInsertInfoIsFull() sees it? */
bool router_is_full(const Router* router);

/* Stores every waiting row; cstate->cur_lineno is the line read last. */
void router_flush(Router* router);

/* Lets go of buffers and partitions. Everything must be flushed. Run after AFTER triggers. */
void router_finish(Router* router);

}  // namespace mr
