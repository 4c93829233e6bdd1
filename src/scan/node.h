/*
 * node.h: the state of a Custom Scan (MillraceAgg).
 */
#pragma once
#include "scan/program.h"
#include "scan/reader.h"

extern "C" {
#include "nodes/extensible.h"
}

namespace mr {

struct ScanNode {
  CustomScanState css; /* first: it is what core knows */
  Agg* agg;            /* core's plan, complete, for when this is left to core */
  int eflags;
  PlanState* core; /* core's Agg, once it has taken over */
  Program program;

  /* reading */
  PageReader reader;
  RowBatch batch;
  HeapTupleHeader passed[kBatchRows]; /* of the batch, what the filter lets through, when two_steps */
  Datum* spare;                       /* room for a column's values that are being moved together */
  Vector** columns; /* [attno] */
  Deformer filter_columns;
  Deformer all_columns;
  bool two_steps;         /* take the filter's columns first, then all from what passes */
  TupleTableSlot* row;    /* the relation's columns, for expressions that core evaluates */
  ExprState* residual;
  ExprState* quals; /* all of the filter, for batches that its predicates refuse */

  /* states */
  AggShared shared;
  GroupTable groups;
  char* plain; /* states when there are no group keys */
  void* plain_memory;
  int64 batches;
  int64 refusals; /* batches left to core's expressions: by their inputs, by their filter */
  int64 filter_refusals;

  /* output */
  bool started;
  bool read_all;  /* no input is left */
  bool ready;     /* groups are complete and being handed out */
  uint32 next;    /* group to hand out */
  uint64 flushes; /* how often a full table of partial groups was handed out */
};

extern const CustomScanMethods kScanMethods;

/* Consumes input until all of it, or a table full of partial groups, is aggregated. node.cpp's. */
void node_aggregate(ScanNode* node);

/* Leaves the whole node to core from now on. Only while nothing has been handed out. */
void node_leave_to_core(ScanNode* node);

/* Makes the states empty. */
void node_reset_states(ScanNode* node);

/* EXPLAIN. */
void node_explain(CustomScanState* css, List* ancestors, ExplainState* es);

}  // namespace mr
