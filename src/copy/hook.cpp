#include "copy/hook.h"

#include "pg/pg.h"

extern "C" {
#include "access/xact.h"
#include "tcop/cmdtag.h"
#include "tcop/utility.h"
}

#include "copy/statement.h"

namespace mr {

static ProcessUtility_hook_type next_hook = nullptr;

/* What standard_ProcessUtility() does around a CopyStmt. */
static void run_copy(PlannedStmt* pstmt, const char* query, bool read_only_tree, QueryEnvironment* environment,
                     QueryCompletion* qc) {
  check_stack_depth();
  if (read_only_tree) pstmt = static_cast<PlannedStmt*>(copyObjectImpl(pstmt));
  ParseState* pstate = make_parsestate(nullptr);
  pstate->p_sourcetext = query;
  pstate->p_queryEnv = environment;
  uint64 processed = copy_statement_run(pstate, castNode(CopyStmt, pstmt->utilityStmt));
  if (qc != nullptr) SetQueryCompletion(qc, CMDTAG_COPY, processed);
  free_parsestate(pstate);
  CommandCounterIncrement();
}

static void process_utility(PlannedStmt* pstmt, const char* query, bool read_only_tree, ProcessUtilityContext context,
                            ParamListInfo params, QueryEnvironment* environment, DestReceiver* dest,
                            QueryCompletion* qc) {
  if (copy_statement_is_ours(pstmt->utilityStmt))
    run_copy(pstmt, query, read_only_tree, environment, qc);
  else if (next_hook != nullptr)
    next_hook(pstmt, query, read_only_tree, context, params, environment, dest, qc);
  else
    standard_ProcessUtility(pstmt, query, read_only_tree, context, params, environment, dest, qc);
}

void init_copy() {
  next_hook = ProcessUtility_hook;
  ProcessUtility_hook = process_utility;
}

}  // namespace mr
