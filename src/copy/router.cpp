#include "copy/router.h"

extern "C" {
#include "access/heapam.h"
#include "access/tableam.h"
#include "access/tupconvert.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "foreign/fdwapi.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

#include "copy/batch.h"
#include "copy/row_effects.h"
#include "pg/compat.h"
#include "pg/foreign_batch.h"

namespace mr {

/* MAX_PARTITION_BUFFERS of core's copyfrom.c. */
constexpr int kMostBatches = 32;

/* Rows of one partition that wait for the flush; core's CopyMultiInsertBuffer. */
struct LeafBatch {
  ResultRelInfo* leaf;
  BulkInsertState bistate;
  int rows;
  int slots_made;
  TupleTableSlot* slots[kFlushRows];
  uint64 linenos[kFlushRows];
};

/* Core keeps its own buffer type behind this pointer, and looks at it only in copyfrom.c. */
static LeafBatch* batch_of(const ResultRelInfo* leaf) {
  return reinterpret_cast<LeafBatch*>(leaf->ri_CopyMultiInsertBuffer);
}

static void set_batch(ResultRelInfo* leaf, LeafBatch* batch) {
  leaf->ri_CopyMultiInsertBuffer = reinterpret_cast<CopyMultiInsertBuffer*>(batch);
}

Router* router_create(CopyFromState cstate, ModifyTableState* mtstate, CommandId cid, int options) {
  Router* router = static_cast<Router*>(palloc0(sizeof(Router)));
  router->cstate = cstate;
  router->mtstate = mtstate;
  router->estate = mtstate->ps.state;
  router->root = mtstate->rootResultRelInfo;
  router->cid = cid;
  router->options = options;
  router->context = CurrentMemoryContext;
  router->routing = ExecSetupPartitionTupleRouting(router->estate, cstate->rel);
  router->bistate = GetBulkInsertState();
  return router;
}

static void open_batch(Router* router, ResultRelInfo* leaf) {
  MemoryContext old = MemoryContextSwitchTo(router->context);
  LeafBatch* batch = static_cast<LeafBatch*>(palloc(sizeof(LeafBatch)));
  batch->leaf = leaf;
  batch->bistate = leaf->ri_FdwRoutine == nullptr ? GetBulkInsertState() : nullptr;
  batch->rows = batch->slots_made = 0;
  router->batches = lappend(router->batches, batch);
  set_batch(leaf, batch);
  MemoryContextSwitchTo(old);
}

static void close_batch(Router* router, LeafBatch* batch) {
  set_batch(batch->leaf, nullptr);
  if (batch->bistate != nullptr) FreeBulkInsertState(batch->bistate);
  for (int i = 0; i < batch->slots_made; i++) ExecDropSingleTupleTableSlot(batch->slots[i]);
  if (batch->leaf->ri_FdwRoutine == nullptr)
    table_finish_bulk_insert(batch->leaf->ri_RelationDesc, router->options);
  pfree(batch);
}

static TupleTableSlot* next_slot(Router* router, LeafBatch* batch) {
  if (batch->rows == batch->slots_made) {
    MemoryContext old = MemoryContextSwitchTo(router->context);
    batch->slots[batch->slots_made++] = table_slot_create(batch->leaf->ri_RelationDesc, nullptr);
    MemoryContextSwitchTo(old);
  }
  return batch->slots[batch->rows];
}

/* Stores one partition's rows; mirrors CopyMultiInsertBufferFlush(). */
static void flush_batch(Router* router, LeafBatch* batch) {
  CopyFromState cstate = router->cstate;
  ResultRelInfo* leaf = batch->leaf;
  bool effects = has_row_effects(leaf);
  uint64 lineno = cstate->cur_lineno;
  if (batch->rows == 0) return;
  if (leaf->ri_FdwRoutine != nullptr) {
    router->refused += batch->rows - mr_flush_foreign(cstate, router->estate, leaf, batch->slots, batch->rows);
    batch->rows = 0;
    return;
  }
  MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(router->estate));
  table_multi_insert(leaf->ri_RelationDesc, batch->slots, batch->rows, router->cid, router->options, batch->bistate);
  MemoryContextSwitchTo(old);
  for (int i = 0; i < batch->rows; i++) {
    cstate->cur_lineno = batch->linenos[i];
    if (effects) make_row_effects(cstate, router->estate, leaf, batch->slots[i]);
    ExecClearTuple(batch->slots[i]);
  }
  batch->rows = 0;
  cstate->cur_lineno = lineno;
}

bool router_is_full(const Router* router) {
  return router->waiting >= kFlushRows || router->waiting_bytes >= kFlushBytes;
}

void router_flush(Router* router) {
  bool line_buf_valid = router->cstate->line_buf_valid;
  router->cstate->line_buf_valid = false;
  for (int i = 0; i < list_length(router->batches); i++)
    flush_batch(router, static_cast<LeafBatch*>(list_nth(router->batches, i)));
  router->cstate->line_buf_valid = line_buf_valid;
  router->waiting = 0;
  router->waiting_bytes = 0;
  /* the oldest go first, but not the one in use */
  while (list_length(router->batches) > kMostBatches) {
    LeafBatch* oldest = static_cast<LeafBatch*>(linitial(router->batches));
    router->batches = list_delete_first(router->batches);
    if (oldest->leaf == router->leaf) {
      MemoryContext old = MemoryContextSwitchTo(router->context);
      router->batches = lappend(router->batches, oldest);
      MemoryContextSwitchTo(old);
      oldest = static_cast<LeafBatch*>(linitial(router->batches));
      router->batches = list_delete_first(router->batches);
    }
    close_batch(router, oldest);
  }
}

/* Finds out about a partition that is not the last row's; as CopyFrom() does. */
static void change_leaf(Router* router, ResultRelInfo* leaf) {
  TriggerDesc* triggers = leaf->ri_TrigDesc;
  router->leaf = leaf;
  router->leaf_before_trigger = triggers != nullptr && triggers->trig_insert_before_row;
  router->leaf_takes_batches = !router->leaf_before_trigger && mr_takes_batches(leaf);
  if (router->leaf_takes_batches) {
    if (batch_of(leaf) == nullptr) open_batch(router, leaf);
  } else if (router->waiting > 0) {
    router_flush(router); /* triggers and foreign servers may look at the rows before */
  }
  ReleaseBulkInsertStatePin(router->bistate);
}

/* The row in the partition's own shape. */
static TupleTableSlot* convert_row(Router* router, TupleTableSlot* slot) {
  ResultRelInfo* leaf = router->leaf;
  TupleConversionMap* map = mr_root_to_partition_map(leaf, router->estate);
  if (!router->leaf_takes_batches)
    return map != nullptr ? execute_attr_map_slot(map->attrMap, slot, leaf->ri_PartitionTupleSlot) : slot;
  TupleTableSlot* batch_slot = next_slot(router, batch_of(leaf));
  if (map != nullptr) return execute_attr_map_slot(map->attrMap, slot, batch_slot);
  ExecCopySlot(batch_slot, slot);
  return batch_slot;
}

/* Stores a row at once: its partition has BEFORE triggers or is foreign. False if it was taken out. */
static bool insert_single(Router* router, TupleTableSlot* slot) {
  ResultRelInfo* leaf = router->leaf;
  EState* estate = router->estate;
  if (leaf->ri_FdwRoutine != nullptr) {
    slot = leaf->ri_FdwRoutine->ExecForeignInsert(estate, leaf, slot, nullptr);
    if (slot == nullptr) return false;
    slot->tts_tableOid = RelationGetRelid(leaf->ri_RelationDesc);
  } else {
    table_tuple_insert(leaf->ri_RelationDesc, slot, router->cid, router->options, router->bistate);
  }
  make_row_effects(router->cstate, estate, leaf, slot);
  return true;
}

bool router_insert(Router* router, TupleTableSlot* slot, uint64 lineno, uint32 line_bytes) {
  TransitionCaptureState* capture = router->cstate->transition_capture;
  ResultRelInfo* leaf = ExecFindPartition(router->mtstate, router->root, router->routing, slot, router->estate);
  if (leaf != router->leaf) change_leaf(router, leaf);
  if (capture != nullptr) capture->tcs_original_insert_tuple = router->leaf_before_trigger ? nullptr : slot;
  slot = convert_row(router, slot);
  slot->tts_tableOid = RelationGetRelid(leaf->ri_RelationDesc);
  if (router->leaf_before_trigger && !ExecBRInsertTriggers(router->estate, leaf, slot)) return false;
  check_row_before(router->estate, leaf, slot, router->leaf_before_trigger);
  if (!router->leaf_takes_batches) return insert_single(router, slot);
  ExecMaterializeSlot(slot);
  LeafBatch* batch = batch_of(leaf);
  batch->linenos[batch->rows++] = lineno;
  router->waiting++;
  router->waiting_bytes += line_bytes;
  return true;
}

void router_finish(Router* router) {
  FreeBulkInsertState(router->bistate);
  for (int i = 0; i < list_length(router->batches); i++)
    close_batch(router, static_cast<LeafBatch*>(list_nth(router->batches, i)));
  ExecCleanupTupleRouting(router->mtstate, router->routing);
}

}  // namespace mr
