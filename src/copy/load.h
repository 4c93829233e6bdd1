/*
 * load.h: the fast COPY FROM.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "commands/copy.h"
#include "commands/copyfrom_internal.h"
}

namespace mr {

/*
 * Does what core's CopyFrom() does for a statement that copy_left_to_core()
 * passed: same rows, same errors. Returns the number of rows stored; *bytes gets
 * the input read.
 */
uint64 copy_load(CopyFromState cstate, uint64* bytes);

}  // namespace mr
