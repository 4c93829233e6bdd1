#include "copy/loader.h"

extern "C" {
#include "access/tableam.h"
#include "access/xact.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

#include "pg/compat.h"

namespace mr {

/* Insert options, with the checks of COPY FREEZE; mirrors that part of CopyFrom(). */
static int insert_options(CopyFromState cstate) {
  Relation rel = cstate->rel;
  int options = 0;
  if (RELKIND_HAS_STORAGE(rel->rd_rel->relkind) &&
      (rel->rd_createSubid != InvalidSubTransactionId || MR_FIRST_STORAGE_SUBID(rel) != InvalidSubTransactionId))
    options |= TABLE_INSERT_SKIP_FSM;
  if (!cstate->opts.freeze) return options;
  if (rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("cannot perform COPY FREEZE on a partitioned table")));
  InvalidateCatalogSnapshot();
  if (!ThereAreNoPriorRegisteredSnapshots() || !ThereAreNoReadyPortals())
    ereport(ERROR, (errcode(ERRCODE_INVALID_TRANSACTION_STATE),
                    errmsg("cannot perform COPY FREEZE because of prior transaction activity")));
  if (rel->rd_createSubid != GetCurrentSubTransactionId() &&
      MR_NEW_STORAGE_SUBID(rel) != GetCurrentSubTransactionId())
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("cannot perform COPY FREEZE because the table was not created or truncated in the "
                           "current subtransaction")));
  return options | TABLE_INSERT_FROZEN;
}

static void open_target(Loader* loader) {
  CopyFromState cstate = loader->cstate;
  EState* estate = loader->estate;
  mr_ExecInitRangeTable(estate, cstate);
  ResultRelInfo* rri = loader->rri = makeNode(ResultRelInfo);
  ExecInitResultRelation(estate, rri, 1);
  mr_CheckValidResultRel(rri);
  ExecOpenIndices(rri, false);

  ModifyTableState* mtstate = loader->mtstate = makeNode(ModifyTableState);
  mtstate->ps.plan = nullptr;
  mtstate->ps.state = estate;
  mtstate->operation = CMD_INSERT;
  mtstate->mt_nrels = 1;
  mtstate->resultRelInfo = rri;
  mtstate->rootResultRelInfo = rri;

  AfterTriggerBeginQuery();
  cstate->transition_capture = mtstate->mt_transition_capture =
      MakeTransitionCaptureState(cstate->rel->trigdesc, RelationGetRelid(cstate->rel), CMD_INSERT);
  if (cstate->whereClause != nullptr)
    cstate->qualexpr = ExecInitQual(castNode(List, cstate->whereClause), &mtstate->ps);
}

/* What must be evaluated row by row. Constraints of a partitioned table are the partitions'. */
static void plan_row_work(Loader* loader) {
  CopyFromState cstate = loader->cstate;
  Relation rel = cstate->rel;
  const TupleConstr* constr = RelationGetDescr(rel)->constr;
  for (int i = 0; i < cstate->num_defaults; i++)
    loader->row_defaults |= !IsA(mr_default_expr(cstate, i)->expr, Const);
  loader->has_checks = loader->router == nullptr && (constr != nullptr || rel->rd_rel->relispartition);
  bool expressions = constr != nullptr && (constr->num_check > 0 || constr->has_generated_stored);
  loader->every_row = loader->router != nullptr || cstate->whereClause != nullptr || expressions ||
                      rel->rd_rel->relispartition || loader->row_defaults;
}

/* Rows of a batch while the text buffer is not at its full size. A row has at least a byte a field. */
static uint32 rows_for_text(const Loader* loader) {
  uint32 capacity = loader->buffer->capacity;
  if (capacity == kFullText) return kFlushRows;
  return Min(capacity == kSmallText ? 64u : 256u, capacity / list_length(loader->cstate->attnumlist) + 1);
}

void loader_prepare_batches(Loader* loader) {
  if (loader->batch != nullptr && loader->batch_text == loader->buffer->capacity) return;
  MemoryContext old = MemoryContextSwitchTo(loader->cstate->copycontext);
  Batch* batch = loader->batch = batch_create(loader->cstate, rows_for_text(loader));
  loader->former = tuple_former_create(RelationGetDescr(loader->cstate->rel), batch->capacity);
  loader->lineno = static_cast<uint64*>(palloc(batch->capacity * sizeof(uint64)));
  loader->batch_text = loader->buffer->capacity;
  if (loader->reader == nullptr) loader->reader = field_reader_create(loader->buffer, batch->nfields);
  MemoryContextSwitchTo(old);
}

Loader* loader_create(CopyFromState cstate) {
  MemoryContext old = MemoryContextSwitchTo(cstate->copycontext);
  Relation rel = cstate->rel;
  Loader* loader = static_cast<Loader*>(palloc0(sizeof(Loader)));
  loader->cstate = cstate;
  loader->context_row = kNoRow;
  loader->top_up = -1;
  loader->estate = CreateExecutorState();
  loader->cid = GetCurrentCommandId(true);
  loader->options = insert_options(cstate);
  open_target(loader);
  if (rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
    loader->router = router_create(cstate, loader->mtstate, loader->cid, loader->options);
  else
    loader->core = core_sink_create(cstate, loader->estate, loader->rri, loader->cid, loader->options);
  loader->slot = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
  loader->buffer = text_buffer_create(cstate);
  int natts = RelationGetDescr(rel)->natts;
  loader->values = static_cast<Datum*>(palloc(natts * sizeof(Datum)));
  loader->nulls = static_cast<bool*>(palloc(natts * sizeof(bool)));
  plan_row_work(loader);
  loader->econtext = GetPerTupleExprContext(loader->estate);
  loader->batch_context = AllocSetContextCreate(CurrentMemoryContext, "millrace batch", ALLOCSET_DEFAULT_SIZES);
  MemoryContextSwitchTo(old);
  return loader;
}

void loader_finish(Loader* loader) {
  EState* estate = loader->estate;
  ExecASInsertTriggers(estate, loader->rri, loader->cstate->transition_capture);
  AfterTriggerEndQuery(estate);
  ExecResetTupleTable(estate->es_tupleTable, false);
  if (loader->router != nullptr)
    router_finish(loader->router);
  else
    core_sink_finish(loader->core);
  ExecDropSingleTupleTableSlot(loader->slot);
  ExecCloseResultRelations(estate);
  ExecCloseRangeTableRelations(estate);
  FreeExecutorState(estate);
}

}  // namespace mr
