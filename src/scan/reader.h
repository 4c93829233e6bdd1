/*
 * reader.h: reads a heap a page at a time and says which tuples the snapshot sees.
 */
#pragma once
#include "scan/batch.h"

extern "C" {
#include "access/heapam.h"
#include "storage/block.h"
#include "utils/rel.h"
}

namespace mr {

struct PageReader {
  HeapScanDesc scan; /* core's: strategy, block range, synchronized and parallel scan */
  Relation rel;
  Snapshot snapshot;
  bool conflict_out; /* serializable: report every tuple met */
  bool done;         /* no block left to ask for */
  BlockNumber block; /* last block handed out */
  Buffer ahead;      /* next page, pinned already; InvalidBuffer past the end */
  Buffer last;       /* guess for the next page's buffer comes from here */
  struct ReadStream* stream; /* core's, since 17; NULL: not needed yet */
  bool may_stream;
  bool streaming;    /* pages come by it */
  BlockNumber first; /* block to give it first */
  int settled;       /* pages that have come of it and were in shared buffers, one behind the other, in a row */
  int max_pins;      /* of a batch */
  bool sparing;      /* buffers are scarce: nothing is read ahead */
  const char* hint;     /* how far upcoming pages have been brought into the cache, and how far that may go */
  const char* hint_end;
  bool whole;        /* the last page was all-visible */
  uint64 pages_all_visible; /* pages taken whole */
  uint64 pages_checked;     /* pages whose tuples were checked one by one */
};

/* Starts (again) at the scan's first block; scan must be fresh from table_beginscan() or table_rescan(). */
void reader_start(PageReader* reader, HeapScanDesc scan);

/* Empties the batch and lets go of its pages. */
void reader_release(RowBatch* batch);

/*
 * Adds the visible tuples of the next page to the batch and returns how many; -1 when the batch
 * has no room for a page more, or at the end of the table. Tuples stay valid until the batch is
 * released: their pages are pinned.
 */
int reader_add_page(PageReader* reader, RowBatch* batch);

/* Number of visible tuples of the next page, or -1 at the end. */
int reader_count_page(PageReader* reader);

/* The page read ahead, pinned but not locked: for hints to the processor; or NULL. */
const char* reader_upcoming(const PageReader* reader);

/*
 * While a batch is worked on: starts to bring some more of the upcoming pages nearer, up to as much as this batch
 * had. To be called between steps that leave the memory idle.
 */
void reader_hint(PageReader* reader);

/* Lets go of all pages. */
void reader_stop(PageReader* reader, RowBatch* batch);

}  // namespace mr
