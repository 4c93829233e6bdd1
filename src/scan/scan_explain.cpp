/*
 * scan_explain.cpp: what EXPLAIN says of MillraceScan and MillraceTopN beyond what core says itself.
 */
#include "scan/explain.h"
#include "scan/scan_node.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

#include "kernels/simd_target.h"

namespace mr {

static void explain_topn(FilterScan* scan, ExplainState* es) {
  TopN* topn = scan->topn;
  Relation rel = scan->css.ss.ss_currentRelation;
  List* names = NIL;
  for (int i = 0; i < topn->n_keys; i++)
    names = lappend(names, const_cast<char*>(quote_identifier(
                               get_attname(RelationGetRelid(rel), topn->keys[i].attno, false))));
  ExplainPropertyList("Prune Key", names, es);
  Node* count = static_cast<Node*>(linitial(castNode(CustomScan, scan->css.ss.ps.plan)->custom_exprs));
  if (topn->started)
    ExplainPropertyInteger("Bound", nullptr, topn->bound, es);
  else if (topn->offset == nullptr && IsA(count, Const) && !castNode(Const, count)->constisnull)
    ExplainPropertyInteger("Bound", nullptr, DatumGetInt64(castNode(Const, count)->constvalue), es);
}

void filter_scan_explain(CustomScanState* css, List* ancestors, ExplainState* es) {
  FilterScan* scan = reinterpret_cast<FilterScan*>(css);
  if (scan->by_core) {
    ExplainPropertyText("Left To", "PostgreSQL", es);
    return;
  }
  List* quals = css->ss.ps.plan->qual;
  if (scan->n_predicates > 0)
    explain_expression("Vectorized Filter",
                       reinterpret_cast<Node*>(make_ands_explicit(list_copy_head(quals, scan->n_predicates))),
                       &css->ss.ps, ancestors, es->verbose, es);
  if (scan->residual_quals != NIL)
    explain_expression("Residual Filter", reinterpret_cast<Node*>(make_ands_explicit(scan->residual_quals)),
                       &css->ss.ps, ancestors, es->verbose, es);
  if (scan->topn != nullptr) explain_topn(scan, es);
  ExplainPropertyText("SIMD Target", mr_simd_target(), es);
  /* Workers keep their own counts: those of the leader alone would mislead. */
  if (!es->analyze || css->ss.ps.plan->parallel_aware) return;
  if (scan->topn != nullptr) ExplainPropertyUInteger("Rows Pruned", nullptr, scan->topn->pruned, es);
  ExplainPropertyUInteger("Pages All-Visible", nullptr, scan->reader.pages_all_visible, es);
  ExplainPropertyUInteger("Pages Checked", nullptr, scan->reader.pages_checked, es);
}

}  // namespace mr
