/*
 * compat_scan.h: names that changed between PostgreSQL 15 and 19 and that only scans use.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "access/stratnum.h"
#include "access/tableam.h"
#include "executor/instrument.h"
#include "nodes/nodes.h"
#include "pgstat.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#if PG_VERSION_NUM >= 160000
#include "catalog/pg_proc.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "catalog/pg_collation.h"
#endif
}

/* Where a relation's storage is. */
#if PG_VERSION_NUM < 160000
#define MR_LOCATOR(rel) ((rel)->rd_node)
#else
#define MR_LOCATOR(rel) ((rel)->rd_locator)
#endif

/* Begins an ordinary scan; since 19 with options. */
#if PG_VERSION_NUM < 190000
#define mr_table_beginscan(rel, snapshot, n_keys, keys) table_beginscan(rel, snapshot, n_keys, keys)
#define mr_table_beginscan_parallel(rel, shared) table_beginscan_parallel(rel, shared)
#else
#define mr_table_beginscan_parallel(rel, shared) table_beginscan_parallel(rel, shared, SO_NONE)
#define mr_table_beginscan(rel, snapshot, n_keys, keys) table_beginscan(rel, snapshot, n_keys, keys, SO_NONE)
#endif

/* Slots of an executor's; since 19 with flags. */
#if PG_VERSION_NUM < 190000
#define mr_ExecAllocTableSlot(table, desc, ops) ExecAllocTableSlot(table, desc, ops)
#define mr_ExecInitScanTupleSlot(estate, state, desc, ops) ExecInitScanTupleSlot(estate, state, desc, ops)
#else
#define mr_ExecInitScanTupleSlot(estate, state, desc, ops) ExecInitScanTupleSlot(estate, state, desc, ops, 0)
#define mr_ExecAllocTableSlot(table, desc, ops) ExecAllocTableSlot(table, desc, ops, 0)
#endif

/* A worker's first block, and pruning on the way; since 19 both are told more of the scan. */
#if PG_VERSION_NUM < 190000
#define mr_parallelscan_startblock_init(rel, scan, shared) \
  table_block_parallelscan_startblock_init(rel, (scan)->rs_parallelworkerdata, shared)
#define mr_heap_page_prune_opt(rel, scan, buffer) heap_page_prune_opt(rel, buffer)
#else
#define mr_parallelscan_startblock_init(rel, scan, shared)                                                             \
  table_block_parallelscan_startblock_init(rel, (scan)->rs_parallelworkerdata, shared, (scan)->rs_startblock, \
                                           (scan)->rs_numblocks)
#define mr_heap_page_prune_opt(rel, scan, buffer) heap_page_prune_opt(rel, buffer, &(scan)->rs_vmbuffer, false)
#endif

/* Does a statement change this relation? A list of range table indexes, and since 19 a set. */
#if PG_VERSION_NUM < 190000
#define mr_is_result_relation(statement, rti) list_member_int((statement)->resultRelations, rti)
#else
#define mr_is_result_relation(statement, rti) bms_is_member(rti, (statement)->resultRelationRelids)
#endif

/* What planner_hook is given more since 19. */
#if PG_VERSION_NUM < 190000
#define MR_PLANNER_PARAMETER
#define MR_PLANNER_ARGUMENT
#else
#define MR_PLANNER_PARAMETER , struct ExplainState* explain
#define MR_PLANNER_ARGUMENT , explain
#endif

/* Snapshots that may be too old went away in 17. */
#if PG_VERSION_NUM < 170000
#define mr_TestForOldSnapshot(snapshot, rel, page) TestForOldSnapshot(snapshot, rel, page)
#else
#define mr_TestForOldSnapshot(snapshot, rel, page) ((void)(snapshot))
#endif

/* pgstat_count_heap_getnext() for n tuples. */
#if PG_VERSION_NUM < 160000
#define mr_pgstat_count_heap_getnext(rel, n)                                                          \
  do {                                                                                                \
    if (pgstat_should_count_relation(rel)) (rel)->pgstat_info->t_counts.t_tuples_returned += (n);     \
  } while (0)
#else
#define mr_pgstat_count_heap_getnext(rel, n)                                                          \
  do {                                                                                                \
    if (pgstat_should_count_relation(rel)) (rel)->pgstat_info->counts.tuples_returned += (n);         \
  } while (0)
#endif

/* EXECUTE privilege on a function. */
#if PG_VERSION_NUM < 160000
#define mr_function_aclcheck(function, user) pg_proc_aclcheck(function, user, ACL_EXECUTE)
#else
#define mr_function_aclcheck(function, user) object_aclcheck(ProcedureRelationId, function, user, ACL_EXECUTE)
#endif

/*
 * Does a collation compare bytes? Declared here, since pg_locale.h wants ICU's headers. From 18 on only
 * the two that always do count.
 */
#if PG_VERSION_NUM < 180000
extern "C" bool lc_collate_is_c(Oid collation);
#define mr_collate_is_c(collation) lc_collate_is_c(collation)
#else
#define mr_collate_is_c(collation) ((collation) == C_COLLATION_OID || (collation) == 951 /* POSIX */)
#endif

/* Family and input type of an operator that sorts, and which way it does; false: it does not sort. */
inline bool mr_ordering_operator(Oid op, Oid* family, Oid* type, bool* descending) {
#if PG_VERSION_NUM < 180000
  int16 strategy;
  if (!get_ordering_op_properties(op, family, type, &strategy)) return false;
  *descending = strategy == BTGreaterStrategyNumber;
#else
  CompareType order;
  if (!get_ordering_op_properties(op, family, type, &order)) return false;
  *descending = order == COMPARE_GT;
#endif
  return true;
}

/* Walkers and mutators of expression trees: until 15 their type is a function without prototype. */
#if PG_VERSION_NUM < 160000
#define MR_WALKER(f) reinterpret_cast<bool (*)()>(reinterpret_cast<void (*)(void)>(f))
#define MR_MUTATOR(f) reinterpret_cast<Node* (*)()>(reinterpret_cast<void (*)(void)>(f))
#else
#define MR_WALKER(f) f
#define MR_MUTATOR(f) f
#endif
