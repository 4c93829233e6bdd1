/*
 * scan_node.cpp: MillraceScan and MillraceTopN as core's executor sees them: begin, fetch, rescan, end, workers.
 *
 * The node scans its relation itself, with a slot like a SeqScan's and core's projection. Where
 * it may not do so, it is core's SeqScan: ExecScan() over table_scan_getnextslot(), EvalPlanQual and
 * backward scans included.
 */
#include "scan/scan_node.h"

extern "C" {
#include "access/tableam.h"
#include "executor/executor.h"
#include "utils/memutils.h"
}

#include "pg/compat_scan.h"
#include "scan/hook.h"
#include "scan/once.h"

namespace mr {

static FilterScan* as_scan(CustomScanState* css) { return reinterpret_cast<FilterScan*>(css); }

static TopN* make_topn(CustomScanState* css, EState* estate) {
  CustomScan* plan = castNode(CustomScan, css->ss.ps.plan);
  List* lists = plan->custom_private;
  TopN* topn = static_cast<TopN*>(palloc0(sizeof(TopN)));
  if (!topn_compile(topn, static_cast<List*>(list_nth(lists, kPrivateAttnos)),
                    static_cast<List*>(list_nth(lists, kPrivateOperators)),
                    static_cast<List*>(list_nth(lists, kPrivateCollations)),
                    static_cast<List*>(list_nth(lists, kPrivateNullsFirst)), css->ss.ss_currentRelation))
    return nullptr;
  topn->widest_rows = linitial_int(static_cast<List*>(list_nth(lists, kPrivateFlags))) != 0;
  topn->count = init_once(static_cast<Expr*>(linitial(plan->custom_exprs)), &css->ss.ps);
  if (list_length(plan->custom_exprs) > 1)
    topn->offset = init_once(static_cast<Expr*>(lsecond(plan->custom_exprs)), &css->ss.ps);
  topn->memory = AllocSetContextCreate(estate->es_query_cxt, "millrace top-n", ALLOCSET_DEFAULT_SIZES);
  return topn;
}

static void init_columns(FilterScan* scan, const bool* used) {
  TupleDesc desc = RelationGetDescr(scan->css.ss.ss_currentRelation);
  scan->columns = static_cast<Vector**>(palloc0(sizeof(Vector*) * (desc->natts + 1)));
  for (int attno = 1; attno <= desc->natts; attno++) {
    if (!used[attno]) continue;
    Vector* v = static_cast<Vector*>(palloc0(sizeof(Vector)));
    v->values = static_cast<Datum*>(palloc(sizeof(Datum) * kBatchRows));
    v->nulls = static_cast<uint8*>(palloc0(kBatchRows));
    scan->columns[attno] = v;
  }
  deformer_init(&scan->deformer, desc, scan->columns);
  /* Not zeroed, as the columns' values: that would be felt by a short LIMIT. */
  scan->batch = static_cast<RowBatch*>(palloc(sizeof(RowBatch)));
  scan->batch->n = scan->batch->n_pins = scan->batch->most = 0;
  for (int i = 0; i < scan->n_predicates; i++)
    predicate_bind(scan->predicates[i], scan->columns, &scan->css.ss.ps);
}

/* False: the plan no longer has what it was made for. */
static bool prepare(FilterScan* scan, EState* estate) {
  CustomScanState* css = &scan->css;
  CustomScan* plan = castNode(CustomScan, css->ss.ps.plan);
  List* quals = plan->scan.plan.qual;
  bool* used = static_cast<bool*>(palloc0(RelationGetNumberOfAttributes(css->ss.ss_currentRelation) + 1));
  scan->predicates = static_cast<Predicate**>(palloc0(sizeof(Predicate*) * (list_length(quals) + 1)));
  List* functions = NIL; /* core initializes all quals, and checks who may execute them */
  predicates_split(quals, used, scan->predicates, &scan->n_predicates, &scan->residual_quals, &functions);
  if (plan->methods == &kTopNMethods) {
    scan->topn = make_topn(css, estate);
    if (scan->topn == nullptr || scan->residual_quals != NIL) return false;
    used[scan->topn->keys[0].attno] = true;
  } else if (scan->n_predicates == 0) {
    return false;
  }
  init_columns(scan, used);
  return true;
}

static void begin_scan(CustomScanState* css, EState* estate, int eflags) {
  FilterScan* scan = as_scan(css);
  Relation rel = css->ss.ss_currentRelation;
  const bool may_turn_round = (eflags & (EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK)) != 0; /* a cursor */
  /*
   * ExecInitCustomScan() has made a virtual slot and expressions for it. Once more, for a heap
   * tuple's slot; subplans would be listed twice else.
   */
  css->ss.ps.subPlan = NIL;
  scan->by_core = may_turn_round || !execution_is_ours(estate) || !prepare(scan, estate);
  const bool for_few = !scan->by_core && scan->topn != nullptr;
  const int flags = for_few ? jit_pause(estate) : estate->es_jit_flags;
  mr_ExecInitScanTupleSlot(estate, &css->ss, RelationGetDescr(rel), table_slot_callbacks(rel));
  ExecAssignScanProjectionInfoWithVarno(&css->ss, castNode(CustomScan, css->ss.ps.plan)->scan.scanrelid);
  List* quals = scan->by_core ? css->ss.ps.plan->qual : scan->residual_quals;
  scan->residual = ExecInitQual(quals, &css->ss.ps);
  css->ss.ps.qual = scan->residual; /* ExecScan() looks here */
  jit_go_on(estate, flags);
}

static TupleTableSlot* core_next(ScanState* ss) {
  EState* estate = ss->ps.state;
  if (ss->ss_currentScanDesc == nullptr)
    ss->ss_currentScanDesc = mr_table_beginscan(ss->ss_currentRelation, estate->es_snapshot, 0, nullptr);
  if (table_scan_getnextslot(ss->ss_currentScanDesc, estate->es_direction, ss->ss_ScanTupleSlot))
    return ss->ss_ScanTupleSlot;
  return nullptr;
}

static bool core_recheck(ScanState* ss, TupleTableSlot* slot) { return true; }

static TupleTableSlot* exec_scan(CustomScanState* css) {
  FilterScan* scan = as_scan(css);
  if (scan->by_core) return ExecScan(&css->ss, core_next, core_recheck);
  TupleTableSlot* slot = next_row(scan);
  ProjectionInfo* projection = css->ss.ps.ps_ProjInfo;
  if (slot != nullptr) return projection != nullptr ? ExecProject(projection) : slot;
  ExecClearTuple(css->ss.ss_ScanTupleSlot);
  return projection != nullptr ? ExecClearTuple(projection->pi_state.resultslot) : nullptr;
}

static void end_scan(CustomScanState* css) {
  stop_reading(as_scan(css));
  if (css->ss.ss_currentScanDesc != nullptr) table_endscan(css->ss.ss_currentScanDesc);
}

static void rescan_scan(CustomScanState* css) {
  FilterScan* scan = as_scan(css);
  stop_reading(scan);
  for (int i = 0; i < scan->n_predicates; i++) predicate_reset(scan->predicates[i]);
  if (scan->topn != nullptr) topn_reset(scan->topn);
  if (css->ss.ss_currentScanDesc != nullptr) table_rescan(css->ss.ss_currentScanDesc, nullptr);
  ExecScanReScan(&css->ss);
}

/* Parallel scans, as nodeSeqscan.c. */

static Size estimate_shared(CustomScanState* css, ParallelContext* pcxt) {
  return table_parallelscan_estimate(css->ss.ss_currentRelation, css->ss.ps.state->es_snapshot);
}

static void init_shared(CustomScanState* css, ParallelContext* pcxt, void* shared) {
  ParallelTableScanDesc pscan = static_cast<ParallelTableScanDesc>(shared);
  table_parallelscan_initialize(css->ss.ss_currentRelation, pscan, css->ss.ps.state->es_snapshot);
  css->ss.ss_currentScanDesc = mr_table_beginscan_parallel(css->ss.ss_currentRelation, pscan);
}

static void reinit_shared(CustomScanState* css, ParallelContext* pcxt, void* shared) {
  table_parallelscan_reinitialize(css->ss.ss_currentRelation, static_cast<ParallelTableScanDesc>(shared));
}

static void init_worker(CustomScanState* css, shm_toc* toc, void* shared) {
  css->ss.ss_currentScanDesc =
      mr_table_beginscan_parallel(css->ss.ss_currentRelation, static_cast<ParallelTableScanDesc>(shared));
}

static const CustomExecMethods kFilterScanExec = {
    "MillraceScan", begin_scan, exec_scan,   end_scan,      rescan_scan, nullptr,            nullptr, estimate_shared,
    init_shared,    reinit_shared, init_worker, nullptr, filter_scan_explain};
static const CustomExecMethods kTopNExec = {
    "MillraceTopN", begin_scan, exec_scan,   end_scan,      rescan_scan, nullptr,            nullptr, estimate_shared,
    init_shared,    reinit_shared, init_worker, nullptr, filter_scan_explain};

static Node* create_state(CustomScan* plan) {
  FilterScan* scan = static_cast<FilterScan*>(palloc0(sizeof(FilterScan)));
  NodeSetTag(scan, T_CustomScanState);
  scan->css.methods = plan->methods == &kTopNMethods ? &kTopNExec : &kFilterScanExec;
  return reinterpret_cast<Node*>(scan);
}

const CustomScanMethods kFilterScanMethods = {"MillraceScan", create_state};
const CustomScanMethods kTopNMethods = {"MillraceTopN", create_state};

}  // namespace mr
