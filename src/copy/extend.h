/*
 * extend.h: adds many blocks to a table at once.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "storage/bufmgr.h"
#include "utils/rel.h"
}

namespace mr {

/*
 * Adds n blocks (at most 64) to the main fork and returns their buffers, pinned and
 * exclusively locked, holding new (zero) pages; returns how many, which can be
 * fewer than n but not 0. File space is reserved before it returns, so a full disk
 * is an error here, before any row is promised. Raises core's errors.
 */
int extend_table(Relation rel, BufferAccessStrategy strategy, int n, Buffer* buffers);

}  // namespace mr
