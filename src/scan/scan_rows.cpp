/*
 * scan_rows.cpp: the loop of MillraceScan and MillraceTopN.
 *
 *   1. fill_batch()   visible tuples of a few pages, the filter's columns taken out page by page
 *   2. filter_batch() predicates, and for top-N the first sort key, down the columns
 *   3. store_row()    a row that is left becomes the slot: a heap tuple in its pinned page, as core's SeqScan gives it
 *   4. next_row()     core's other quals in core's order, then the other sort keys
 *
 * Quals are a vectorized prefix that cannot fail and core's rest, which is evaluated only when the
 * row is next: errors, volatile functions and what is done with the rows come in core's order.
 */
#include "scan/scan_node.h"

extern "C" {
#include "access/tableam.h"
#include "executor/executor.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
}

#include "kernels/filter.h"
#include "pg/compat_scan.h"

namespace mr {

static void start_reading(FilterScan* scan) {
  ScanState* ss = &scan->css.ss;
  /* Set already in parallel plans. */
  if (ss->ss_currentScanDesc == nullptr)
    ss->ss_currentScanDesc = mr_table_beginscan(ss->ss_currentRelation, ss->ps.state->es_snapshot, 0, nullptr);
  reader_start(&scan->reader, reinterpret_cast<HeapScanDesc>(ss->ss_currentScanDesc));
  scan->started = true;
  scan->pages_wanted = scan->topn != nullptr ? kBatchPins : 1;
}

static void let_go(FilterScan* scan, int page) {
  if (BufferIsValid(scan->pages[page])) ReleaseBuffer(scan->pages[page]);
  scan->pages[page] = InvalidBuffer;
}

static void let_go_of_batch(FilterScan* scan) {
  for (int k = scan->page; k < scan->n_pages; k++) let_go(scan, k);
  scan->n = scan->next = scan->n_pages = scan->page = scan->line = 0;
}

void stop_reading(FilterScan* scan) {
  let_go_of_batch(scan);
  if (scan->started) reader_stop(&scan->reader, scan->batch);
  scan->started = false;
}

/* The pages of the batch become ours, to be let go one by one: a cursor may stand still here. */
static bool fill_batch(FilterScan* scan) {
  RowBatch* batch = scan->batch;
  let_go_of_batch(scan);
  reader_release(batch);
  deform_start(&scan->deformer);
  while (batch->n_pins < scan->pages_wanted) {
    const int from = batch->n;
    const int n = reader_add_page(&scan->reader, batch);
    if (n < 0) break;
    if (n == 0) continue;
    scan->page_ends[batch->n_pins - 1] = batch->n;
    deform(&scan->deformer, batch->tuples + from, from, n, reader_upcoming(&scan->reader));
  }
  scan->pages_wanted = Min(scan->pages_wanted * 2, kBatchPins);
  scan->n_pages = batch->n_pins;
  memcpy(scan->pages, batch->pins, sizeof(Buffer) * batch->n_pins);
  batch->n_pins = 0;
  scan->n = batch->n;
  return scan->n > 0;
}

static int count_bits(const uint64* bits, int from, int to) {
  int count = 0;
  for (int i = from; i < to;) {
    uint64 word = bits[i / 64] >> (i % 64);
    const int step = Min(64 - i % 64, to - i);
    if (step < 64) word &= (UINT64CONST(1) << step) - 1;
    count += __builtin_popcountll(word);
    i += step;
  }
  return count;
}

static void filter_batch(FilterScan* scan) {
  ExprContext* econtext = scan->css.ss.ps.ps_ExprContext;
  const int n = scan->n;
  mr_mask_fill(n, scan->bits);
  /* Over columns alone no row is bad. */
  (void)predicates_narrow(scan->predicates, scan->n_predicates, econtext, n, scan->bits);
  ResetExprContext(econtext);
  if (scan->topn != nullptr) {
    /* A Sort reads to the end: all can be counted now, what is pruned apart. */
    const int passing = count_rows(scan->bits, n);
    InstrCountFiltered1(&scan->css, n - passing);
    if (passing > 0) topn_prune(scan->topn, scan->columns[scan->topn->keys[0].attno], n, scan->bits);
  }
  int from = 0;
  for (int k = 0; k < scan->n_pages; k++) {
    if (count_bits(scan->bits, from, scan->page_ends[k]) == 0) let_go(scan, k);
    from = scan->page_ends[k];
  }
}

/* The first row at or after i that is in bits; n if there is none. */
static int find_row(const FilterScan* scan, int i) {
  while (i < scan->n) {
    const uint64 rest = scan->bits[i / 64] >> (i % 64);
    if (rest != 0) return i + __builtin_ctzll(rest);
    i = (i / 64 + 1) * 64;
  }
  return scan->n;
}

/* Rows come in the order of their line pointers, so the search for theirs goes on where the last one was found. */
static TupleTableSlot* store_row(FilterScan* scan, int row) {
  while (row >= scan->page_ends[scan->page]) {
    let_go(scan, scan->page++);
    scan->line = 0;
  }
  Buffer buffer = scan->pages[scan->page];
  Page page = BufferGetPage(buffer);
  HeapTupleHeader header = scan->batch->tuples[row];
  const unsigned offset = static_cast<unsigned>(reinterpret_cast<char*>(header) - static_cast<char*>(page));
  const int lines = PageGetMaxOffsetNumber(page);
  const ItemIdData* items = PageGetItemId(page, FirstOffsetNumber);
  int line = scan->line;
  while (line < lines && (ItemIdGetOffset(&items[line]) != offset || !ItemIdIsNormal(&items[line]))) line++;
  if (line == lines) elog(ERROR, "millrace: tuple without line pointer in block %u", BufferGetBlockNumber(buffer));
  scan->line = line + 1;
  HeapTuple tuple = &scan->tuple;
  tuple->t_data = header;
  tuple->t_len = ItemIdGetLength(&items[line]);
  tuple->t_tableOid = RelationGetRelid(scan->css.ss.ss_currentRelation);
  ItemPointerSet(&tuple->t_self, BufferGetBlockNumber(buffer), line + 1);
  return ExecStoreBufferHeapTuple(tuple, scan->css.ss.ss_ScanTupleSlot, buffer);
}

TupleTableSlot* next_row(FilterScan* scan) {
  ExprContext* econtext = scan->css.ss.ps.ps_ExprContext;
  if (!scan->started) start_reading(scan);
  ResetExprContext(econtext);
  if (scan->topn != nullptr && !scan->topn->started)
    topn_start(scan->topn, econtext, scan->css.ss.ss_currentRelation);
  for (;;) {
    const int row = find_row(scan, scan->next);
    /* As many as core would have turned away by now, with a LIMIT too. */
    if (scan->topn == nullptr) InstrCountFiltered1(&scan->css, row - scan->next);
    scan->next = row;
    if (row == scan->n) {
      if (!fill_batch(scan)) return nullptr;
      filter_batch(scan);
      continue;
    }
    scan->next++;
    TupleTableSlot* slot = store_row(scan, row);
    if (scan->topn != nullptr && !topn_admit(scan->topn, slot, scan->tuple.t_len)) continue;
    econtext->ecxt_scantuple = slot;
    if (scan->residual == nullptr || ExecQual(scan->residual, econtext)) return slot;
    InstrCountFiltered1(&scan->css, 1);
    CHECK_FOR_INTERRUPTS();
    ResetExprContext(econtext);
  }
}

}  // namespace mr
