/*
 * explain.cpp: what EXPLAIN says of a Custom Scan (MillraceAgg) beyond what core says itself.
 */
#include "scan/node.h"

extern "C" {
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif
#include "nodes/makefuncs.h"
#include "utils/ruleutils.h"
}

#include "kernels/simd_target.h"

namespace mr {

static void explain_expression(const char* label, Node* expr, PlanState* where, List* ancestors, ExplainState* es) {
  List* context = set_deparse_context_plan(es->deparse_cxt, where->plan, ancestors);
  const bool prefix = list_length(es->rtable) > 1 || es->verbose;
  ExplainPropertyText(label, deparse_expression(expr, context, prefix, false), es);
}

static void explain_keys(ScanNode* node, List* ancestors, ExplainState* es) {
  Program* p = &node->program;
  PlanState* child = outerPlanState(node);
  List* context = set_deparse_context_plan(es->deparse_cxt, child->plan, ancestors);
  const bool prefix = list_length(es->rtable) > 1 || es->verbose;
  List* names = NIL;
  for (int i = 0; i < p->n_keys; i++)
    names = lappend(names, deparse_expression(reinterpret_cast<Node*>(p->key_inputs[i].expr), context, prefix, true));
  ExplainPropertyList("Group Key", names, es);
}

void node_explain(CustomScanState* css, List* ancestors, ExplainState* es) {
  ScanNode* node = reinterpret_cast<ScanNode*>(css);
  if (node->core != nullptr) {
    ExplainPropertyText("Left To", "PostgreSQL", es);
    return;
  }
  Program* p = &node->program;
  PlanState* child = outerPlanState(node);
  List* quals = child->plan->qual;
  if (p->n_keys > 0) explain_keys(node, ancestors, es);
  if (p->n_predicates > 0)
    explain_expression("Vectorized Filter",
                       reinterpret_cast<Node*>(make_ands_explicit(list_copy_head(quals, p->n_predicates))), child,
                       ancestors, es);
  if (p->residual != NIL)
    explain_expression("Residual Filter", reinterpret_cast<Node*>(make_ands_explicit(p->residual)), child, ancestors,
                       es);
  if (!p->count_only) ExplainPropertyText("Evaluation", p->by_row ? "by row" : "by column", es);
  ExplainPropertyText("SIMD Target", mr_simd_target(), es);
  /* Workers keep their own counts: those of the leader alone would mislead. */
  if (!es->analyze || child->plan->parallel_aware) return;
  ExplainPropertyUInteger("Pages All-Visible", nullptr, node->reader.pages_all_visible, es);
  ExplainPropertyUInteger("Pages Checked", nullptr, node->reader.pages_checked, es);
}

}  // namespace mr
