/*
 * explain.cpp: what EXPLAIN says of a Custom Scan (MillraceAgg) beyond what core says itself.
 */
#include "scan/explain.h"
#include "scan/node.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/ruleutils.h"
}

#include "kernels/simd_target.h"

namespace mr {

/* Quals are a list of conditions that all hold. */
static void explain_quals(const char* label, List* quals, PlanState* where, List* ancestors, bool prefix, ExplainState* es) {
  if (quals == NIL) return;
  List* context = set_deparse_context_plan(es->deparse_cxt, where->plan, ancestors);
  Node* expr = reinterpret_cast<Node*>(make_ands_explicit(quals));
  ExplainPropertyText(label, deparse_expression(expr, context, prefix, false), es);
}

void explain_filter(int n_predicates, List* residual, PlanState* where, List* ancestors, bool prefix, ExplainState* es) {
  explain_quals("Vectorized Filter", list_copy_head(where->plan->qual, n_predicates), where, ancestors, prefix, es);
  explain_quals("Residual Filter", residual, where, ancestors, prefix, es);
}

void explain_pages(const PageReader* reader, ExplainState* es) {
  ExplainPropertyUInteger("Pages All-Visible", nullptr, reader->pages_all_visible, es);
  ExplainPropertyUInteger("Pages Checked", nullptr, reader->pages_checked, es);
}

/* The expressions of some columns of the scan tuple. */
static List* column_names(ScanNode* node, const int* columns, int n, List* ancestors, ExplainState* es) {
  CustomScan* scan = castNode(CustomScan, node->css.ss.ps.plan);
  List* context = set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan, ancestors);
  const bool prefix = explain_prefix(es);
  List* names = NIL;
  for (int i = 0; i < n; i++) {
    TargetEntry* entry = castNode(TargetEntry, list_nth(scan->custom_scan_tlist, columns[i]));
    names = lappend(names, deparse_expression(reinterpret_cast<Node*>(entry->expr), context, prefix, true));
  }
  return names;
}

static void explain_keys(ScanNode* node, List* ancestors, ExplainState* es) {
  int columns[kMaxGroupKeys];
  for (int i = 0; i < node->program.n_keys; i++) columns[i] = i;
  ExplainPropertyList("Group Key", column_names(node, columns, node->program.n_keys, ancestors, es), es);
}

/* Like core's, but without the name of an unusual operator. */
static void explain_order(ScanNode* node, List* ancestors, ExplainState* es) {
  List* names = column_names(node, node->order.keys, node->order.n, ancestors, es);
  int i = 0;
  ListCell* cell;
  foreach (cell, names) {
    SortSupport by = &node->order.by[i++];
    const char* direction = by->ssup_reverse ? " DESC" : "";
    const char* nulls = "";
    if (by->ssup_nulls_first != by->ssup_reverse) nulls = by->ssup_nulls_first ? " NULLS FIRST" : " NULLS LAST";
    lfirst(cell) = psprintf("%s%s%s", static_cast<char*>(lfirst(cell)), direction, nulls);
  }
  ExplainPropertyList("Sort Key", names, es);
}

void explain_reading(ScanNode* node, bool parallel, List* ancestors, ExplainState* es) {
  Program* p = &node->program;
  explain_filter(p->n_predicates, p->residual, outerPlanState(node), ancestors, explain_prefix(es), es);
  if (!p->count_only) ExplainPropertyText("Evaluation", p->by_row ? "by row" : "by column", es);
  if (explain_counters(&node->css.ss.ps, parallel, es)) explain_pages(&node->reader, es);
}

void node_explain(CustomScanState* css, List* ancestors, ExplainState* es) {
  ScanNode* node = reinterpret_cast<ScanNode*>(css);
  if (node->core != nullptr) {
    ExplainPropertyText("Left To", "PostgreSQL", es);
    return;
  }
  if (node->program.n_keys > 0) explain_keys(node, ancestors, es);
  if (node->order.n > 0) explain_order(node, ancestors, es);
  if (node->shape.append == nullptr) explain_reading(node, node->shape.parallel, ancestors, es);
  ExplainPropertyText("SIMD Target", mr_simd_target(), es);
}

}  // namespace mr
