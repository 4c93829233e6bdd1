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

void explain_expression(const char* label, Node* expr, PlanState* where, List* ancestors, bool prefix,
                        ExplainState* es) {
  List* context = set_deparse_context_plan(es->deparse_cxt, where->plan, ancestors);
  ExplainPropertyText(label, deparse_expression(expr, context, prefix, false), es);
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
  PlanState* child = outerPlanState(node);
  List* quals = child->plan->qual;
  const bool prefix = explain_prefix(es);
  if (p->n_predicates > 0)
    explain_expression("Vectorized Filter",
                       reinterpret_cast<Node*>(make_ands_explicit(list_copy_head(quals, p->n_predicates))), child,
                       ancestors, prefix, es);
  if (p->residual != NIL)
    explain_expression("Residual Filter", reinterpret_cast<Node*>(make_ands_explicit(p->residual)), child, ancestors,
                       prefix, es);
  if (!p->count_only) ExplainPropertyText("Evaluation", p->by_row ? "by row" : "by column", es);
  /* Workers keep their own counts: those of the leader alone would mislead. */
  if (!es->analyze || parallel) return;
  ExplainPropertyUInteger("Pages All-Visible", nullptr, node->reader.pages_all_visible, es);
  ExplainPropertyUInteger("Pages Checked", nullptr, node->reader.pages_checked, es);
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
