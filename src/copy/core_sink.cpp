#include "copy/core_sink.h"

extern "C" {
#include "access/hio.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

#include "copy/row_effects.h"

namespace mr {

/* Entries of the arrays at first: most COPYs are small. */
constexpr int kFirstCapacity = 16;

CoreSink* core_sink_create(CopyFromState cstate, EState* estate, ResultRelInfo* rri, CommandId cid, int options) {
  CoreSink* sink = static_cast<CoreSink*>(palloc0(sizeof(CoreSink)));
  sink->capacity = kFirstCapacity;
  sink->slots = static_cast<TupleTableSlot**>(palloc(kFirstCapacity * sizeof(TupleTableSlot*)));
  sink->tuples = static_cast<HeapTuple>(palloc(kFirstCapacity * sizeof(HeapTupleData)));
  sink->linenos = static_cast<uint64*>(palloc(kFirstCapacity * sizeof(uint64)));
  sink->cstate = cstate;
  sink->estate = estate;
  sink->rri = rri;
  sink->cid = cid;
  sink->options = options;
  sink->bistate = GetBulkInsertState();
  sink->want_linenos = has_row_effects(rri);
  sink->arena = AllocSetContextCreate(CurrentMemoryContext, "millrace tuples", ALLOCSET_DEFAULT_SIZES);
  sink->slot_desc = CreateTupleDescCopy(RelationGetDescr(rri->ri_RelationDesc));
  sink->last_block = InvalidBlockNumber;
  return sink;
}

static void make_room(CoreSink* sink, int rows) {
  if (sink->pending + rows <= sink->capacity) return;
  int capacity = sink->capacity = Min(Max(2 * sink->capacity, sink->pending + rows), kFlushRows);
  sink->slots = static_cast<TupleTableSlot**>(repalloc(sink->slots, capacity * sizeof(TupleTableSlot*)));
  sink->tuples = static_cast<HeapTuple>(repalloc(sink->tuples, capacity * sizeof(HeapTupleData)));
  sink->linenos = static_cast<uint64*>(repalloc(sink->linenos, capacity * sizeof(uint64)));
}

/* The next place of the flush, for a tuple of len bytes at data. */
static void take_place(CoreSink* sink, uint32 len, char* data, uint64 lineno) {
  HeapTuple tuple = &sink->tuples[sink->pending];
  tuple->t_len = len;
  ItemPointerSetInvalid(&tuple->t_self);
  tuple->t_tableOid = RelationGetRelid(sink->rri->ri_RelationDesc);
  tuple->t_data = reinterpret_cast<HeapTupleHeader>(data);
  sink->linenos[sink->pending++] = lineno;
}

void core_sink_add_tuple(CoreSink* sink, HeapTuple tuple, uint64 lineno) {
  make_room(sink, 1);
  char* data = static_cast<char*>(MemoryContextAllocHuge(sink->arena, tuple->t_len));
  memcpy(data, tuple->t_data, tuple->t_len);
  take_place(sink, tuple->t_len, data, lineno);
}

void core_sink_add(CoreSink* sink, const Batch* batch, TupleFormer* former, uint32 from, uint32 to,
                   const uint64* lineno) {
  /* heap_multi_insert() fills in the transaction's fields itself */
  const TupleHeader header = {InvalidTransactionId, 0, HEAP_XMAX_INVALID};
  char* dest[kFlushRows];
  ItemPointerData ctid[kFlushRows];
  Size total = 0;
  for (uint32 r = from; r < to; r++)
    if (batch->row_state[r] != RowState::kExcluded) total += MAXALIGN(former->length[r]);
  if (total == 0) return;
  make_room(sink, to - from);
  char* memory = static_cast<char*>(
      MemoryContextAllocExtended(sink->arena, total + kTupleSlack, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
  for (uint32 r = from; r < to; r++) {
    if (batch->row_state[r] == RowState::kExcluded) continue;
    take_place(sink, former->length[r], memory, lineno[r]);
    ItemPointerSetInvalid(&ctid[r - from]);
    dest[r - from] = memory;
    memory += MAXALIGN(former->length[r]);
  }
  tuple_former_write(former, batch, from, to, dest, &header, ctid);
}

void core_sink_flush(CoreSink* sink) {
  if (sink->pending == 0) return;
  CopyFromState cstate = sink->cstate;
  Relation rel = sink->rri->ri_RelationDesc;
  MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(sink));
  for (int i = 0; i < sink->pending; i++) {
    if (i == sink->slots_made)
      sink->slots[sink->slots_made++] = MakeSingleTupleTableSlot(sink->slot_desc, &TTSOpsHeapTuple);
    ExecStoreHeapTuple(&sink->tuples[i], sink->slots[i], false);
  }
  uint64 lineno = cstate->cur_lineno;
  cstate->line_buf_valid = false;
  MemoryContextSwitchTo(GetPerTupleMemoryContext(sink->estate));
  table_multi_insert(rel, sink->slots, sink->pending, sink->cid, sink->options, sink->bistate);
  MemoryContextSwitchTo(old);
  sink->last_block = ItemPointerGetBlockNumber(&sink->slots[sink->pending - 1]->tts_tid);
  for (int i = 0; sink->want_linenos && i < sink->pending; i++) {
    cstate->cur_lineno = sink->linenos[i];
    make_row_effects(cstate, sink->estate, sink->rri, sink->slots[i]);
  }
  for (int i = 0; i < sink->pending; i++) ExecClearTuple(sink->slots[i]);
  cstate->cur_lineno = lineno;
  sink->pending = 0;
  MemoryContextReset(sink->arena);
}

int core_sink_room(CoreSink* sink, int* tuples) {
  Relation rel = sink->rri->ri_RelationDesc;
  Buffer buffer = sink->bistate->current_buf;
  if (!BufferIsValid(buffer) || BufferGetBlockNumber(buffer) != sink->last_block ||
      sink->last_block + 1 != RelationGetNumberOfBlocks(rel))
    return -1;
  LockBuffer(buffer, BUFFER_LOCK_SHARE);
  Page page = BufferGetPage(buffer);
  Size room = PageGetHeapFreeSpace(page);
  *tuples = MaxHeapTuplesPerPage - PageGetMaxOffsetNumber(page);
  LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
  Size reserved = RelationGetTargetPageFreeSpace(rel, HEAP_DEFAULT_FILLFACTOR);
  return room > reserved ? static_cast<int>(room - reserved) : 0;
}

void core_sink_finish(CoreSink* sink) {
  FreeBulkInsertState(sink->bistate);
  for (int i = 0; i < sink->slots_made; i++) ExecDropSingleTupleTableSlot(sink->slots[i]);
  table_finish_bulk_insert(sink->rri->ri_RelationDesc, sink->options);
  MemoryContextDelete(sink->arena);
}

}  // namespace mr
