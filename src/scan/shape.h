/*
 * shape.h: the piece of a plan that one Custom Scan (MillraceAgg) does.
 *
 *   Agg, Unique or Group   [over Sort]   over SeqScan, or over Append of SeqScans
 *
 * An Append may have other Appends in it, and also children of any kind, whose rows are taken one by one.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace mr {

struct Shape {
  Plan* top;      /* core's Agg, Unique or Group */
  Agg* agg;       /* the same, or an Agg that groups as the Unique or Group does */
  Sort* sort;     /* below top, or NULL */
  Append* append; /* below that, or NULL */
  List* scans;    /* the SeqScans, in the order they are read */
  bool mixed;     /* the Append has other children */
  double others;  /* their cost */
  bool parallel;  /* each process sees only some of the rows */
};

/* Takes a plan apart; false when it is none of ours. What the scans are of is not looked at. */
bool shape_find(Plan* top, Shape* shape);

/*
 * Keeps the plan's upper nodes in a CustomScan whose child is what is below them, and finds them there again.
 * Their children are taken away, so that no node is in a plan twice, and the initPlans, which are the
 * CustomScan's now.
 */
void shape_keep(const Shape* shape, CustomScan* scan);
void shape_recall(const CustomScan* scan, Shape* shape);

/* For compiling what the rows of an Append come to: as if they were a relation's. */
SeqScan* shape_append_rows(const Shape* shape);

/* Puts core's own plan together again: shallow copies, with the SeqScans' own nodes at the bottom. */
Plan* shape_core_plan(const Shape* shape);

}  // namespace mr
