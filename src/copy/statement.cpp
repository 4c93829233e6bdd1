#include "copy/statement.h"

extern "C" {
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "commands/copy.h"
#include "commands/copyfrom_internal.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_relation.h"
#include "portability/instr_time.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
}

#include "copy/eligible.h"
#include "copy/last_copy.h"
#include "copy/load.h"
#include "pg/compat.h"
#include "pg/settings.h"

namespace mr {

LastCopy last_copy;

bool copy_statement_is_ours(const Node* node) {
  if (!setting_copy || !IsA(node, CopyStmt) || IsInParallelMode() || RecoveryInProgress()) return false;
  const CopyStmt* statement = reinterpret_cast<const CopyStmt*>(node);
  return statement->is_from && statement->relation != nullptr;
}

/* The role checks of DoCopy(). */
static void check_source_privileges(const CopyStmt* statement) {
  if (statement->filename == nullptr) return;
  const char* hint = "Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.";
  if (statement->is_program) {
    if (!has_privs_of_role(GetUserId(), ROLE_PG_EXECUTE_SERVER_PROGRAM))
      mr_ereport_program_privilege(hint);
  } else if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_SERVER_FILES)) {
    mr_ereport_file_privilege(hint);
  }
}

/* Generated and, since 19, system columns may not be in COPY's WHERE clause: they have no values yet; mirrors DoCopy(). */
static void reject_columns_without_value(Relation rel, Node* where) {
  Bitmapset* attrs = nullptr;
  pull_varattnos(where, 1, &attrs);
  if (bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attrs)) {
    attrs = bms_add_range(attrs, 1 - FirstLowInvalidHeapAttributeNumber,
                          RelationGetNumberOfAttributes(rel) - FirstLowInvalidHeapAttributeNumber);
    attrs = bms_del_member(attrs, 0 - FirstLowInvalidHeapAttributeNumber);
  }
  for (int i = -1; (i = bms_next_member(attrs, i)) >= 0;) {
    AttrNumber attno = i + FirstLowInvalidHeapAttributeNumber;
    if (PG_VERSION_NUM >= 190000 && attno < 0)
      ereport(ERROR, errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
              errmsg("system columns are not supported in COPY FROM WHERE conditions"),
              errdetail("Column \"%s\" is a system column.", get_attname(RelationGetRelid(rel), attno, false)));
    if (attno > 0 && TupleDescAttr(RelationGetDescr(rel), attno - 1)->attgenerated)
      ereport(ERROR, errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
              errmsg("generated columns are not supported in COPY FROM WHERE conditions"),
              errdetail("Column \"%s\" is a generated column.", get_attname(RelationGetRelid(rel), attno, false)));
  }
}

static Node* transform_where(ParseState* pstate, Relation rel, ParseNamespaceItem* nsitem, Node* raw) {
  if (raw == nullptr) return nullptr;
  addNSItemToQuery(pstate, nsitem, false, true, true);
  Node* where = transformExpr(pstate, raw, EXPR_KIND_COPY_WHERE);
  where = coerce_to_boolean(pstate, where, "WHERE");
  assign_expr_collations(pstate, where);
  reject_columns_without_value(rel, where);
  where = eval_const_expressions(nullptr, where);
  where = reinterpret_cast<Node*>(canonicalize_qual(reinterpret_cast<Expr*>(where), false));
  return reinterpret_cast<Node*>(make_ands_implicit(reinterpret_cast<Expr*>(where)));
}

static uint64 run(CopyFromState cstate, LastCopy* done) {
  const char* reason = copy_left_to_core(cstate);
  done->fast = reason == nullptr;
  if (done->fast) return copy_load(cstate, &done->bytes);
  strlcpy(done->reason, reason, sizeof(done->reason));
  if (setting_log_fallback) ereport(NOTICE, (errmsg("millrace: COPY left to PostgreSQL: %s", reason)));
  uint64 processed = CopyFrom(cstate);
  done->bytes = cstate->bytes_processed;
  return processed;
}

uint64 copy_statement_run(ParseState* pstate, CopyStmt* statement) {
  instr_time start, end;
  INSTR_TIME_SET_CURRENT(start);
  LastCopy done = {};
  check_source_privileges(statement);

  Relation rel = table_openrv(statement->relation, RowExclusiveLock);
  ParseNamespaceItem* nsitem = addRangeTableEntryForRelation(pstate, rel, RowExclusiveLock, nullptr, false, false);
  mr_require_insert(nsitem);
  Node* where = transform_where(pstate, rel, nsitem, statement->whereClause);
  List* attnums = CopyGetAttnums(RelationGetDescr(rel), rel, statement->attlist);
  for (int i = 0; i < list_length(attnums); i++)
    mr_add_inserted_column(nsitem, list_nth_int(attnums, i) - FirstLowInvalidHeapAttributeNumber);
  mr_check_permissions(pstate, nsitem);
  if (check_enable_rls(RelationGetRelid(rel), InvalidOid, false) == RLS_ENABLED)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("COPY FROM not supported with row-level security"),
                    errhint("Use INSERT statements instead.")));
  if (XactReadOnly && !rel->rd_islocaltemp) PreventCommandIfReadOnly("COPY FROM");

  CopyFromState cstate = BeginCopyFrom(pstate, rel, where, statement->filename, statement->is_program, nullptr,
                                       statement->attlist, statement->options);
  uint64 processed = run(cstate, &done);
  EndCopyFrom(cstate);
  done.relation = RelationGetRelid(rel);
  table_close(rel, NoLock);

  INSTR_TIME_SET_CURRENT(end);
  INSTR_TIME_SUBTRACT(end, start);
  done.rows = processed;
  done.elapsed_us = INSTR_TIME_GET_MICROSEC(end);
  done.valid = true;
  last_copy = done;
  return processed;
}

}  // namespace mr
