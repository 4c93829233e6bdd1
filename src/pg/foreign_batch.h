/*
 * foreign_batch.h: rows of foreign partitions, which COPY sends in batches since 16.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "commands/copyfrom_internal.h"
#include "commands/trigger.h"
#include "foreign/fdwapi.h"
#include "nodes/execnodes.h"
#include "utils/rel.h"
}

/* Do rows of this partition wait for a flush? */
static inline bool mr_takes_batches(const ResultRelInfo* rri) {
#if PG_VERSION_NUM < 160000
  return rri->ri_FdwRoutine == nullptr;
#else
  return rri->ri_FdwRoutine == nullptr || rri->ri_BatchSize > 1;
#endif
}

/* Sends rows to the foreign server; returns how many it took. Mirrors that half of CopyMultiInsertBufferFlush(). */
static inline int mr_flush_foreign(CopyFromState cstate, EState* estate, ResultRelInfo* rri, TupleTableSlot** slots,
                                   int rows) {
#if PG_VERSION_NUM < 160000
  elog(ERROR, "foreign partitions have no batches here");
  return rows;
#else
  int taken = 0;
  cstate->relname_only = true; /* errors name no line */
  for (int sent = 0; sent < rows;) {
    int size = Min(rri->ri_BatchSize, rows - sent), inserted = size;
    TupleTableSlot** stored = rri->ri_FdwRoutine->ExecForeignBatchInsert(estate, rri, &slots[sent], nullptr, &inserted);
    sent += size;
    if (inserted <= 0) continue;
    taken += inserted;
    if (rri->ri_TrigDesc == nullptr || !rri->ri_TrigDesc->trig_insert_after_row) continue;
    for (int i = 0; i < inserted; i++) {
      stored[i]->tts_tableOid = RelationGetRelid(rri->ri_RelationDesc);
      ExecARInsertTriggers(estate, rri, stored[i], NIL, cstate->transition_capture);
    }
  }
  for (int i = 0; i < rows; i++) ExecClearTuple(slots[i]);
  cstate->relname_only = false;
  return taken;
#endif
}
