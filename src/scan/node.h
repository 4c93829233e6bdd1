/*
 * node.h: the state of a Custom Scan (MillraceAgg).
 */
#pragma once
#include "scan/order.h"
#include "scan/program.h"
#include "scan/reader.h"
#include "scan/shape.h"

extern "C" {
#include "nodes/extensible.h"
}

namespace mr {

/* How far aggregating has come. */
enum class Progress : uint8 {
  kReadAll, /* no input is left */
  kFull,    /* the table of groups is full */
  kRefused  /* core must do it all, from the start: see leave_refused */
};

/* How far a feed is set up. */
enum class FeedStage : uint8 { kNew, kCompiled, kReady };

struct ScanNode {
  CustomScanState css; /* first: it is what core knows */
  Shape shape;
  int eflags;
  PlanState* core; /* core's Agg, once it has taken over */
  Program program;

  /* reading */
  PageReader reader;
  Datum* spare;                       /* room for a column's values that are being moved together */
  Vector** columns; /* [attno] */
  Deformer filter_columns;
  Deformer all_columns;
  bool two_steps;         /* take the filter's columns first, then all from what passes */
  bool brings_upcoming;   /* a batch is read while the next page is being brought into the cache */
  TupleTableSlot* row;    /* the relation's columns, for expressions that core evaluates */
  ExprState* residual;
  ExprState* quals; /* all of the filter, for batches that its predicates refuse */

  /* states */
  AggShared shared;
  GroupTable groups;
  char* plain; /* states when there are no group keys; groups.n_groups is then 1 or, of no rows, 0 */
  int64 batches;
  int64 refusals; /* batches left to core's expressions: by their inputs, by their filter */
  int64 filter_refusals;
  bool leave_refused; /* a batch whose errors only core finds in its order leaves the whole node to core */
  GroupOrder order;

  /* output */
  bool started;
  bool read_all;  /* no input is left */
  bool ready;     /* groups are complete and being handed out */
  uint32 next;    /* group to hand out */
  uint64 flushes; /* how often a full table of partial groups was handed out */

  /* above an Append, and below: feed.h */
  List* feeds;       /* those of this node */
  Progress progress; /* of the feed asked last */
  bool fed;          /* the Append's row is an empty one of a feed */
  List* vectors;     /* of columns: what reads one relation after the other uses the same ones */
  ScanNode* head;    /* or the node that this one feeds */
  List* above;       /* states of the Appends between the two */
  FeedStage stage;

  /* Not zeroed when the node is made: there may be thousands that read nothing. */
  RowBatch batch;
  HeapTupleHeader passed[kBatchRows]; /* of the batch, what the filter lets through, when two_steps */
};

extern const CustomScanMethods kScanMethods;

/* A node with everything zero but what is large. */
ScanNode* node_make(const CustomExecMethods* methods);

/* EXECUTE on aggregates, their functions and what the kernels stand in for. */
bool node_may_execute(const Program* program);

/* Opens the scan. False: the relation has no pages. */
bool node_start_reading(ScanNode* node);

/* Reads on and aggregates the node's relation. */
Progress node_aggregate(ScanNode* node);

/* Aggregates one row: row 0 of the columns, and econtext's tuple for core's expressions. */
void node_one_row(ScanNode* node);

bool node_is_full(ScanNode* node);

/*
 * Sets up the reading of a relation into the states of head: the node itself, or the one this one feeds. The program
 * has been compiled. In the query's memory context.
 */
void node_init_reading(ScanNode* node, ScanNode* head, Relation rel);

/* Sets up the aggregation of rows that come one by one, as node_one_row() wants them. */
void node_init_rows(ScanNode* node);

/* To be read from the start again, with new parameters. */
void node_restart_reading(ScanNode* node);

/* Leaves the whole node to core from now on. Only while nothing has been handed out. */
void node_leave_to_core(ScanNode* node);

/* Makes the states empty. */
void node_reset_states(ScanNode* node);

/* EXPLAIN of the node, and of how a relation is read. */
void node_explain(CustomScanState* css, List* ancestors, ExplainState* es);
void explain_reading(ScanNode* node, bool parallel, List* ancestors, ExplainState* es);

}  // namespace mr
