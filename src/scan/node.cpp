/*
 * node.cpp: the Custom Scan (MillraceAgg) as core's executor sees it: begin, fetch, rescan, end.
 *
 * The plan is a CustomScan with core's SeqScan as its outer child, which is never
 * asked for a tuple: it holds the relation, its parallel scan and its place in
 * EXPLAIN; or with core's Append over feeds (feed.h). Core's Agg and Sort, without
 * their children, are in custom_plans (shape.h).
 */
#include "scan/node.h"

extern "C" {
#include "access/parallel.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "utils/acl.h"
#include "utils/memutils.h"
}

#include "pg/compat_scan.h"
#include "scan/feed.h"
#include "scan/hook.h"
#include "scan/once.h"

namespace mr {

static ScanNode* as_node(CustomScanState* css) { return reinterpret_cast<ScanNode*>(css); }

static void begin_node(CustomScanState* css, EState* estate, int eflags);
static TupleTableSlot* exec_node(CustomScanState* css);
static void end_node(CustomScanState* css);
static void rescan_node(CustomScanState* css);
static void shutdown_node(CustomScanState* css);

static const CustomExecMethods kExecMethods = {"MillraceAgg", begin_node, exec_node, end_node, rescan_node, nullptr,
                                               nullptr,       nullptr,    nullptr,   nullptr,  nullptr,     shutdown_node,
                                               node_explain};

ScanNode* node_make(const CustomExecMethods* methods) {
  ScanNode* node = static_cast<ScanNode*>(palloc(sizeof(ScanNode)));
  memset(static_cast<void*>(node), 0, offsetof(ScanNode, batch));
  node->batch.n = node->batch.n_pins = 0;
  NodeSetTag(node, T_CustomScanState);
  node->css.methods = methods;
  return node;
}

static Node* create_state(CustomScan*) { return reinterpret_cast<Node*>(node_make(&kExecMethods)); }

const CustomScanMethods kScanMethods = {"MillraceAgg", create_state};

bool node_may_execute(const Program* p) {
  const Oid user = GetUserId();
  ListCell* cell;
  foreach (cell, p->functions)
    if (mr_function_aclcheck(lfirst_oid(cell), user) != ACLCHECK_OK) return false;
  for (int i = 0; i < p->n_results; i++)
    if (mr_function_aclcheck(p->results[i].aggref->aggfnoid, user) != ACLCHECK_OK) return false;
  return true;
}

static AggState* fake_agg_state(MemoryContext context) {
  AggState* fake = makeNode(AggState);
  fake->curaggcontext = makeNode(ExprContext);
  fake->curaggcontext->ecxt_per_tuple_memory = context;
  return fake;
}

/*
 * Where little is done to a batch it had better stay, with its pages, in the first-level cache (sum of an int over 8 M rows: 17 ms
 * of CPU, 26 with full batches); where much is done what a batch costs by itself counts for more.
 */
static int rows_in_batch(const ScanNode* node) {
  const Program* p = &node->program;
  const bool is_light = p->n_keys == 0 && p->n_predicates == 0 && p->residual == NIL && !p->by_row && p->n_transitions <= 2 &&
                        node->all_columns.n_fixed == node->all_columns.last;
  return is_light ? kBatchRows / 2 : kBatchRows;
}

/* Vector number i of those that head and what feeds it share. */
static Vector* shared_vector(ScanNode* head, int i) {
  if (i < list_length(head->vectors)) return static_cast<Vector*>(list_nth(head->vectors, i));
  Vector* v = static_cast<Vector*>(palloc(sizeof(Vector)));
  vector_init(v);
  head->vectors = lappend(head->vectors, v);
  return v;
}

static void init_columns(ScanNode* node, ScanNode* head, Relation rel) {
  Program* p = &node->program;
  int n = 0;
  node->columns = static_cast<Vector**>(palloc0(sizeof(Vector*) * (p->n_attributes + 1)));
  Vector** filter = static_cast<Vector**>(palloc0(sizeof(Vector*) * (p->n_attributes + 1)));
  for (int attno = 1; attno <= p->n_attributes; attno++) {
    if (!p->used[attno]) continue;
    Vector* v = shared_vector(head, n++);
    node->columns[attno] = v;
    if (p->used_by_filter[attno]) filter[attno] = v;
  }
  if (head->spare == nullptr) head->spare = static_cast<Datum*>(palloc0(sizeof(Datum) * kBatchRows));
  /* Two steps when the filter's columns are had without a walk, or when it lets little pass. */
  deformer_init(&node->filter_columns, RelationGetDescr(rel), filter);
  const double rows = rel->rd_rel->reltuples;
  node->two_steps = p->n_predicates > 0 && (node->filter_columns.n_fixed == node->filter_columns.last ||
                                            outerPlan(node->css.ss.ps.plan)->plan_rows < 0.3 * rows);
  deformer_init(&node->all_columns, RelationGetDescr(rel), node->columns);
  node->batch.most = rows_in_batch(node);
  /* Where little is done processors fetch ahead better by themselves (sum of an int: 5.9 ms, 6.5 with hints). */
  node->brings_upcoming = node->batch.most == kBatchRows;
}

static void init_transitions(ScanNode* node) {
  Program* p = &node->program;
  for (int i = 0; i < p->n_transitions; i++) {
    Transition* t = &p->transitions[i].t;
    t->shared = &node->shared;
    t->call = static_cast<FunctionCallInfo>(palloc0(SizeForFunctionCallInfo(t->n_args + 1)));
    InitFunctionCallInfoData(*t->call, &t->transfn_info, t->n_args + 1, t->aggref->inputcollid,
                             reinterpret_cast<Node*>(node->shared.fake), nullptr);
  }
}

static void init_filters(ScanNode* node) {
  Program* p = &node->program;
  for (int i = 0; i < p->n_transitions; i++) {
    TransitionPlan* plan = &p->transitions[i];
    if (plan->filter_predicate != nullptr)
      predicate_bind(plan->filter_predicate, node->columns, &node->css.ss.ps);
    if (plan->filter != nullptr) plan->filter_state = ExecInitExpr(plan->filter, &node->css.ss.ps);
  }
}

void node_init_reading(ScanNode* node, ScanNode* head, Relation rel) {
  Program* p = &node->program;
  init_columns(node, head, rel);
  for (int i = 0; i < p->n_predicates; i++) predicate_bind(p->predicates[i], node->columns, &node->css.ss.ps);
  compute_bind(&p->filter_compute, node->columns, &node->css.ss.ps);
  compute_bind(&p->compute, node->columns, &node->css.ss.ps);
  if (p->filter_compute.n > 0) node->quals = ExecInitQual(outerPlan(node->css.ss.ps.plan)->qual, &node->css.ss.ps);
  if (p->residual != NIL) node->residual = ExecInitQual(p->residual, &node->css.ss.ps);
  if (node != head) init_transitions(node);
  init_filters(node);
  node->row = mr_ExecAllocTableSlot(&node->css.ss.ps.state->es_tupleTable, RelationGetDescr(rel), &TTSOpsVirtual);
  for (int i = 0; i < RelationGetDescr(rel)->natts; i++) {
    node->row->tts_values[i] = 0;
    node->row->tts_isnull[i] = true;
  }
}

void node_init_rows(ScanNode* node) {
  Program* p = &node->program;
  node->columns = static_cast<Vector**>(palloc0(sizeof(Vector*) * (p->n_attributes + 1)));
  for (int attno = 1; attno <= p->n_attributes; attno++) {
    if (!p->used[attno]) continue;
    node->columns[attno] = static_cast<Vector*>(palloc0(sizeof(Vector)));
    node->columns[attno]->values = static_cast<Datum*>(palloc0(sizeof(Datum)));
    node->columns[attno]->nulls = static_cast<uint8*>(palloc0(1));
    node->columns[attno]->has_nulls = true;
  }
  for (int i = 0; i < p->n_transitions; i++)
    if (p->transitions[i].filter != nullptr)
      p->transitions[i].filter_state = ExecInitExpr(p->transitions[i].filter, &node->css.ss.ps);
}

static void init_execution(ScanNode* node, EState* estate) {
  AggShared* shared = &node->shared;
  shared->states = AllocSetContextCreate(estate->es_query_cxt, "millrace aggregates", ALLOCSET_DEFAULT_SIZES);
  shared->scratch = AllocSetContextCreate(estate->es_query_cxt, "millrace scratch", ALLOCSET_DEFAULT_SIZES);
  shared->fake = fake_agg_state(shared->states);
  shared->fake_final = fake_agg_state(node->css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);
  init_transitions(node);
  node->leave_refused = node->shape.sort != nullptr;
  order_init(&node->order, &node->program, &node->shape);
  if (node->shape.append != nullptr)
    node_init_rows(node);
  else
    node_init_reading(node, node, castNode(SeqScanState, outerPlanState(node))->ss.ss_currentRelation);
  node_reset_states(node);
}

static const char* compile(ScanNode* node) {
  const Shape* shape = &node->shape;
  if (shape->append == nullptr) {
    Relation rel = castNode(SeqScanState, outerPlanState(node))->ss.ss_currentRelation;
    return program_compile(&node->program, shape->agg, castNode(SeqScan, linitial(shape->scans)),
                           RelationGetNumberOfAttributes(rel), shape->parallel);
  }
  /* Also says what becomes of the states. */
  const char* reason = program_compile(&node->program, shape->agg, shape_append_rows(shape),
                                       list_length(shape->append->plan.targetlist), shape->parallel);
  return reason != nullptr ? reason : feeds_compile(node);
}

/* Projection and HAVING once more, without compilation, where they are for so few groups that it cannot pay. */
static void init_results(CustomScanState* css, EState* estate) {
  constexpr double kMostUncompiled = 10000;
  PlanState* ps = &css->ss.ps;
  if (!(estate->es_jit_flags & PGJIT_PERFORM) || ps->plan->plan_rows > kMostUncompiled) return;
  ps->subPlan = NIL; /* subplans would be listed twice else */
  const int flags = jit_pause(estate);
  ExecAssignScanProjectionInfoWithVarno(&css->ss, INDEX_VAR);
  ps->qual = ExecInitQual(ps->plan->qual, ps);
  jit_go_on(estate, flags);
}

static void begin_node(CustomScanState* css, EState* estate, int eflags) {
  ScanNode* node = as_node(css);
  CustomScan* scan = castNode(CustomScan, css->ss.ps.plan);
  shape_recall(scan, &node->shape);
  node->eflags = eflags;
  /* Reasons that can only be known now. Core's Agg then gives the right answer or the right error. */
  if (!execution_is_ours(estate) || object_access_hook != nullptr) return node_leave_to_core(node);
  outerPlanState(css) = node->shape.append != nullptr ? ExecInitNode(outerPlan(scan), estate, eflags)
                                                      : init_unasked(outerPlan(scan), estate, eflags);
  if (compile(node) != nullptr || !node_may_execute(&node->program)) return node_leave_to_core(node);
  init_results(css, estate);
  init_execution(node, estate);
}

void node_leave_to_core(ScanNode* node) {
  EState* estate = node->css.ss.ps.state;
  if (node->started) reader_stop(&node->reader, &node->batch);
  if (outerPlanState(node) != nullptr) {
    ExecEndNode(outerPlanState(node));
    outerPlanState(node) = nullptr;
  }
  if (node->shared.states != nullptr) MemoryContextReset(node->shared.states);
  MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
  node->core = ExecInitNode(shape_core_plan(&node->shape), estate, node->eflags);
  node->css.custom_ps = list_make1(node->core);
  node->css.ss.ps.subPlan = NIL; /* those of HAVING and the target list are the core node's now: walks would meet them twice */
  MemoryContextSwitchTo(old);
}

void node_reset_states(ScanNode* node) {
  Program* p = &node->program;
  MemoryContextReset(node->shared.states);
  node->next = 0;
  node->ready = false;
  if (p->n_keys > 0) {
    node->groups.n_keys = p->n_keys;
    node->groups.keys = p->keys;
    node->groups.state_bytes = p->state_bytes;
    groups_init(&node->groups, node->shared.states, node->shared.scratch);
    return;
  }
  node->groups.n_groups = p->plain ? 1 : 0;
  char* raw = static_cast<char*>(MemoryContextAllocZero(node->shared.states, p->state_bytes + 16));
  node->plain = reinterpret_cast<char*>(TYPEALIGN(16, raw));
  for (int i = 0; i < p->n_transitions; i++) {
    Transition* t = &p->transitions[i].t;
    if (t->ops->init != nullptr) t->ops->init(t, node->plain + t->offset);
  }
}

/* finalize_aggregate() or finalize_partialaggregate(). */
static Datum result_value(ScanNode* node, Result* result, char* states, bool* isnull) {
  Transition* t = &node->program.transitions[result->transition].t;
  AggState* fake = node->shared.fake_final;
  Datum value = t->ops->result(t, states + t->offset, isnull);
  if (result->partial) {
    if (*isnull || t->ops->serialized || !OidIsValid(t->serialfn)) return value;
    FmgrInfo serialize;
    fmgr_info(t->serialfn, &serialize);
    LOCAL_FCINFO(call, 1);
    InitFunctionCallInfoData(*call, &serialize, 1, InvalidOid, reinterpret_cast<Node*>(fake), nullptr);
    call->args[0].value = value;
    call->args[0].isnull = false;
    value = FunctionCallInvoke(call);
    *isnull = call->isnull;
    return value;
  }
  if (t->ops->serialized && !*isnull) {
    FmgrInfo deserialize;
    fmgr_info(t->deserialfn, &deserialize);
    LOCAL_FCINFO(call, 2);
    InitFunctionCallInfoData(*call, &deserialize, 2, InvalidOid, reinterpret_cast<Node*>(fake), nullptr);
    call->args[0].value = value;
    call->args[0].isnull = false;
    call->args[1].value = 0;
    call->args[1].isnull = false;
    value = FunctionCallInvoke(call);
    *isnull = call->isnull;
  }
  if (!OidIsValid(result->finalfn.fn_oid)) return value;
  LOCAL_FCINFO(call, FUNC_MAX_ARGS);
  InitFunctionCallInfoData(*call, &result->finalfn, result->n_final_args, t->aggref->inputcollid,
                           reinterpret_cast<Node*>(fake), nullptr);
  bool any_null = *isnull;
  call->args[0].value = value;
  call->args[0].isnull = *isnull;
  for (int i = 1; i < result->n_final_args; i++) {
    call->args[i].value = 0;
    call->args[i].isnull = true;
    any_null = true;
  }
  if (any_null && result->finalfn.fn_strict) {
    *isnull = true;
    return 0;
  }
  value = FunctionCallInvoke(call);
  *isnull = call->isnull;
  return value;
}

/* The scan tuple: group keys, then aggregates, as in custom_scan_tlist. */
static TupleTableSlot* load_group(ScanNode* node, uint32 group) {
  Program* p = &node->program;
  TupleTableSlot* slot = node->css.ss.ss_ScanTupleSlot;
  ExprContext* econtext = node->css.ss.ps.ps_ExprContext;
  ExecClearTuple(slot);
  char* states = node->plain;
  if (p->n_keys > 0) {
    GroupTable* groups = &node->groups;
    states = groups->states + group * groups->state_bytes;
    for (int j = 0; j < p->n_keys; j++) {
      slot->tts_values[j] = groups->values[static_cast<size_t>(group) * p->n_keys + j];
      slot->tts_isnull[j] = (groups->nulls[group] >> j & 1) != 0;
    }
  }
  MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
  for (int i = 0; i < p->n_results; i++)
    slot->tts_values[p->n_keys + i] =
        result_value(node, &p->results[i], states, &slot->tts_isnull[p->n_keys + i]);
  MemoryContextSwitchTo(old);
  return ExecStoreVirtualTuple(slot);
}

static TupleTableSlot* next_group(ScanNode* node) {
  ExprContext* econtext = node->css.ss.ps.ps_ExprContext;
  ProjectionInfo* projection = node->css.ss.ps.ps_ProjInfo;
  while (node->next < node->groups.n_groups) {
    CHECK_FOR_INTERRUPTS();
    ResetExprContext(econtext);
    const uint32 at = node->next++;
    econtext->ecxt_scantuple = load_group(node, node->order.n > 0 ? node->order.groups[at] : at);
    if (!ExecQual(node->css.ss.ps.qual, econtext)) {
      InstrCountFiltered1(&node->css, 1);
      continue;
    }
    return projection != nullptr ? ExecProject(projection) : econtext->ecxt_scantuple;
  }
  return nullptr;
}

/* Groups until they can be handed out. False: it is core's turn. */
static bool aggregate(ScanNode* node) {
  const Progress progress = node->shape.append != nullptr ? feeds_aggregate(node) : node_aggregate(node);
  if (progress == Progress::kRefused) return false;
  if (progress == Progress::kFull && !node->program.partial) return false;
  return node->order.n == 0 || order_groups(&node->order, &node->groups);
}

/*
 * Who reads our rows was made to take them from a virtual slot, which nothing has to be taken out of. An Agg's are that too, but not
 * the minimal tuples of a Unique.
 */
static TupleTableSlot* core_row(ScanNode* node) {
  TupleTableSlot* slot = ExecProcNode(node->core);
  if (!TupIsNull(slot)) slot_getallattrs(slot);
  return slot;
}

static TupleTableSlot* exec_node(CustomScanState* css) {
  ScanNode* node = as_node(css);
  for (;;) {
    if (node->core != nullptr) return core_row(node);
    if (node->ready) {
      TupleTableSlot* slot = next_group(node);
      if (slot != nullptr) return slot;
      if (node->read_all) return nullptr;
      node_reset_states(node); /* a full table has been handed out */
      node->flushes++;
    }
    if (aggregate(node))
      node->ready = true;
    else
      node_leave_to_core(node);
  }
}

static void end_node(CustomScanState* css) {
  ScanNode* node = as_node(css);
  if (node->core != nullptr) {
    ExecEndNode(node->core);
    return;
  }
  if (node->started) reader_stop(&node->reader, &node->batch);
  ExecEndNode(outerPlanState(css));
}

static void forget_counters(PlanState* state) {
  auto* instrument = state->instrument;
  if (instrument != nullptr) memset(instrument, 0, sizeof(*instrument));
}

/*
 * A worker now adds what each node counted to what is known by its number in the plan. Core's Agg has this node's number, and
 * its Sort has its child's (shape_core_plan()).
 */
static void shutdown_node(CustomScanState* css) {
  ScanNode* node = as_node(css);
  if (node->core == nullptr || !IsParallelWorker()) return;
  forget_counters(&css->ss.ps);
  if (node->shape.sort != nullptr) forget_counters(outerPlanState(node->core));
}

void node_restart_reading(ScanNode* node) {
  if (node->started) reader_stop(&node->reader, &node->batch);
  Program* p = &node->program;
  for (int i = 0; i < p->n_predicates; i++) predicate_reset(p->predicates[i]);
  for (int i = 0; i < p->n_transitions; i++)
    if (p->transitions[i].filter_predicate != nullptr) predicate_reset(p->transitions[i].filter_predicate);
  compute_reset(&p->filter_compute);
  compute_reset(&p->compute);
  node->started = node->read_all = false;
}

static void rescan_node(CustomScanState* css) {
  ScanNode* node = as_node(css);
  ExecClearTuple(css->ss.ss_ScanTupleSlot);
  if (node->core != nullptr) {
    if (css->ss.ps.chgParam != nullptr) UpdateChangedParamSet(node->core, css->ss.ps.chgParam);
    ExecReScan(node->core);
    return;
  }
  if (css->ss.ps.chgParam == nullptr && node->ready && node->read_all && node->flushes == 0 &&
      !node->program.partial) {
    node->next = 0; /* nothing the groups depend on has changed */
    return;
  }
  if (node->shape.append == nullptr) node_restart_reading(node);
  node->read_all = false;
  node->flushes = 0;
  node_reset_states(node);
  ExecReScan(outerPlanState(css));
}

}  // namespace mr
