/*
 * aggregate.cpp: the loop over the table.
 *
 *   1. fill_batch()      visible tuples of a few pages, their columns taken out page by page
 *   2. filter_batch()    predicates; what passes is moved together, and its other columns taken out
 *   3. filter_residual() core's quals, row by row
 *   4. by_column()       group keys, then each aggregate down its column
 *      by_row()          or, where core must evaluate expressions: 3 and 4 row by row
 */
#include "scan/node.h"

extern "C" {
#include "access/tableam.h"
#include "executor/executor.h"
#include "utils/memutils.h"
}

#include "kernels/filter.h"
#include "pg/compat_scan.h"

namespace mr {

static const Vector* input_column(ScanNode* node, const Input* input) { return node->columns[input->attno]; }

/* The values of an input; scale and scales as in ArgVector. */
static const Vector* input_vector(ScanNode* node, const Input* input, int n, int* scale, const uint8** scales) {
  *scale = -1;
  *scales = nullptr;
  if (input->computed == nullptr) return input_column(node, input);
  if (input->wanted == Wanted::kDatum) return computed_datums(input->computed, node->css.ss.ps.ps_ExprContext, n);
  const Vector* v = computed_vector(input->computed, scale, scales);
  return v != nullptr ? v : input_column(node, input);
}

/* Moves the rows of the columns that are in bits together. Returns how many. */
static int narrow(ScanNode* node, const uint64* bits, int n) {
  const Deformer* d = &node->all_columns;
  const int m = count_rows(bits, n);
  if (m == n) return n;
  for (int i = 0; i < d->last; i++) {
    Vector* v = d->steps[i].to;
    if (v == nullptr) continue;
    /* Not in place: loads that overlap stores just made are slow. */
    mr_compress_i64(reinterpret_cast<int64*>(v->values), bits, n, reinterpret_cast<int64*>(node->spare));
    Datum* values = v->values;
    v->values = node->spare;
    node->spare = values;
    if (!v->has_nulls) continue;
    int to = 0;
    for (int row = 0; row < n; row++) {
      v->nulls[to] = v->nulls[row];
      to += bits[row / 64] >> (row % 64) & 1;
    }
  }
  return m;
}

/* Puts one row of the columns into the slot that core's expressions look at. */
static void load_row(ScanNode* node, int i) {
  TupleTableSlot* slot = node->row;
  ExecClearTuple(slot);
  for (int attno = 1; attno <= node->program.n_attributes; attno++) {
    const Vector* v = node->columns[attno];
    if (v == nullptr) continue;
    slot->tts_values[attno - 1] = v->values[i];
    slot->tts_isnull[attno - 1] = v->has_nulls && v->nulls[i];
  }
  ExecStoreVirtualTuple(slot);
  node->css.ss.ps.ps_ExprContext->ecxt_scantuple = slot;
}

/* The rows that core's own quals let pass, in row order. */
static int filter_residual(ScanNode* node, int n) {
  ExprContext* econtext = node->css.ss.ps.ps_ExprContext;
  uint64 bits[kMaskWords] = {};
  for (int i = 0; i < n; i++) {
    ResetExprContext(econtext);
    load_row(node, i);
    if (ExecQual(node->residual, econtext)) bits[i / 64] |= UINT64CONST(1) << (i % 64);
  }
  ResetExprContext(econtext);
  return narrow(node, bits, n);
}

/* The next batch, with the columns that are wanted first taken out. Each page while it is in the cache. */
static bool fill_batch(ScanNode* node) {
  RowBatch* batch = &node->batch;
  const Deformer* d = node->two_steps ? &node->filter_columns : &node->all_columns;
  deform_start(d);
  reader_release(batch);
  for (;;) {
    const int from = batch->n;
    const int n = reader_add_page(&node->reader, batch);
    if (n < 0) break;
    if (n > 0) deform(d, batch->tuples + from, from, n, node->brings_upcoming ? reader_upcoming(&node->reader) : nullptr);
  }
  return batch->n > 0;
}

/* Takes all columns of these tuples out, after those of the filter. */
static void deform_all(ScanNode* node, const HeapTupleHeader* tuples, int n) {
  deform_start(&node->all_columns);
  deform(&node->all_columns, tuples, 0, n, nullptr);
}

constexpr int kRefused = -1;

/*
 * Rows of the batch that pass the predicates; afterwards all columns are taken out. kRefused: core
 * must say for each row.
 */
static int filter_batch(ScanNode* node) {
  Program* p = &node->program;
  RowBatch* batch = &node->batch;
  const int n = batch->n;
  if (p->n_predicates == 0) return n;
  ExprContext* econtext = node->css.ss.ps.ps_ExprContext;
  uint64 bits[kMaskWords];
  mr_mask_fill(n, bits);
  compute_run(&p->filter_compute, econtext, n);
  if (!predicates_narrow(p->predicates, p->n_predicates, econtext, n, bits)) return kRefused;
  if (count_rows(bits, n) == 0) return 0;
  if (!node->two_steps) return narrow(node, bits, n);
  const int m = static_cast<int>(mr_compress_i64(reinterpret_cast<int64*>(batch->tuples), bits, n,
                                                 reinterpret_cast<int64*>(node->passed)));
  deform_all(node, node->passed, m);
  return m;
}

static void init_groups(ScanNode* node, uint32 from) {
  Program* p = &node->program;
  for (int i = 0; i < p->n_transitions; i++) {
    Transition* t = &p->transitions[i].t;
    if (t->ops->init == nullptr) continue;
    for (uint32 g = from; g < node->groups.n_groups; g++)
      t->ops->init(t, node->groups.states + g * node->groups.state_bytes + t->offset);
  }
}

static void assign_groups(ScanNode* node, const Vector* const* keys, int n, uint32* group) {
  const uint32 before = node->groups.n_groups;
  groups_assign(&node->groups, keys, n, group, n > 1 ? &node->reader : nullptr);
  if (node->groups.n_groups > before) init_groups(node, before);
}

static void advance(ScanNode* node, TransitionPlan* plan, const ArgVector* args, int n, const uint32* group) {
  Transition* t = &plan->t;
  if (group == nullptr)
    t->ops->plain(t, node->plain + t->offset, args, n);
  else
    t->ops->grouped(t, node->groups.states + t->offset, node->groups.state_bytes, group, args, n);
}

/* The rows that an aggregate's FILTER lets pass. */
static void filter_rows(ScanNode* node, TransitionPlan* plan, int n, uint64* passing) {
  Truth truth;
  if (plan->filter_predicate != nullptr) {
    predicate_eval(plan->filter_predicate, node->css.ss.ps.ps_ExprContext, n, nullptr, &truth);
    memcpy(passing, truth.yes, sizeof(truth.yes));
    return;
  }
  const Vector* v = computed_datums(plan->filter_computed, node->css.ss.ps.ps_ExprContext, n);
  memset(passing, 0, sizeof(truth.yes));
  for (int i = 0; i < n; i++) {
    const bool passes = DatumGetBool(v->values[i]) && !(v->has_nulls && v->nulls[i]);
    passing[i / 64] |= static_cast<uint64>(passes) << (i % 64);
  }
}

/* The argument vectors of a transition; rows its FILTER turns away become nulls, which all aggregates here pass over. */
static void find_args(ScanNode* node, TransitionPlan* plan, int n, ArgVector* args, uint8* nulls) {
  Transition* t = &plan->t;
  args[0] = {nullptr, nullptr, -1, nullptr};
  for (int j = 0; j < t->n_args; j++) {
    int scale;
    const uint8* scales;
    const Vector* v = input_vector(node, &plan->args[j], n, &scale, &scales);
    args[j] = {v->values, v->has_nulls ? v->nulls : nullptr, scale, scales};
  }
  if (plan->filter == nullptr) return;
  uint64 passing[kMaskWords];
  filter_rows(node, plan, n, passing);
  for (int i = 0; i < n; i++) {
    const bool passes = passing[i / 64] >> (i % 64) & 1;
    nulls[i] = !passes || (args[0].nulls != nullptr && args[0].nulls[i]);
  }
  args[0].nulls = nulls;
}

/* Rows of each group, four at a time into tables of their own: a count soon after another one to the same place waits. */
static void count_groups(const uint32* group, int n, uint32 n_groups, int64* counts) {
  int64 parts[4][kFewGroups] = {};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) parts[k][group[i + k]]++;
  for (; i < n; i++) parts[0][group[i]]++;
  for (uint32 g = 0; g < n_groups; g++) counts[g] = parts[0][g] + parts[1][g] + parts[2][g] + parts[3][g];
}

static bool any_bad(const Input* input, int n, const uint64* passing) {
  const uint64* bad = input->computed != nullptr ? computed_bad(input->computed) : nullptr;
  if (bad == nullptr) return false;
  for (int w = 0; w < (n + 63) / 64; w++)
    if ((bad[w] & (passing != nullptr ? passing[w] : ~UINT64CONST(0))) != 0) return true;
  return false;
}

/* Do all inputs have values for all rows where they are wanted? */
static bool inputs_are_known(ScanNode* node, int n) {
  Program* p = &node->program;
  for (int j = 0; j < p->n_keys; j++)
    if (any_bad(&p->key_inputs[j], n, nullptr)) return false;
  for (int i = 0; i < p->n_transitions; i++) {
    TransitionPlan* plan = &p->transitions[i];
    if (plan->filter_computed != nullptr && computed_bad(plan->filter_computed) != nullptr) return false;
    for (int j = 0; j < plan->t.n_args; j++) {
      if (!any_bad(&plan->args[j], n, nullptr)) continue;
      /* A parameter of the filter may be a subplan not run yet, with errors of its own. */
      if (plan->filter == nullptr || is_lazy(reinterpret_cast<Node*>(plan->filter), nullptr)) return false;
      uint64 passing[kMaskWords];
      filter_rows(node, plan, n, passing);
      if (any_bad(&plan->args[j], n, passing)) return false;
    }
  }
  return true;
}

static void by_column(ScanNode* node, int n) {
  Program* p = &node->program;
  int64 counts[kFewGroups];
  uint32 groups[kBatchRows];
  const uint32* group = nullptr;
  if (p->n_keys > 0) {
    const Vector* keys[kMaxGroupKeys];
    int scale;
    const uint8* scales;
    for (int j = 0; j < p->n_keys; j++) keys[j] = input_vector(node, &p->key_inputs[j], n, &scale, &scales);
    assign_groups(node, keys, n, groups);
    group = groups;
    node->shared.n_groups = node->groups.n_groups;
    node->shared.counts = nullptr;
    if (node->groups.n_groups <= kFewGroups) {
      count_groups(group, n, node->groups.n_groups, counts);
      node->shared.counts = counts;
    }
  }
  uint8 nulls[kBatchRows];
  ArgVector args[2];
  for (int i = 0; i < p->n_transitions; i++) {
    find_args(node, &p->transitions[i], n, args, nulls);
    advance(node, &p->transitions[i], args, n, group);
    reader_hint(&node->reader);
  }
}

static Datum input_value(ScanNode* node, Input* input, int row, bool* isnull) {
  if (input->attno > 0) {
    const Vector* v = input_column(node, input);
    *isnull = v->has_nulls && v->nulls[row];
    return v->values[row];
  }
  ExprContext* econtext = node->css.ss.ps.ps_ExprContext;
  if (input->state == nullptr) {
    MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_query_memory);
    input->state = ExecInitExpr(input->expr, &node->css.ss.ps);
    MemoryContextSwitchTo(old);
  }
  return canonical(ExecEvalExprSwitchContext(input->state, econtext, isnull), input->width);
}

/* One row as core does it: keys, then each aggregate's filter and arguments. */
static void one_row(ScanNode* node, int row) {
  Program* p = &node->program;
  uint32 group = 0;
  if (p->n_keys > 0) {
    Datum values[kMaxGroupKeys];
    uint8 nulls[kMaxGroupKeys];
    Vector vectors[kMaxGroupKeys];
    const Vector* keys[kMaxGroupKeys];
    for (int j = 0; j < p->n_keys; j++) {
      bool isnull;
      values[j] = input_value(node, &p->key_inputs[j], row, &isnull);
      nulls[j] = isnull;
      vectors[j] = {&values[j], &nulls[j], true};
      keys[j] = &vectors[j];
    }
    assign_groups(node, keys, 1, &group);
  }
  for (int i = 0; i < p->n_transitions; i++) {
    TransitionPlan* plan = &p->transitions[i];
    if (plan->filter != nullptr) {
      bool isnull;
      Datum passes =
          ExecEvalExprSwitchContext(plan->filter_state, node->css.ss.ps.ps_ExprContext, &isnull);
      if (isnull || !DatumGetBool(passes)) continue;
    }
    Datum values[2];
    uint8 nulls[2];
    ArgVector args[2] = {{nullptr, nullptr, -1, nullptr}};
    for (int j = 0; j < plan->t.n_args; j++) {
      bool isnull;
      values[j] = input_value(node, &plan->args[j], row, &isnull);
      nulls[j] = isnull;
      args[j] = {&values[j], &nulls[j], -1, nullptr};
    }
    advance(node, plan, args, 1, p->n_keys > 0 ? &group : nullptr);
  }
}

/* Without keys, there is a group as soon as there is a row. */
static void note_rows(ScanNode* node, int64 n) {
  if (n > 0 && node->program.n_keys == 0) node->groups.n_groups = 1;
}

void node_one_row(ScanNode* node) {
  one_row(node, 0);
  note_rows(node, 1);
}

/* Returns how many rows passed, by these quals. */
static int by_row(ScanNode* node, int n, ExprState* quals) {
  ExprContext* econtext = node->css.ss.ps.ps_ExprContext;
  node->shared.counts = nullptr;
  int passed = 0;
  for (int i = 0; i < n; i++) {
    ResetExprContext(econtext);
    if ((i & 63) == 0) CHECK_FOR_INTERRUPTS();
    load_row(node, i);
    if (quals != nullptr && !ExecQual(quals, econtext)) continue;
    passed++;
    one_row(node, i);
  }
  return passed;
}

/* Trying is of no use where every other batch has something unusual. */
static bool refuses_often(const ScanNode* node, int64 refusals) { return refusals > 8 && refusals > node->batches / 4; }

static void one_batch(ScanNode* node) {
  Program* p = &node->program;
  node->batches++;
  int n = refuses_often(node, node->filter_refusals) ? kRefused : filter_batch(node);
  const bool by_rows = p->by_row || refuses_often(node, node->refusals);
  if (n == kRefused) {
    node->filter_refusals++;
    if (node->leave_refused) return;
    if (node->two_steps) deform_all(node, node->batch.tuples, node->batch.n);
    n = by_row(node, node->batch.n, node->quals);
  } else if (n > 0 && !by_rows) {
    if (node->residual != nullptr) n = filter_residual(node, n);
    if (n > 0) {
      ResetExprContext(node->css.ss.ps.ps_ExprContext);
      compute_run(&p->compute, node->css.ss.ps.ps_ExprContext, n);
      if (inputs_are_known(node, n)) {
        by_column(node, n);
      } else if (node->leave_refused) {
        node->refusals++;
        return;
      } else {
        node->refusals++;
        by_row(node, n, nullptr);
      }
    }
  } else if (n > 0) {
    n = by_row(node, n, node->residual);
  }
  note_rows(node, n);
  ResetExprContext(node->css.ss.ps.ps_ExprContext);
  PlanState* child = outerPlanState(node);
  InstrCountFiltered1(child, node->batch.n - n);
  if (child->instrument != nullptr) child->instrument->tuplecount += n;
}

static void count_pages(ScanNode* node) {
  int64 total = 0;
  for (int n; (n = reader_count_page(&node->reader)) >= 0;) total += n;
  Program* p = &node->program;
  for (int i = 0; i < p->n_transitions; i++) {
    int64* state = reinterpret_cast<int64*>(node->plain + p->transitions[i].t.offset);
    *state += total;
  }
  note_rows(node, total);
  auto* instrument = outerPlanState(node)->instrument;
  if (instrument != nullptr) instrument->tuplecount += total;
}

bool node_start_reading(ScanNode* node) {
  SeqScanState* seq = castNode(SeqScanState, outerPlanState(node));
  /* Set already in parallel plans: ExecSeqScanInitializeDSM() and its kin. */
  if (seq->ss.ss_currentScanDesc == nullptr)
    seq->ss.ss_currentScanDesc =
        mr_table_beginscan(seq->ss.ss_currentRelation, node->css.ss.ps.state->es_snapshot, 0, nullptr);
  HeapScanDesc scan = reinterpret_cast<HeapScanDesc>(seq->ss.ss_currentScanDesc);
  reader_start(&node->reader, scan);
  node->started = true;
  return scan->rs_nblocks > 0;
}

bool node_is_full(ScanNode* node) {
  if (node->program.n_keys == 0) return false;
  return MemoryContextMemAllocated(node->shared.states, true) > get_hash_memory_limit();
}

static Progress aggregate(ScanNode* node) {
  if (!node->started && !node_start_reading(node)) return Progress::kReadAll;
  if (node->program.count_only) {
    count_pages(node);
    return Progress::kReadAll;
  }
  while (fill_batch(node)) {
    one_batch(node);
    if (node->leave_refused && node->refusals + node->filter_refusals > 0) return Progress::kRefused;
    if (node_is_full(node)) return Progress::kFull;
  }
  return Progress::kReadAll;
}

Progress node_aggregate(ScanNode* node) {
  auto* instrument = outerPlanState(node)->instrument;
  if (instrument != nullptr) InstrStartNode(instrument);
  const Progress progress = aggregate(node);
  if (instrument != nullptr) InstrStopNode(instrument, 0);
  node->read_all = progress == Progress::kReadAll;
  return progress;
}

}  // namespace mr
