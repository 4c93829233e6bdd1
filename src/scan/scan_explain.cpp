/*
 * scan_explain.cpp: what EXPLAIN says of MillraceScan and MillraceTopN beyond what core says itself.
 */
#include "scan/explain.h"
#include "scan/scan_node.h"

extern "C" {
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
  explain_filter(scan->n_predicates, scan->residual_quals, &css->ss.ps, ancestors, es->verbose, es);
  if (scan->topn != nullptr) explain_topn(scan, es);
  ExplainPropertyText("SIMD Target", mr_simd_target(), es);
  if (!explain_counters(&css->ss.ps, css->ss.ps.plan->parallel_aware, es)) return;
  if (scan->topn != nullptr) ExplainPropertyUInteger("Rows Pruned", nullptr, scan->topn->pruned, es);
  explain_pages(&scan->reader, es);
}

}  // namespace mr
