/*
 * page_sink.h: rows that become whole heap pages.
 *
 *   1. tuples are written straight into page images in private memory (the stage)
 *   2. when the stage is full, that many blocks are added to the table at once,
 *      pinned and locked                                     (extend.h)
 *   3. each image is copied into its buffer, with one multi-insert record that
 *      re-initializes the page, as heap_multi_insert() writes for an empty page
 *
 * Only for plain heap tables without indexes or row triggers. The layout of a page is
 * what PageAddItem() makes: replay makes the same.
 */
#pragma once
#include "copy/batch.h"
#include "copy/tuples.h"

extern "C" {
#include "storage/bufmgr.h"
#include "utils/rel.h"
}

namespace mr {

/* Pages of the stage, and blocks added to the table at once: 256 kB, which stays in a core's cache. */
constexpr int kStagePages = 32;

struct PageSink {
  Relation rel;
  TupleHeader header;
  int options;          /* heap_insert() options */
  Size reserved;        /* bytes a page keeps free for fillfactor */
  bool logged;          /* pages are WAL-logged */
  bool decoded;         /* with what logical decoding needs */
  char* stage;          /* kStagePages page images */
  int pages;            /* in use; the last one is being filled */
  BlockNumber first_block; /* where the stage's first page is expected to go */
  char* record;         /* tuple data of one WAL record */
  BufferAccessStrategy strategy;
  Buffer vmbuffer;

  uint64 placed;        /* pages in the table so far */
  uint64 toast_page;    /* 1 + number of the last page that has a tuple with toasted values; 0: none */
  BlockNumber last_block;
};

PageSink* page_sink_create(Relation rel, CommandId cid, int options);

/* Stores the rows [from, to) of the batch; former->length is set. */
void page_sink_add(PageSink* sink, const Batch* batch, TupleFormer* former, uint32 from, uint32 to);

/* Notes that the row added next has toasted values, whose chunks are already logged. */
void page_sink_note_toast(PageSink* sink);

/* Places what is staged, the page being filled too, and lets go of every buffer. */
void page_sink_finish(PageSink* sink);

}  // namespace mr
