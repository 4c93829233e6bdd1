/*
 * eligible.h: which COPY FROM the fast path takes, and why not the others.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "commands/copy.h"
#include "commands/copyfrom_internal.h"
#include "nodes/execnodes.h"
}

namespace mr {

/*
 * Why core's CopyFrom() must run this statement, as a short phrase in lower case; null
 * if the fast path takes it. cstate is fresh from BeginCopyFrom().
 */
const char* copy_left_to_core(CopyFromState cstate);

/*
 * May rows become whole pages? Not if single rows have effects when stored (indexes,
 * row triggers) or if code that runs for a row could tell at which moment
 * the rows before it were stored.
 */
bool copy_may_place_pages(const ResultRelInfo* rri);

}  // namespace mr
