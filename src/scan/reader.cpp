/*
 * reader.cpp: pages in core's order, with core's visibility, locks and counters.
 *
 *   next_block()    core's block order: plain, synchronized or parallel
 *   look_ahead()    guess that the next page is in the next buffer, else look it up, by core's read stream where there is one
 *   collect_page()  under the page's share lock: all-visible pages whole, others
 *   all_visible()   by their hint bits at once, or
 *   visible()       tuple by tuple, where these do not tell by HeapTupleSatisfiesVisibility()
 *
 * What heapgetpage() does for a page is done here too: interrupts, opportunistic
 * pruning, old-snapshot test, serializable conflicts, statistics. A page is kept
 * pinned, not locked, while its tuples are used: neither VACUUM nor pruning moves
 * tuples of a page somebody has pinned.
 */
#include "scan/reader.h"

extern "C" {
#include "access/relscan.h"
#include "access/syncscan.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#if PG_VERSION_NUM >= 170000
#include "storage/read_stream.h"
#endif
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

#include "kernels/line_pointers.h"
#include "pg/compat_scan.h"

namespace mr {

constexpr int kPrefetchBytes = 1024;
constexpr BlockNumber kMinStreamed = 16;

static BlockNumber next_block(PageReader* r) {
  HeapScanDesc scan = r->scan;
  if (r->done || scan->rs_nblocks == 0) return InvalidBlockNumber;
  BlockNumber block;
  if (scan->rs_base.rs_parallel != nullptr) {
    ParallelBlockTableScanDesc shared = reinterpret_cast<ParallelBlockTableScanDesc>(scan->rs_base.rs_parallel);
    if (r->block == InvalidBlockNumber)
      mr_parallelscan_startblock_init(r->rel, scan, shared);
    block = table_block_parallelscan_nextpage(r->rel, scan->rs_parallelworkerdata, shared);
  } else if (r->block == InvalidBlockNumber) {
    block = scan->rs_startblock;
  } else {
    block = r->block + 1 >= scan->rs_nblocks ? 0 : r->block + 1;
    /* As heapgettup_pagemode(): also the last report is made, so that the next scan starts where this one did. */
    if (scan->rs_base.rs_flags & SO_ALLOW_SYNC) ss_report_location(r->rel, block);
    if (block == scan->rs_startblock) block = InvalidBlockNumber;
  }
  if (block == InvalidBlockNumber)
    r->done = true;
  else
    r->block = block;
  return block;
}

/* Tables that lie in memory mostly do so in a row: the mapping lookup is half of a page's cost. */
static Buffer guess_buffer(PageReader* r, BlockNumber block) {
  if (r->last <= 0 || r->last >= NBuffers) return InvalidBuffer;
  Buffer guess = r->last + 1;
  if (!ReadRecentBuffer(MR_LOCATOR(r->rel), MAIN_FORKNUM, block, guess)) return InvalidBuffer;
  pgstat_count_buffer_read(r->rel);
  pgstat_count_buffer_hit(r->rel);
  return guess;
}

#if PG_VERSION_NUM >= 170000
/* Pages in a row, found in shared buffers one behind the other, after which it is better to guess again. */
constexpr int kSettled = 32;

static BlockNumber streamed_block(ReadStream*, void* reader, void*) {
  PageReader* r = static_cast<PageReader*>(reader);
  const BlockNumber first = r->first;
  r->first = InvalidBlockNumber;
  if (first != InvalidBlockNumber) return first;
  return r->settled >= kSettled ? InvalidBlockNumber : next_block(r);
}

static bool next_streamed(PageReader* r) {
  if (!r->streaming) return false;
  const auto reads = pgBufferUsage.shared_blks_read;
  Buffer buffer = read_stream_next_buffer(r->stream, nullptr);
  r->streaming = BufferIsValid(buffer);
  if (!r->streaming) return false;
  const bool was_there = buffer == r->last + 1 && pgBufferUsage.shared_blks_read == reads;
  r->settled = was_there ? r->settled + 1 : 0;
  r->ahead = r->last = buffer;
  return true;
}

/*
 * From this block on pages come by core's read stream, which reads several at a time and, where the server can, while others are worked on.
 * It asks for blocks before they are wanted here.
 */
static bool start_stream(PageReader* r, BlockNumber block) {
  if (!r->may_stream) return false;
  if (r->stream == nullptr) {
    MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(r->scan));
    r->stream = read_stream_begin_relation(READ_STREAM_SEQUENTIAL, r->scan->rs_strategy, r->rel, MAIN_FORKNUM,
                                           streamed_block, r, 0);
    MemoryContextSwitchTo(old);
  } else {
    read_stream_reset(r->stream);
  }
  r->first = block;
  r->settled = 0;
  r->streaming = true;
  return next_streamed(r);
}

static void end_stream(PageReader* r) {
  if (r->stream != nullptr) read_stream_end(r->stream);
  r->stream = nullptr;
  r->streaming = false;
}
#else
/* The operating system reads ahead by itself. */
static bool next_streamed(PageReader*) { return false; }
static bool start_stream(PageReader*, BlockNumber) { return false; }
static void end_stream(PageReader*) {}
#endif

/* Pins the page after the one about to be worked on. */
static void look_ahead(PageReader* r) {
  if (next_streamed(r)) return;
  const BlockNumber block = next_block(r);
  r->ahead = InvalidBuffer;
  if (block == InvalidBlockNumber) return;
  Buffer buffer = guess_buffer(r, block);
  if (!BufferIsValid(buffer)) {
    if (start_stream(r, block)) return;
    buffer = ReadBufferExtended(r->rel, MAIN_FORKNUM, block, RBM_NORMAL, r->scan->rs_strategy);
  }
  r->ahead = r->last = buffer;
}

/*
 * For counts of all-visible pages: starts to bring the line pointers of the page read ahead. Not where tuples are looked at:
 * read in order, line pointers and tuples are a stream that the processor follows by itself, unless hints hide its start (sum of an int
 * over 8 M rows: 28 ms, 35 with this).
 */
static pg_attribute_always_inline void prefetch_line_pointers(PageReader* r) {
  if (!BufferIsValid(r->ahead) || !r->whole) return;
  const char* page = static_cast<const char*>(BufferGetPage(r->ahead));
  for (int at = 0; at < kPrefetchBytes; at += 64) __builtin_prefetch(page + at);
}

/*
 * Temporary tables have few buffers, 100 at least, and every open cursor keeps some pinned. While these are few a scan reads
 * ahead; from then on it has as many as core's, one.
 */
static void limit_local_pins(PageReader* r) {
  int pinned = 0;
  for (int i = 0; i < NLocBuffer; i++) pinned += LocalRefCount[i] > 0;
  r->sparing = pinned > NLocBuffer / 8;
  r->max_pins = r->sparing ? 1 : Min(4, 1 + NLocBuffer / 256);
}

/* So many scans a session may leave standing, as cursors and loops do, before it has more than its share of the buffers pinned. */
constexpr int kStandingScans = 16;

static void limit_pins(PageReader* r) {
  const int share = NBuffers / MaxBackends / kStandingScans;
  r->sparing = share < 2;
  r->max_pins = r->sparing ? 1 : Min(kBatchPins, share - 1);
}

void reader_start(PageReader* r, HeapScanDesc scan) {
  r->scan = scan;
  r->rel = scan->rs_base.rs_rd;
  r->snapshot = scan->rs_base.rs_snapshot;
  r->conflict_out = CheckForSerializableConflictOutNeeded(r->rel, r->snapshot);
  r->done = false;
  r->block = InvalidBlockNumber;
  r->last = InvalidBuffer;
  if (RelationUsesLocalBuffers(r->rel))
    limit_local_pins(r);
  else
    limit_pins(r);
  r->ahead = InvalidBuffer;
  r->stream = nullptr;
  r->streaming = false;
  /* A stream takes some microseconds to set up. */
  r->may_stream = !r->sparing && !RelationUsesLocalBuffers(r->rel) && scan->rs_nblocks >= kMinStreamed;
  if (!r->sparing) look_ahead(r);
}

/* Takes the page read ahead and reads the next one ahead. */
static Buffer next_page(PageReader* r) {
  CHECK_FOR_INTERRUPTS();
  if (r->sparing) look_ahead(r);
  Buffer buffer = r->ahead;
  if (r->sparing)
    r->ahead = InvalidBuffer;
  else if (BufferIsValid(buffer))
    look_ahead(r);
  return buffer;
}

/* HeapTupleSatisfiesMVCC() for the common case that the hint bits and the snapshot's xmin tell. */
static inline bool visible(PageReader* r, HeapTuple tuple, Buffer buffer) {
  const uint16 infomask = tuple->t_data->t_infomask;
  if ((infomask & (HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID)) == (HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID)) {
    if ((infomask & HEAP_XMIN_FROZEN) == HEAP_XMIN_FROZEN) return true;
    const TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
    /* TransactionIdPrecedes(), without the call: every normal xid before the snapshot's xmin is over. */
    if (!TransactionIdIsNormal(xmin) || static_cast<int32>(xmin - r->snapshot->xmin) < 0) return true;
  }
  return HeapTupleSatisfiesVisibility(tuple, r->snapshot, buffer);
}

/*
 * Are all of these tuples visible by what visible() looks at first? Without a branch for each: on a page that nobody has
 * touched for a while the answer is yes.
 */
static bool all_visible(PageReader* r, const HeapTupleHeader* tuples, int n) {
  const TransactionId horizon = r->snapshot->xmin;
  bool all = true;
  for (int i = n - 1; i >= 0; i--) {
    const uint16 infomask = tuples[i]->t_infomask;
    const TransactionId xmin = HeapTupleHeaderGetRawXmin(tuples[i]);
    const bool settled = (infomask & (HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID)) == (HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID);
    const bool frozen = (infomask & HEAP_XMIN_INVALID) != 0; /* together with HEAP_XMIN_COMMITTED */
    const bool past = xmin < FirstNormalTransactionId || static_cast<int32>(xmin - horizon) < 0;
    all &= settled & (frozen | past);
  }
  return all;
}

/*
 * Tuple by tuple, as heapgetpage(). From the last line pointer to the first: addresses then ascend, as prefetchers like it.
 * out gets them in the order of line pointers all the same.
 */
static int check_tuples(PageReader* r, Buffer buffer, bool whole, HeapTupleHeader* out) {
  Page page = BufferGetPage(buffer);
  const OffsetNumber lines = PageGetMaxOffsetNumber(page);
  const ItemIdData* items = PageGetItemId(page, FirstOffsetNumber);
  HeapTupleHeader found[MaxHeapTuplesPerPage];
  HeapTupleData tuple;
  tuple.t_tableOid = RelationGetRelid(r->rel);
  const BlockNumber block = BufferGetBlockNumber(buffer);
  int n = 0;
  for (int i = lines - 1; i >= 0; i--) {
    if (!ItemIdIsNormal(&items[i])) continue;
    tuple.t_data = reinterpret_cast<HeapTupleHeader>(page + ItemIdGetOffset(&items[i]));
    tuple.t_len = ItemIdGetLength(&items[i]);
    ItemPointerSet(&tuple.t_self, block, i + 1);
    const bool valid = whole || visible(r, &tuple, buffer);
    if (r->conflict_out) HeapCheckForSerializableConflictOut(valid, r->rel, &tuple, buffer, r->snapshot);
    if (valid) found[n++] = tuple.t_data;
  }
  for (int i = 0; i < n; i++) out[i] = found[n - 1 - i];
  return n;
}

/*
 * Appends the page's visible tuples to out, or only counts them when out is NULL.
 * The page is pinned by the caller.
 */
static int collect_page(PageReader* r, Buffer buffer, HeapTupleHeader* out) {
  Page page = BufferGetPage(buffer);
  mr_heap_page_prune_opt(r->rel, r->scan, buffer);
  LockBuffer(buffer, BUFFER_LOCK_SHARE);
  mr_TestForOldSnapshot(r->snapshot, r->rel, page);
  const OffsetNumber lines = PageGetMaxOffsetNumber(page);
  const uint32_t* items = reinterpret_cast<const uint32_t*>(PageGetItemId(page, FirstOffsetNumber));
  HeapTupleHeader uncounted[MaxHeapTuplesPerPage];
  int n;
  r->whole = PageIsAllVisible(page) && !r->snapshot->takenDuringRecovery;
  if (r->whole)
    r->pages_all_visible++;
  else
    r->pages_checked++;
  if (r->whole && !r->conflict_out && out == nullptr) {
    n = static_cast<int>(mr_count_normal_pointers(items, lines));
  } else {
    if (out == nullptr) out = uncounted;
    n = static_cast<int>(mr_normal_items(items, lines, page, reinterpret_cast<char**>(out)));
    if (r->conflict_out || (!r->whole && !all_visible(r, out, n))) n = check_tuples(r, buffer, r->whole, out);
  }
  LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
  mr_pgstat_count_heap_getnext(r->rel, n);
  return n;
}

void reader_release(RowBatch* batch) {
  for (int i = 0; i < batch->n_pins; i++) ReleaseBuffer(batch->pins[i]);
  batch->n_pins = 0;
  batch->n = 0;
}

/* What reader_hint() may bring: as many bytes from the page read ahead on as the batch has. */
static int batch_is_full(PageReader* r, const RowBatch* batch) {
  r->hint = r->hint_end = nullptr;
  if (r->ahead > 0) {
    r->hint = static_cast<const char*>(BufferGetPage(r->ahead));
    r->hint_end = r->hint + Min(batch->n_pins, NBuffers - r->ahead) * BLCKSZ;
  }
  return -1;
}

int reader_add_page(PageReader* r, RowBatch* batch) {
  const int most = batch->most > 0 ? batch->most : kBatchRows;
  if (batch->n + static_cast<int>(MaxHeapTuplesPerPage) > most || batch->n_pins >= r->max_pins)
    return batch_is_full(r, batch);
  Buffer buffer = next_page(r);
  if (!BufferIsValid(buffer)) return -1;
  /* Listed first, so that whatever happens now it is released once only. */
  batch->pins[batch->n_pins++] = buffer;
  const int n = collect_page(r, buffer, batch->tuples + batch->n);
  if (n == 0) ReleaseBuffer(batch->pins[--batch->n_pins]);
  batch->n += n;
  return n;
}

int reader_count_page(PageReader* r) {
  Buffer buffer = next_page(r);
  if (!BufferIsValid(buffer)) return -1;
  prefetch_line_pointers(r);
  const int n = collect_page(r, buffer, nullptr);
  ReleaseBuffer(buffer);
  return n;
}

const char* reader_upcoming(const PageReader* r) {
  return BufferIsValid(r->ahead) ? static_cast<const char*>(BufferGetPage(r->ahead)) : nullptr;
}

/*
 * What a step of some hundred nanoseconds, an aggregate's loop over a batch or one over a strip of keys, leaves time to bring from memory: as many
 * lines as a processor waits for at once (16 aggregates of ints: 9.8 ms, 9.9 with twice as much, 13.7 without).
 */
constexpr int kHintBytes = 1536;

/* The pages after the one read ahead mostly lie behind it; where they do not, nothing is lost but a hint. */
void reader_hint(PageReader* r) {
  const char* end = Min(r->hint + kHintBytes, r->hint_end);
  for (; r->hint < end; r->hint += 64) __builtin_prefetch(r->hint, 0, 2);
}

void reader_stop(PageReader* r, RowBatch* batch) {
  reader_release(batch);
  if (BufferIsValid(r->ahead)) ReleaseBuffer(r->ahead);
  r->ahead = InvalidBuffer;
  end_stream(r);
  r->done = true;
}

}  // namespace mr
