#include "copy/page_sink.h"

extern "C" {
#include "access/heapam.h"
#include "access/heapam_xlog.h"
#include "access/hio.h"
#include "access/visibilitymap.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/catalog.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
}

#include "copy/extend.h"
#include "pg/visibility.h"

namespace mr {

/* Pages between two words to the WAL writer about how far the log is written. */
constexpr uint64 kNudgePages = 64;

/* Between page images there is room for what writing a page's first tuple may write behind it. */
constexpr int kStageStride = BLCKSZ + PG_CACHE_LINE_SIZE;

static inline char* stage_page(const PageSink* sink, int i) { return sink->stage + i * kStageStride; }

PageSink* page_sink_create(Relation rel, CommandId cid, int options) {
  PageSink* sink = static_cast<PageSink*>(palloc0(sizeof(PageSink)));
  sink->rel = rel;
  sink->options = options;
  sink->header.xid = GetCurrentTransactionId();
  sink->header.cid = cid;
  sink->header.infomask = HEAP_XMAX_INVALID | (options & HEAP_INSERT_FROZEN ? HEAP_XMIN_FROZEN : 0);
  sink->reserved = RelationGetTargetPageFreeSpace(rel, HEAP_DEFAULT_FILLFACTOR);
  sink->logged = RelationNeedsWAL(rel);
  sink->decoded = RelationIsLogicallyLogged(rel);
  /* page images are copied as wholes: keep them on cache line boundaries */
  char* memory = static_cast<char*>(palloc(kStagePages * kStageStride + PG_CACHE_LINE_SIZE));
  sink->stage = reinterpret_cast<char*>(TYPEALIGN(PG_CACHE_LINE_SIZE, memory));
  sink->record = static_cast<char*>(palloc(BLCKSZ));
  sink->vmbuffer = InvalidBuffer;
  sink->last_block = InvalidBlockNumber;
  return sink;
}

static void start_page(PageSink* sink) {
  if (sink->pages == 0) sink->first_block = RelationGetNumberOfBlocks(sink->rel);
  PageInit(stage_page(sink, sink->pages), BLCKSZ, 0);
  if (!(sink->options & HEAP_INSERT_FROZEN)) mr_note_insert(stage_page(sink, sink->pages), sink->header.xid);
  sink->pages++;
}

/*
 * Gives rows from `r` on their place on one page, until one does not fit; returns that row. The
 * first tuple of a page always fits; others leave the fillfactor's reserve, as in
 * heap_multi_insert().
 */
static uint32 place_rows(char* page, BlockNumber block, const Batch* batch, const uint32* length, uint32 r, uint32 to,
                         uint32 reserved, char** dest, ItemPointer ctid) {
  PageHeader header = reinterpret_cast<PageHeader>(page);
  uint32 lower = header->pd_lower, upper = header->pd_upper;
  uint32 tuples = (lower - SizeOfPageHeaderData) / sizeof(ItemIdData);
  for (; r < to; r++, dest++, ctid++) {
    if (batch->any_tuple && batch->row_state[r] == RowState::kExcluded) continue;
    uint32 len = length[r], size = MAXALIGN(len);
    if (tuples > 0 &&
        (tuples >= MaxHeapTuplesPerPage || upper - lower < size + sizeof(ItemIdData) + reserved))
      break;
    upper -= size;
    ItemIdSetNormal(reinterpret_cast<ItemId>(page + lower), upper, len);
    lower += sizeof(ItemIdData);
    tuples++;
    *dest = page + upper;
    ItemPointerSet(ctid, block, tuples);
  }
  header->pd_lower = lower;
  header->pd_upper = upper;
  return r;
}

/* Writes the page's tuples as a multi-insert record has them; returns the bytes. */
static uint32 build_record(char* page, int tuples, char* out) {
  char* p = out;
  for (int i = 1; i <= tuples; i++) {
    ItemId id = PageGetItemId(page, i);
    const HeapTupleHeader tuple = reinterpret_cast<HeapTupleHeader>(page + ItemIdGetOffset(id));
    p = reinterpret_cast<char*>(SHORTALIGN(p));
    xl_multi_insert_tuple* item = reinterpret_cast<xl_multi_insert_tuple*>(p);
    uint32 len = ItemIdGetLength(id) - SizeofHeapTupleHeader;
    item->datalen = len;
    item->t_infomask2 = tuple->t_infomask2;
    item->t_infomask = tuple->t_infomask;
    item->t_hoff = tuple->t_hoff;
    p += SizeOfMultiInsertTuple;
    memcpy(p, reinterpret_cast<const char*>(tuple) + SizeofHeapTupleHeader, len);
    p += len;
  }
  return p - out;
}

/* Logs the page in the buffer, as the "init" case of heap_multi_insert() does. */
static void log_page(PageSink* sink, Buffer buffer, int tuples, uint32 bytes, bool last) {
  xl_heap_multi_insert record;
  record.flags = 0;
  if (sink->options & HEAP_INSERT_FROZEN) record.flags |= XLH_INSERT_ALL_FROZEN_SET;
  if (sink->decoded) record.flags |= XLH_INSERT_CONTAINS_NEW_TUPLE;
  if (last) record.flags |= XLH_INSERT_LAST_IN_MULTI;
  record.ntuples = tuples;
  XLogBeginInsert();
  XLogRegisterData(reinterpret_cast<char*>(&record), SizeOfHeapMultiInsert);
  XLogRegisterBuffer(0, buffer, REGBUF_STANDARD | REGBUF_WILL_INIT | (sink->decoded ? REGBUF_KEEP_DATA : 0));
  XLogRegisterBufData(0, sink->record, bytes);
  if (sink->options & HEAP_INSERT_FROZEN) mr_map_register(sink->vmbuffer);
  XLogSetRecordFlags(XLOG_INCLUDE_ORIGIN);
  XLogRecPtr lsn = XLogInsert(RM_HEAP2_ID, XLOG_HEAP2_MULTI_INSERT | XLOG_HEAP_INIT_PAGE);
  PageSetLSN(BufferGetPage(buffer), lsn);
  if (sink->options & HEAP_INSERT_FROZEN) mr_map_set_lsn(sink->vmbuffer, lsn);
}

/* Puts one page image into its buffer, which is pinned, locked and new. */
static void place_page(PageSink* sink, char* image, BlockNumber expected, Buffer buffer) {
  BlockNumber block = BufferGetBlockNumber(buffer);
  bool frozen = sink->options & HEAP_INSERT_FROZEN;
  int tuples = PageGetMaxOffsetNumber(image);
  uint32 bytes = 0;
  for (int i = 1; block != expected && i <= tuples; i++) {
    HeapTupleHeader tuple = reinterpret_cast<HeapTupleHeader>(PageGetItem(image, PageGetItemId(image, i)));
    ItemPointerSetBlockNumber(&tuple->t_ctid, block);
  }
  if (frozen) {
    PageSetAllVisible(image);
    mr_map_begin(sink->rel, block, &sink->vmbuffer);
  }
  if (sink->logged) bytes = build_record(image, tuples, sink->record);
  /* whatever toast chunks of later pages are already logged must outlive this record in the decoder's memory */
  bool last = sink->placed + 1 >= sink->toast_page;

  START_CRIT_SECTION();
  Page page = BufferGetPage(buffer);
  memcpy(page, image, BLCKSZ);
  MarkBufferDirty(buffer);
  if (frozen) mr_map_set(sink->rel, block, sink->vmbuffer);
  if (sink->logged) log_page(sink, buffer, tuples, bytes, last);
  END_CRIT_SECTION();

  if (frozen) mr_map_end(sink->rel, block, buffer, sink->vmbuffer);
  UnlockReleaseBuffer(buffer);
  pgstat_count_heap_insert(sink->rel, tuples);
  sink->last_block = block;
  sink->placed++;
}

/*
 * Large loads go through a small ring of buffers, so that they do not turn out
 * everybody else's pages; smaller ones stay cached and need no writes of their own.
 */
static void choose_strategy(PageSink* sink) {
  if (sink->strategy != nullptr || sink->placed <= static_cast<uint64>(NBuffers / 4)) return;
  MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(sink));
  sink->strategy = GetAccessStrategy(BAS_BULKWRITE);
  MemoryContextSwitchTo(old);
}

/* Lets the WAL writer write behind us, so that logging overlaps parsing. */
static void nudge_wal_writer(PageSink* sink, int pages) {
  bool due = sink->placed / kNudgePages != (sink->placed - pages) / kNudgePages;
  if (sink->logged && due) XLogSetAsyncXactLSN(XactLastRecEnd);
}

/* Moves every staged page into the table. */
static void place_all(PageSink* sink) {
  Buffer buffers[kStagePages];
  CHECK_FOR_INTERRUPTS();
  CheckForSerializableConflictIn(sink->rel, nullptr, InvalidBlockNumber);
  choose_strategy(sink);
  for (int done = 0; done < sink->pages;) {
    int got = extend_table(sink->rel, sink->strategy, sink->pages - done, buffers);
    for (int i = 0; i < got; i++, done++)
      place_page(sink, stage_page(sink, done), sink->first_block + done, buffers[i]);
  }
  CheckForSerializableConflictIn(sink->rel, nullptr, InvalidBlockNumber);
  nudge_wal_writer(sink, sink->pages);
  sink->pages = 0;
}

void page_sink_note_toast(PageSink* sink) {
  /* the row goes to the page being filled or the one after it */
  sink->toast_page = sink->placed + sink->pages + 1;
}

/*
 * Writes rows [from, to) to their places. The first of them may lie right below a tuple of an
 * earlier call, whose header must survive what writing a tuple writes behind it.
 */
static void write_rows(PageSink* sink, const Batch* batch, TupleFormer* former, uint32 from, uint32 to, char** dest,
                       const ItemPointerData* ctid) {
  char behind[kTupleSlack];
  uint32 first = from;
  while (first < to && batch->row_state[first] == RowState::kExcluded) first++;
  if (first == to) return;
  char* end = dest[first - from] + MAXALIGN(former->length[first]);
  memcpy(behind, end, kTupleSlack);
  tuple_former_write(former, batch, from, to, dest, &sink->header, ctid);
  memcpy(end, behind, kTupleSlack);
}

void page_sink_add(PageSink* sink, const Batch* batch, TupleFormer* former, uint32 from, uint32 to) {
  char* dest[kFlushRows];
  ItemPointerData ctid[kFlushRows];
  while (from < to) {
    if (sink->pages == 0) start_page(sink);
    uint32 r = from;
    for (;;) {
      char* page = stage_page(sink, sink->pages - 1);
      BlockNumber block = sink->first_block + sink->pages - 1;
      r = place_rows(page, block, batch, former->length, r, to, sink->reserved, dest + (r - from), ctid + (r - from));
      if (r == to || sink->pages == kStagePages) break;
      start_page(sink);
    }
    write_rows(sink, batch, former, from, r, dest, ctid);
    if (r < to) place_all(sink);
    from = r;
  }
}

void page_sink_finish(PageSink* sink) {
  /* the row noted last is on a page by now, so the last page can tell the decoder to drop the chunks */
  sink->toast_page = Min(sink->toast_page, sink->placed + sink->pages);
  if (sink->pages > 0) place_all(sink);
  if (BufferIsValid(sink->vmbuffer)) ReleaseBuffer(sink->vmbuffer);
  sink->vmbuffer = InvalidBuffer;
  if (sink->strategy != nullptr) FreeAccessStrategy(sink->strategy);
  if (sink->last_block != InvalidBlockNumber) RelationSetTargetBlock(sink->rel, sink->last_block);
}

}  // namespace mr
