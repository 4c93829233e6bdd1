/*
 * compat.h: names that changed between PostgreSQL 15 and 19, so that the rest of
 * the source is written once.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "commands/copyfrom_internal.h"
#include "executor/executor.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "libpq/pqcomm.h"
#if PG_VERSION_NUM >= 170000
#include "libpq/protocol.h"
#endif
#include "nodes/execnodes.h"
#include "utils/rel.h"
}

#if PG_VERSION_NUM < 170000
#define PqMsg_CopyData 'd'
#define PqMsg_CopyDone 'c'
#define PqMsg_CopyFail 'f'
#define PqMsg_Flush 'H'
#define PqMsg_Sync 'S'
#endif

/* The format of a COPY. */
#if PG_VERSION_NUM < 190000
static inline bool mr_is_csv(const CopyFormatOptions* opts) { return opts->csv_mode; }
static inline bool mr_is_binary(const CopyFormatOptions* opts) { return opts->binary; }
#else
static inline bool mr_is_csv(const CopyFormatOptions* opts) { return opts->format == COPY_FORMAT_CSV; }
static inline bool mr_is_binary(const CopyFormatOptions* opts) { return opts->format == COPY_FORMAT_BINARY; }
#endif

/* When the relation's storage was made, for "new in this transaction" tests. */
#if PG_VERSION_NUM < 160000
#define MR_NEW_STORAGE_SUBID(rel) ((rel)->rd_newRelfilenodeSubid)
#define MR_FIRST_STORAGE_SUBID(rel) ((rel)->rd_firstRelfilenodeSubid)
#else
#define MR_NEW_STORAGE_SUBID(rel) ((rel)->rd_newRelfilelocatorSubid)
#define MR_FIRST_STORAGE_SUBID(rel) ((rel)->rd_firstRelfilelocatorSubid)
#endif

static inline List* mr_ExecInsertIndexTuples(ResultRelInfo* rri, TupleTableSlot* slot, EState* estate) {
#if PG_VERSION_NUM < 160000
  return ExecInsertIndexTuples(rri, slot, estate, false, false, NULL, NIL);
#elif PG_VERSION_NUM < 190000
  return ExecInsertIndexTuples(rri, slot, estate, false, false, NULL, NIL, false);
#else
  return ExecInsertIndexTuples(rri, estate, 0, slot, NIL, NULL);
#endif
}

/* The executor's range table from what BeginCopyFrom() kept. */
static inline void mr_ExecInitRangeTable(EState* estate, CopyFromState cstate) {
#if PG_VERSION_NUM < 160000
  ExecInitRangeTable(estate, cstate->range_table);
#elif PG_VERSION_NUM < 180000
  ExecInitRangeTable(estate, cstate->range_table, cstate->rteperminfos);
#else
  ExecInitRangeTable(estate, cstate->range_table, cstate->rteperminfos, bms_make_singleton(1));
#endif
}

static inline void mr_CheckValidResultRel(ResultRelInfo* rri) {
#if PG_VERSION_NUM < 170000
  CheckValidResultRel(rri, CMD_INSERT);
#elif PG_VERSION_NUM < 180000
  CheckValidResultRel(rri, CMD_INSERT, NIL);
#else
  CheckValidResultRel(rri, CMD_INSERT, ONCONFLICT_NONE, NIL);
#endif
}

/* Permissions of a range table entry moved to a node of their own in 16. */
static inline void mr_require_insert(ParseNamespaceItem* nsitem) {
#if PG_VERSION_NUM < 160000
  nsitem->p_rte->requiredPerms = ACL_INSERT;
#else
  nsitem->p_perminfo->requiredPerms = ACL_INSERT;
#endif
}

static inline void mr_add_inserted_column(ParseNamespaceItem* nsitem, int bit) {
#if PG_VERSION_NUM < 160000
  nsitem->p_rte->insertedCols = bms_add_member(nsitem->p_rte->insertedCols, bit);
#else
  nsitem->p_perminfo->insertedCols = bms_add_member(nsitem->p_perminfo->insertedCols, bit);
#endif
}

static inline void mr_check_permissions(ParseState* pstate, ParseNamespaceItem* nsitem) {
#if PG_VERSION_NUM < 160000
  ExecCheckRTPerms(pstate->p_rtable, true);
#else
  ExecCheckPermissions(pstate->p_rtable, list_make1(nsitem->p_perminfo), true);
#endif
}

/* DoCopy()'s errors for missing roles, in each major's words. */
static inline void mr_ereport_program_privilege(const char* hint) {
#if PG_VERSION_NUM < 160000
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("must be superuser or have privileges of the pg_execute_server_program role to COPY to or "
                         "from an external program"),
                  errhint("%s", hint)));
#else
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("permission denied to COPY to or from an external program"),
                  errdetail("Only roles with privileges of the \"%s\" role may COPY to or from an external program.",
                            "pg_execute_server_program"),
                  errhint("%s", hint)));
#endif
}

static inline void mr_ereport_file_privilege(const char* hint) {
#if PG_VERSION_NUM < 160000
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("must be superuser or have privileges of the pg_read_server_files role to COPY from a file"),
                  errhint("%s", hint)));
#else
  ereport(ERROR,
          (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied to COPY from a file"),
           errdetail("Only roles with privileges of the \"%s\" role may COPY from a file.", "pg_read_server_files"),
           errhint("%s", hint)));
#endif
}

/* How rows of the partitioned table become rows of the partition; null if they have the same shape. */
static inline TupleConversionMap* mr_root_to_partition_map(ResultRelInfo* leaf, EState* estate) {
#if PG_VERSION_NUM < 160000
  return leaf->ri_RootToPartitionMap;
#else
  return ExecGetRootToChildMap(leaf, estate);
#endif
}

/* The i-th default expression that BeginCopyFrom() prepared, for attribute defmap[i]. */
static inline ExprState* mr_default_expr(CopyFromState cstate, int i) {
#if PG_VERSION_NUM < 160000
  return cstate->defexprs[i];
#else
  return cstate->defexprs[cstate->defmap[i]];
#endif
}
