/*
 * explain.h: what the scans' EXPLAIN has in common.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif
#include "nodes/execnodes.h"
}

namespace mr {

/* Adds an expression over the columns of a node; prefix: with their table's name. */
void explain_expression(const char* label, Node* expr, PlanState* where, List* ancestors, bool prefix,
                        ExplainState* es);

}  // namespace mr
