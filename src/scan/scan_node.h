/*
 * scan_node.h: Custom Scan (MillraceScan), a SeqScan whose filter runs down columns, and
 * Custom Scan (MillraceTopN), the same below a bounded Sort, leaving out rows it would discard.
 */
#pragma once
#include "scan/deform.h"
#include "scan/predicate.h"
#include "scan/reader.h"
#include "scan/topn.h"

extern "C" {
#include "commands/explain.h"
#include "nodes/extensible.h"
}

namespace mr {

/*
 * The plan: what core's SeqScan had (target list, all quals, node id) and, for MillraceTopN,
 *   custom_exprs    the Limit's count and, if it has one, offset
 *   custom_private  lists of the Sort's attribute numbers, operators, collations and "nulls first",
 *                   and one of flags: may other tables' rows come to the Sort?
 */
enum { kPrivateAttnos, kPrivateOperators, kPrivateCollations, kPrivateNullsFirst, kPrivateFlags };

struct FilterScan {
  CustomScanState css; /* first: it is what core knows */
  bool by_core;        /* ExecScan() over core's own scan */
  TopN* topn;          /* NULL: MillraceScan */
  int n_predicates;    /* a prefix of the plan's quals */
  Predicate** predicates;
  List* residual_quals;
  ExprState* residual;

  /* reading */
  bool started;
  int pages_wanted; /* of the next batch: the first are small, for LIMIT */
  PageReader reader;
  RowBatch* batch;
  Vector** columns; /* [attno] */
  Deformer deformer;

  /* handing on: rows of the batch that are in bits, from row `next` on */
  uint64 bits[kMaskWords];
  int n;
  int next;
  int n_pages;
  int page;                   /* where row `next` is, or before */
  Buffer pages[kBatchPins];   /* InvalidBuffer: let go, none of its rows is wanted any more */
  int page_ends[kBatchPins];  /* row after the last of each page */
  int line;                   /* of that page: line pointers before this one are done with */
  HeapTupleData tuple;        /* what the slot holds */
};

extern const CustomScanMethods kFilterScanMethods;
extern const CustomScanMethods kTopNMethods;

/* The next row that passes all, in the scan's slot; NULL at the end. scan_rows.cpp's. */
TupleTableSlot* next_row(FilterScan* scan);

/* Lets go of all pages. */
void stop_reading(FilterScan* scan);

/* EXPLAIN. */
void filter_scan_explain(CustomScanState* css, List* ancestors, ExplainState* es);

}  // namespace mr
