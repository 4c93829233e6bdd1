/*
 * How a COPY FROM that millrace runs is shown to the hooks installed before it.
 *
 * A hook chain ends in core's standard_ProcessUtility(), which would run the
 * COPY itself. So that pg_stat_statements and the like, loaded earlier and hence called
 * by us, still see one statement with its text, time and number of rows, they are
 * given a FETCH from a portal of ours in place of the CopyStmt. Fetching from the
 * portal runs the executor, and there our executor hook runs the COPY. Hooks
 * loaded after millrace see the CopyStmt itself, before us.
 */
#include "copy/hook.h"

#include "pg/pg.h"

extern "C" {
#include "access/xact.h"
#include "executor/execdesc.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "tcop/cmdtag.h"
#include "tcop/pquery.h"
#include "tcop/utility.h"
#include "utils/portal.h"
#include "utils/snapmgr.h"
}

#include "copy/statement.h"

namespace mr {

static ProcessUtility_hook_type next_utility = nullptr;
static ExecutorRun_hook_type next_run = nullptr;

/* A COPY on its way through the hooks before ours. */
struct Passenger {
  QueryDesc* query_desc; /* the portal's: how our executor hook knows it */
  ParseState* pstate;
  CopyStmt* statement;
};

static Passenger* passenger = nullptr;

/* The portal's query: nothing but what PortalRunFetch() and executor hooks look at. */
static QueryDesc* make_query_desc(PlannedStmt* pstmt, const char* query, DestReceiver* dest) {
  QueryDesc* desc = static_cast<QueryDesc*>(palloc0(sizeof(QueryDesc)));
  desc->operation = CMD_SELECT;
  desc->plannedstmt = pstmt;
  desc->sourceText = query;
  desc->snapshot = GetActiveSnapshot();
  desc->dest = dest;
  desc->estate = makeNode(EState);
  desc->estate->es_snapshot = desc->snapshot;
  return desc;
}

static Portal make_portal(PlannedStmt* pstmt, const char* query, DestReceiver* dest) {
  Portal portal = CreateNewPortal();
  portal->visible = false;
  PortalDefineQuery(portal, nullptr, query, CMDTAG_COPY, list_make1(pstmt), nullptr);
  portal->queryDesc = make_query_desc(pstmt, query, dest);
  portal->strategy = PORTAL_ONE_SELECT;
  portal->cursorOptions = CURSOR_OPT_NO_SCROLL;
  portal->atStart = true;
  portal->cleanup = nullptr; /* the query was never started, so the executor has nothing to end */
  portal->status = PORTAL_READY;
  return portal;
}

static void run_behind_hooks(PlannedStmt* pstmt, const char* query, ParseState* pstate, CopyStmt* statement,
                             ProcessUtilityContext context, ParamListInfo params, QueryEnvironment* environment,
                             DestReceiver* dest, QueryCompletion* qc) {
  PlannedStmt* shown = static_cast<PlannedStmt*>(palloc(sizeof(PlannedStmt)));
  memcpy(shown, pstmt, sizeof(PlannedStmt));
  Portal portal = make_portal(shown, query, dest);
  FetchStmt* fetch = makeNode(FetchStmt);
  fetch->direction = FETCH_FORWARD;
  fetch->howMany = FETCH_ALL;
  fetch->portalname = pstrdup(portal->name);
  shown->utilityStmt = reinterpret_cast<Node*>(fetch);

  Passenger mine = {portal->queryDesc, pstate, statement};
  Passenger* outer = passenger;
  passenger = &mine;
  PG_TRY();
  { next_utility(shown, query, true, context, params, environment, dest, qc); }
  PG_FINALLY();
  { passenger = outer; }
  PG_END_TRY();
  portal->queryDesc = nullptr;
  PortalDrop(portal, false);
  if (qc != nullptr) qc->commandTag = CMDTAG_COPY;
}

/* The hook's last argument, bool execute_once, is gone since 18: the hook's type tells whether it is there. */
template <typename... Once>
static void executor_run(QueryDesc* desc, ScanDirection direction, uint64 count, Once... once) {
  Passenger* mine = passenger;
  if (mine != nullptr && mine->query_desc == desc) {
    passenger = nullptr; /* statements inside the COPY are not it */
    desc->estate->es_processed = copy_statement_run(mine->pstate, mine->statement);
  } else if (next_run != nullptr) {
    next_run(desc, direction, count, once...);
  } else {
    standard_ExecutorRun(desc, direction, count, once...);
  }
}

/* What standard_ProcessUtility() does around a CopyStmt. */
static void run_copy(PlannedStmt* pstmt, const char* query, bool read_only_tree, ProcessUtilityContext context,
                     ParamListInfo params, QueryEnvironment* environment, DestReceiver* dest, QueryCompletion* qc) {
  check_stack_depth();
  if (read_only_tree) pstmt = static_cast<PlannedStmt*>(copyObjectImpl(pstmt));
  CopyStmt* statement = castNode(CopyStmt, pstmt->utilityStmt);
  ParseState* pstate = make_parsestate(nullptr);
  pstate->p_sourcetext = query;
  pstate->p_queryEnv = environment;
  if (next_utility != nullptr) {
    run_behind_hooks(pstmt, query, pstate, statement, context, params, environment, dest, qc);
  } else {
    uint64 processed = copy_statement_run(pstate, statement);
    if (qc != nullptr) SetQueryCompletion(qc, CMDTAG_COPY, processed);
  }
  free_parsestate(pstate);
  CommandCounterIncrement();
}

static void process_utility(PlannedStmt* pstmt, const char* query, bool read_only_tree, ProcessUtilityContext context,
                            ParamListInfo params, QueryEnvironment* environment, DestReceiver* dest,
                            QueryCompletion* qc) {
  if (copy_statement_is_ours(pstmt->utilityStmt))
    run_copy(pstmt, query, read_only_tree, context, params, environment, dest, qc);
  else if (next_utility != nullptr)
    next_utility(pstmt, query, read_only_tree, context, params, environment, dest, qc);
  else
    standard_ProcessUtility(pstmt, query, read_only_tree, context, params, environment, dest, qc);
}

void init_copy() {
  next_utility = ProcessUtility_hook;
  ProcessUtility_hook = process_utility;
  next_run = ExecutorRun_hook;
  ExecutorRun_hook = executor_run;
}

}  // namespace mr
