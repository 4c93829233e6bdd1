/*
 * explain.h: what the scans' EXPLAIN has in common.
 */
#pragma once
#include "pg/pg.h"

#include "scan/reader.h"

extern "C" {
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#include "nodes/execnodes.h"
}

namespace mr {

/* Are columns shown with their table's name? As show_expression()'s callers say. */
inline bool explain_prefix(const ExplainState* es) {
#if PG_VERSION_NUM < 180000
  return list_length(es->rtable) > 1 || es->verbose;
#else
  return es->rtable_size > 1 || es->verbose;
#endif
}

/*
 * Adds what is done with the quals of `where`: the first n_predicates vectorized, the residual ones by core. prefix: columns
 * with their table's name.
 */
void explain_filter(int n_predicates, List* residual, PlanState* where, List* ancestors, bool prefix, ExplainState* es);

/*
 * With ANALYZE: do this process's counters of the node tell all? Not where workers ran it too (parallel: shared it), or alone: they keep
 * counts of their own, and the leader's would mislead.
 */
inline bool explain_counters(const PlanState* node, bool parallel, const ExplainState* es) {
  return es->analyze && !parallel && node->worker_instrument == nullptr;
}

/* Adds what pages were read. */
void explain_pages(const PageReader* reader, ExplainState* es);

}  // namespace mr
