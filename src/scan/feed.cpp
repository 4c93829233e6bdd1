/*
 * feed.cpp: aggregates over Append: inherited and partitioned tables, UNION ALL.
 *
 * One feed runs at a time in a process. While it does, the groups and states are its own: they
 * are lent to it and taken back (lend(), take_back()). So the loop of aggregate.cpp knows
 * nothing of feeds.
 */
#include "scan/feed.h"

extern "C" {
#include "executor/executor.h"
#include "executor/instrument.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
}

#include "scan/once.h"

namespace mr {

static ScanNode* as_feed(CustomScanState* css) { return reinterpret_cast<ScanNode*>(css); }

static void begin_feed(CustomScanState* css, EState* estate, int eflags) {
  outerPlanState(css) = init_unasked(outerPlan(css->ss.ps.plan), estate, eflags);
}

static Relation relation_of(const ScanNode* feed) {
  return castNode(SeqScanState, outerPlanState(feed))->ss.ss_currentRelation;
}

static const char* compile_feed(ScanNode* feed) {
  ScanNode* head = feed->head;
  SeqScan* scan = castNode(SeqScan, outerPlanState(feed)->plan);
  const char* reason =
      program_compile(&feed->program, head->shape.agg, scan, RelationGetNumberOfAttributes(relation_of(feed)),
                      head->shape.parallel);
  if (reason == nullptr) reason = order_check(&feed->program, &head->shape);
  if (reason == nullptr && !programs_agree(&head->program, &feed->program))
    reason = "scans of different kinds";
  if (reason == nullptr && !node_may_execute(&feed->program)) reason = "EXECUTE privilege";
  if (reason == nullptr) feed->stage = FeedStage::kCompiled;
  return reason;
}

/* Sets a feed up for execution. False: it turns out to be core's. */
static bool prepare(ScanNode* feed) {
  ScanNode* head = feed->head;
  MemoryContext old = MemoryContextSwitchTo(feed->css.ss.ps.state->es_query_cxt);
  const bool ours = feed->stage >= FeedStage::kCompiled || compile_feed(feed) == nullptr;
  if (ours && feed->stage == FeedStage::kCompiled) {
    feed->shared = head->shared;
    feed->leave_refused = head->leave_refused;
    node_init_reading(feed, head, relation_of(feed));
    feed->stage = FeedStage::kReady;
  }
  MemoryContextSwitchTo(old);
  return ours;
}

static void lend(ScanNode* feed) {
  feed->groups = feed->head->groups;
  feed->plain = feed->head->plain;
  feed->spare = feed->head->spare;
}

static void take_back(ScanNode* feed) {
  feed->head->groups = feed->groups;
  feed->head->spare = feed->spare;
}

static Progress read_on(ScanNode* feed) {
  if (!feed->started) {
    auto* instrument = outerPlanState(feed)->instrument;
    if (instrument != nullptr) InstrStartNode(instrument);
    feed->read_all = !node_start_reading(feed);
    if (instrument != nullptr) InstrStopNode(instrument, 0);
    if (feed->read_all) return Progress::kReadAll;
  }
  if (!prepare(feed)) return Progress::kRefused;
  lend(feed);
  const Progress progress = node_aggregate(feed);
  take_back(feed);
  return progress;
}

/* Rows in EXPLAIN ANALYZE are those of the relation, though none is handed up. */
static void count_rows(ScanNode* feed, double rows) {
  feed->css.ss.ps.instrument->tuplecount += rows;
  ListCell* cell;
  foreach (cell, feed->above) static_cast<PlanState*>(lfirst(cell))->instrument->tuplecount += rows;
}

static TupleTableSlot* exec_feed(CustomScanState* css) {
  ScanNode* feed = as_feed(css);
  TupleTableSlot* slot = css->ss.ss_ScanTupleSlot;
  if (feed->read_all) return ExecClearTuple(slot);
  auto* instrument = outerPlanState(css)->instrument;
  const double before = instrument != nullptr ? instrument->tuplecount : 0;
  const Progress progress = read_on(feed);
  const bool done = progress == Progress::kReadAll;
  feed->head->progress = progress;
  feed->head->fed = !done; /* when done the Append goes on, perhaps to a row of something else */
  /* The empty row is counted by core. */
  if (instrument != nullptr) count_rows(feed, instrument->tuplecount - before - (done ? 0 : 1));
  return done ? ExecClearTuple(slot) : ExecStoreAllNullTuple(slot);
}

static void end_feed(CustomScanState* css) {
  ScanNode* feed = as_feed(css);
  if (feed->started) reader_stop(&feed->reader, &feed->batch);
  ExecEndNode(outerPlanState(css));
}

static void rescan_feed(CustomScanState* css) {
  node_restart_reading(as_feed(css));
  ExecReScan(outerPlanState(css));
}

static void explain_feed(CustomScanState* css, List* ancestors, ExplainState* es) {
  ScanNode* feed = as_feed(css);
  if (feed->stage == FeedStage::kNew && compile_feed(feed) != nullptr) return; /* core's, but not reached */
  explain_reading(feed, feed->head->shape.parallel, ancestors, es);
}

static const CustomExecMethods kExecMethods = {"MillraceFeed", begin_feed, exec_feed,   end_feed, rescan_feed,
                                               nullptr,        nullptr,    nullptr,     nullptr,  nullptr,
                                               nullptr,        nullptr,    explain_feed};

static Node* create_state(CustomScan*) { return reinterpret_cast<Node*>(node_make(&kExecMethods)); }

const CustomScanMethods kFeedMethods = {"MillraceFeed", create_state};

bool is_feed(const Plan* plan) {
  return IsA(plan, CustomScan) && reinterpret_cast<const CustomScan*>(plan)->methods == &kFeedMethods;
}

/* For EXPLAIN VERBOSE, and because the Append's own columns are named by those of its first child. */
static List* columns_of(const List* targetlist, int varno) {
  List* list = NIL;
  ListCell* cell;
  foreach (cell, targetlist) {
    TargetEntry* entry = flatCopyTargetEntry(castNode(TargetEntry, lfirst(cell)));
    Node* expr = reinterpret_cast<Node*>(entry->expr);
    entry->expr = reinterpret_cast<Expr*>(
        makeVar(varno, entry->resno, exprType(expr), exprTypmod(expr), exprCollation(expr), 0));
    list = lappend(list, entry);
  }
  return list;
}

Plan* feed_plan(SeqScan* scan, int plan_node_id) {
  CustomScan* feed = makeNode(CustomScan);
  Plan* plan = &feed->scan.plan;
  memcpy(plan, &scan->scan.plan, sizeof(Plan)); /* costs, rows, parallel safety, parameters */
  plan->type = T_CustomScan;
  plan->plan_node_id = plan_node_id;
  plan->parallel_aware = false; /* the SeqScan below shares what there is to share */
  plan->qual = NIL;
  plan->targetlist = columns_of(scan->scan.plan.targetlist, INDEX_VAR);
  plan->lefttree = &scan->scan.plan;
  feed->custom_scan_tlist = columns_of(scan->scan.plan.targetlist, OUTER_VAR);
  feed->methods = &kFeedMethods;
  return plan;
}

static void find_feeds(ScanNode* head, PlanState* state, List* above) {
  if (is_feed(state->plan)) {
    ScanNode* feed = reinterpret_cast<ScanNode*>(state);
    feed->head = head;
    feed->above = above;
    head->feeds = lappend(head->feeds, feed);
    return;
  }
  if (!IsA(state, AppendState)) return;
  AppendState* append = castNode(AppendState, state);
  above = lappend(list_copy(above), append);
  for (int i = 0; i < append->as_nplans; i++) find_feeds(head, append->appendplans[i], above);
}

bool feeds_are_alike(const Shape* shape, List* rtable) {
  /* When it turns out late that they are not, there is no way back once partial groups have been handed out.
   */
  if (shape->parallel || shape->agg->aggsplit != AGGSPLIT_SIMPLE) return false;
  int parent = -1;
  while ((parent = bms_next_member(shape->append->apprelids, parent)) >= 0)
    if (rt_fetch(parent, rtable)->rtekind != RTE_RELATION) return false;
  ListCell* cell;
  foreach (cell, shape->append->appendplans)
    if (IsA(lfirst(cell), Append)) return false;
  return shape->append->apprelids != nullptr;
}

const char* feeds_compile(ScanNode* head) {
  find_feeds(head, outerPlanState(head), NIL);
  const bool alike = feeds_are_alike(&head->shape, head->css.ss.ps.state->es_range_table);
  ListCell* cell;
  foreach (cell, head->feeds) {
    const char* reason = compile_feed(static_cast<ScanNode*>(lfirst(cell)));
    if (reason != nullptr) return reason;
    if (alike) break; /* for its functions' privileges, which core checks now */
  }
  return nullptr;
}

/* A row of a child that is no feed. */
static void add_row(ScanNode* head, TupleTableSlot* slot) {
  ExprContext* econtext = head->css.ss.ps.ps_ExprContext;
  const Program* p = &head->program;
  ResetExprContext(econtext);
  slot_getallattrs(slot);
  for (int attno = 1; attno <= p->n_attributes; attno++) {
    Vector* v = head->columns[attno];
    if (v == nullptr) continue;
    Form_pg_attribute att = TupleDescAttr(slot->tts_tupleDescriptor, attno - 1);
    v->nulls[0] = slot->tts_isnull[attno - 1];
    v->values[0] = v->nulls[0] ? 0
                               : canonical(slot->tts_values[attno - 1],
                                           att->attbyval ? att->attlen : static_cast<int>(sizeof(Datum)));
  }
  econtext->ecxt_outertuple = slot;
  node_one_row(head);
}

Progress feeds_aggregate(ScanNode* head) {
  Progress progress = Progress::kReadAll;
  for (uint32 rows = 1;; rows++) {
    head->fed = false;
    TupleTableSlot* slot = ExecProcNode(outerPlanState(head));
    if (TupIsNull(slot)) break;
    if (head->fed) {
      progress = head->progress;
      break;
    }
    add_row(head, slot);
    if (rows % 64 == 0 && node_is_full(head)) {
      progress = Progress::kFull;
      break;
    }
  }
  head->read_all = progress == Progress::kReadAll;
  return progress;
}

}  // namespace mr
