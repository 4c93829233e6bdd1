/*
 * loader.h: the state of one COPY FROM, shared by the files that make up its pipeline.
 */
#pragma once
#include "copy/columns.h"
#include "copy/core_sink.h"
#include "copy/fields.h"
#include "copy/page_sink.h"
#include "copy/router.h"
#include "copy/tuples.h"

namespace mr {

/* What happens to the row in Loader::context_row when an error is raised. */
constexpr int kNoRow = -1;

struct Loader {
  CopyFromState cstate;
  EState* estate;
  ModifyTableState* mtstate;
  ResultRelInfo* rri;
  ExprContext* econtext;       /* the estate's per-tuple one, for what need not outlive a row */
  MemoryContext batch_context; /* values and tuples of a batch */
  TupleTableSlot* slot; /* one row, for expressions */
  CommandId cid;
  int options;

  TextBuffer* buffer;
  /* Null until rows come that are not core's reader's. */
  FieldReader* reader;
  Batch* batch;
  TupleFormer* former;
  uint32 batch_text; /* capacity of the text buffer that batch and former were made for */
  Router* router; /* the target is partitioned: rows go here, and the sinks are null */
  CoreSink* core;
  PageSink* pages; /* null until rows go there */
  bool pages_ruled_out;
  int top_up; /* bytes of the last page that core's calls still fill; -1: no more */
  int top_up_tuples;

  bool every_row;  /* expressions must be evaluated for each row */
  bool has_checks; /* ... and constraints among them */
  bool row_defaults;
  Datum* values; /* one row from core's reader */
  bool* nulls;

  /* Since the last flush, as CopyMultiInsertInfo counts them. */
  int flush_rows;
  int64 flush_bytes;

  uint64 lines_before;  /* lines before the batch */
  uint64* lineno; /* one entry a row of the batch, when single rows need theirs */
  int context_row;

  bool end_of_data; /* core's reader said so */
  uint64 processed, excluded;
};

/* loader.cpp: setup and teardown, mirroring CopyFrom(). The loader lives in cstate->copycontext. */
Loader* loader_create(CopyFromState cstate);
void loader_finish(Loader* loader);

/*
 * Makes what batches need when the first rows come that are not core's reader's, and makes it anew, larger, when
 * the text buffer has grown.
 */
void loader_prepare_batches(Loader* loader);

/* rows.cpp: lines of the batch up to and with the row, as core counts lines. */
uint64 lines_to_row(const Loader* loader, uint32 row);

/* Fills loader->lineno for every row of the batch, for errors that come when the row's text is gone. */
void number_rows(Loader* loader);

/* Callback of the error context stack; arg is the Loader. */
void loader_error_context(void* arg);

/*
 * Handles the rows that cannot be left to the vectors, in file order: refused fields, defaults, WHERE,
 * generated columns, constraints, routing. Returns how many rows the batch really has: core's reader may find
 * the end of the data in one.
 */
uint32 check_rows(Loader* loader);

/*
 * The same for a row that core's reader took, in loader->values and nulls; cstate shows it. Returns the tuple to
 * store, or null if there is none: excluded, or routed.
 */
HeapTuple judge_core_row(Loader* loader);

/* A NULL in a NOT NULL column is an error to be raised in its row's turn: marks such rows for check_rows(). */
void find_null_violations(Loader* loader);

}  // namespace mr
