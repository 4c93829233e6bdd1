/*
 * explain.h: what the scans' EXPLAIN has in common.
 */
#pragma once
#include "pg/pg.h"

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

/* Adds an expression over the columns of a node; prefix: with their table's name. */
void explain_expression(const char* label, Node* expr, PlanState* where, List* ancestors, bool prefix,
                        ExplainState* es);

}  // namespace mr
