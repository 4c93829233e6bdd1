/*
 * hook.h: how plans get scans of ours.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "utils/rel.h"
}

namespace mr {

/* An ordinary heap table. */
bool relation_is_ours(Relation rel);

/* Registers the custom scan and chains planner_hook. */
void init_scan();

}  // namespace mr
