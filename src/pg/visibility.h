/*
 * visibility.h: what a page of new rows tells about their visibility.
 *
 * Pages of frozen rows are marked in the visibility map. Until 18 that is logged by itself, after the page's record. Since 19 the page's record covers the map's bits too,
 * so they are set in its critical section, with the map's page locked:
 *
 *   mr_map_begin()         pin the map's page
 *   START_CRIT_SECTION()
 *   mr_map_set()
 *   mr_map_register(), XLogInsert(), mr_map_set_lsn()    if the table is logged
 *   END_CRIT_SECTION()
 *   mr_map_end()
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "access/heapam_xlog.h"
#include "access/visibilitymap.h"
#include "access/xloginsert.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/rel.h"
}

/* Since 19 an inserted tuple makes its page worth a look by the next reader, who may find it all-visible. */
static inline void mr_note_insert([[maybe_unused]] Page page, [[maybe_unused]] TransactionId xid) {
#if PG_VERSION_NUM >= 190000
  PageSetPrunable(page, xid);
#endif
}

static inline void mr_map_begin(Relation rel, BlockNumber block, Buffer* map) {
  visibilitymap_pin(rel, block, map);
#if PG_VERSION_NUM >= 190000
  LockBuffer(*map, BUFFER_LOCK_EXCLUSIVE);
#endif
}

static inline void mr_map_set([[maybe_unused]] Relation rel, [[maybe_unused]] BlockNumber block,
                              [[maybe_unused]] Buffer map) {
#if PG_VERSION_NUM >= 190000
  visibilitymap_set(block, map, VISIBILITYMAP_ALL_VISIBLE | VISIBILITYMAP_ALL_FROZEN, rel->rd_locator);
#endif
}

static inline void mr_map_register([[maybe_unused]] Buffer map) {
#if PG_VERSION_NUM >= 190000
  XLogRegisterBuffer(HEAP_MULTI_INSERT_BLKREF_VM, map, 0);
#endif
}

static inline void mr_map_set_lsn([[maybe_unused]] Buffer map, [[maybe_unused]] XLogRecPtr lsn) {
#if PG_VERSION_NUM >= 190000
  PageSetLSN(BufferGetPage(map), lsn);
#endif
}

static inline void mr_map_end([[maybe_unused]] Relation rel, [[maybe_unused]] BlockNumber block,
                              [[maybe_unused]] Buffer heap, Buffer map) {
#if PG_VERSION_NUM < 190000
  visibilitymap_set(rel, block, heap, InvalidXLogRecPtr, map, InvalidTransactionId,
                    VISIBILITYMAP_ALL_VISIBLE | VISIBILITYMAP_ALL_FROZEN);
#else
  LockBuffer(map, BUFFER_LOCK_UNLOCK);
#endif
}
