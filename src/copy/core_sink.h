/*
 * core_sink.h: rows that go in through core's own calls.
 *
 * table_multi_insert(), index entries and AFTER ROW triggers, in flushes of the
 * same size and at the same points as core's CopyFrom(). Small loads and tables
 * with indexes or row triggers end here.
 */
#pragma once
#include "copy/batch.h"
#include "copy/tuples.h"

extern "C" {
#include "access/heapam.h"
#include "commands/copyfrom_internal.h"
#include "nodes/execnodes.h"
}

namespace mr {

struct CoreSink {
  CopyFromState cstate;
  EState* estate;
  ResultRelInfo* rri;
  CommandId cid;
  int options;
  BulkInsertState bistate;
  bool want_linenos; /* indexes or triggers may raise errors about single rows */

  MemoryContext arena; /* tuples waiting for the flush */
  int pending;
  int slots_made;
  int capacity; /* entries of the arrays; at most kFlushRows */
  TupleDesc slot_desc; /* of our own: slots need not count references to it one by one */
  TupleTableSlot** slots;
  HeapTupleData* tuples;
  uint64* linenos;

  BlockNumber last_block; /* where the last flush ended */
};

CoreSink* core_sink_create(CopyFromState cstate, EState* estate, ResultRelInfo* rri, CommandId cid, int options);

/*
 * Adds the stored rows of [from, to) to the flush. lineno gives each row's line
 * number (one entry a row of the batch).
 */
void core_sink_add(CoreSink* sink, const Batch* batch, TupleFormer* former, uint32 from, uint32 to,
                   const uint64* lineno);

/* Adds one formed tuple, which is copied. */
void core_sink_add_tuple(CoreSink* sink, HeapTuple tuple, uint64 lineno);

/* Stores what waits, as CopyMultiInsertBufferFlush() does; cstate->cur_lineno is the line read last. */
void core_sink_flush(CoreSink* sink);

/*
 * How many more bytes and tuples the page of the last flush takes, as
 * heap_multi_insert() counts; -1 if that page is not the table's last one (the
 * free space map gave it).
 */
int core_sink_room(CoreSink* sink, int* tuples);

/* Drops slots and pins. Everything must be flushed. */
void core_sink_finish(CoreSink* sink);

}  // namespace mr
