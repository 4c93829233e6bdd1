/*
 * order.cpp: sorted grouping, by hashing and sorting what is left.
 *
 * Core sorts rows, and takes groups off in that order. Hashing reads rows in another
 * order, so it must not matter: not for what stands for a group (keys whose equal
 * values look the same), not for the states, not for which error comes first.
 */
#include "scan/order.h"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace mr {

/* Position of the Sort's column among the group keys, or -1. */
static int position_of_key(const Program* p, AttrNumber column) {
  int i = 0;
  ListCell* cell;
  foreach (cell, p->key_columns) {
    if (lfirst_int(cell) == column) return i;
    i++;
  }
  return -1;
}

/*
 * char(n) is padded and numeric(p, s) has scale s, whatever was stored: with a length declared equal values
 * look the same.
 */
static bool has_declared_length(const Input* input) {
  Node* node = without_relabels(reinterpret_cast<Node*>(input->expr));
  if (!IsA(node, Var)) return false;
  const Var* var = castNode(Var, node);
  return (var->vartype == BPCHAROID || var->vartype == NUMERICOID) &&
         var->vartypmod >= static_cast<int32>(VARHDRSZ);
}

static bool equal_keys_look_equal(const GroupKey* key, const Input* input) {
  switch (key->kind) {
    case KeyKind::kInteger:
    case KeyKind::kBytes:
    case KeyKind::kFixed:
      return true;
    case KeyKind::kBpchar:
      return has_declared_length(input);
    case KeyKind::kCore:
      switch (key->equal.fn_oid) {
        case F_NUMERIC_EQ:
          return has_declared_length(input);
        case F_TIMETZ_EQ:
        case F_NETWORK_EQ:
        case F_MACADDR_EQ:
        case F_NAMEEQ:
          return true;
        default:
          return false;
      }
    default:
      return false; /* floats: 0 and -0, NaNs */
  }
}

/* Transitions that give the same state in whatever order rows come, and cannot fail. */
static bool order_does_not_matter(const Transition* t) {
  switch (t->transfn) {
    case F_INT8INC:
    case F_INT8INC_ANY:
    case F_INT8INC_FLOAT8_FLOAT8:
    case F_INT2_SUM:
    case F_INT4_SUM:
    case F_INT2_AVG_ACCUM:
    case F_INT4_AVG_ACCUM:
    case F_INT8_AVG_ACCUM:
    case F_NUMERIC_AVG_ACCUM:
    case F_NUMERIC_ACCUM:
    case F_INT2_ACCUM:
    case F_INT4_ACCUM:
    case F_INT8_ACCUM:
    case F_INT2LARGER:
    case F_INT2SMALLER:
    case F_INT4LARGER:
    case F_INT4SMALLER:
    case F_INT8LARGER:
    case F_INT8SMALLER:
    case F_DATE_LARGER:
    case F_DATE_SMALLER:
    case F_TIMESTAMP_LARGER:
    case F_TIMESTAMP_SMALLER:
    case F_TIMESTAMPTZ_LARGER:
    case F_TIMESTAMPTZ_SMALLER:
    case F_TIME_LARGER:
    case F_TIME_SMALLER:
    case F_TIMETZ_LARGER:
    case F_TIMETZ_SMALLER:
    case F_CASHLARGER:
    case F_CASHSMALLER:
    case F_NETWORK_LARGER:
    case F_NETWORK_SMALLER:
    case F_PG_LSN_LARGER:
    case F_PG_LSN_SMALLER:
    case F_OIDLARGER:
    case F_OIDSMALLER:
    case F_BOOLAND_STATEFUNC:
    case F_BOOLOR_STATEFUNC:
    case F_INT2AND:
    case F_INT2OR:
    case F_INT2XOR:
    case F_INT4AND:
    case F_INT4OR:
    case F_INT4XOR:
    case F_INT8AND:
    case F_INT8OR:
    case F_INT8XOR:
      return true;
    case F_TEXT_LARGER:
    case F_TEXT_SMALLER: {
      const Oid collation = t->aggref->inputcollid;
      return OidIsValid(collation) && get_collation_isdeterministic(collation);
    }
    default:
      return false; /* floats round, numerics and intervals that are equal look different */
  }
}

/*
 * Core works arguments and FILTERs out in sorted order, after all keys and WHERE, and perhaps not at all
 * (LIMIT). So they must not fail here; columns cannot, and a batch of arithmetic that would is refused, which
 * leaves the node to core.
 */
static const char* check_transition(const Program* p, const TransitionPlan* plan) {
  if (!order_does_not_matter(&plan->t)) return "aggregate that depends on the order of rows";
  for (int i = 0; i < plan->t.n_args; i++)
    if (plan->args[i].attno == 0 && (p->by_row || plan->args[i].computed == nullptr))
      return "argument that may fail";
  if (plan->filter == nullptr) return nullptr;
  /* Worked out down the column, so that rows it fails for refuse the batch. */
  const bool known = plan->filter_predicate != nullptr || (plan->filter_computed != nullptr && !p->by_row);
  if (!known || is_lazy(reinterpret_cast<Node*>(plan->filter), nullptr))
    return "FILTER that may fail";
  return nullptr;
}

const char* order_check(const Program* p, const Shape* shape) {
  const Sort* sort = shape->sort;
  if (sort == nullptr) return nullptr;
  int n = 0;
  while (n < sort->numCols && position_of_key(p, sort->sortColIdx[n]) >= 0) n++;
  if (n == 0) return "sorted by no group key";
  for (int i = n; i < sort->numCols; i++)
    if (position_of_key(p, sort->sortColIdx[i]) >= 0) return "sorted by more than group keys";
  for (int i = 0; i < p->n_keys; i++)
    if (!equal_keys_look_equal(&p->keys[i], &p->key_inputs[i])) return "equal keys may look different";
  for (int i = 0; i < p->n_transitions; i++) {
    const char* reason = check_transition(p, &p->transitions[i]);
    if (reason != nullptr) return reason;
  }
  return nullptr;
}

bool any_order_does(const Program* p) {
  for (int i = 0; i < p->n_transitions; i++)
    if (!order_does_not_matter(&p->transitions[i].t)) return false;
  return true;
}

void order_init(GroupOrder* order, const Program* p, const Shape* shape) {
  const Sort* sort = shape->sort;
  if (sort == nullptr) return;
  order->keys = static_cast<int*>(palloc0(sizeof(int) * sort->numCols));
  order->by = static_cast<SortSupport>(palloc0(sizeof(SortSupportData) * sort->numCols));
  for (int i = 0; i < sort->numCols; i++) {
    const int key = position_of_key(p, sort->sortColIdx[i]);
    if (key < 0) break;
    SortSupport by = &order->by[i];
    by->ssup_cxt = CurrentMemoryContext;
    by->ssup_collation = sort->collations[i];
    by->ssup_nulls_first = sort->nullsFirst[i];
    by->ssup_attno = sort->sortColIdx[i];
    PrepareSortSupportFromOrderingOp(sort->sortOperators[i], by);
    order->keys[i] = key;
    order->n = i + 1;
  }
}

struct Sorting {
  const GroupOrder* order;
  const GroupTable* table;
  bool tie;
  uint32 compared;
};

static int compare_groups(const void* a, const void* b, void* context) {
  Sorting* s = static_cast<Sorting*>(context);
  const GroupTable* t = s->table;
  const uint32 x = *static_cast<const uint32*>(a);
  const uint32 y = *static_cast<const uint32*>(b);
  if ((++s->compared & 255) == 0) CHECK_FOR_INTERRUPTS();
  for (int i = 0; i < s->order->n; i++) {
    const int key = s->order->keys[i];
    const int result = ApplySortComparator(
        t->values[static_cast<size_t>(x) * t->n_keys + key], (t->nulls[x] >> key & 1) != 0,
        t->values[static_cast<size_t>(y) * t->n_keys + key], (t->nulls[y] >> key & 1) != 0, &s->order->by[i]);
    if (result != 0) return result;
  }
  s->tie |= x != y;
  return 0;
}

bool order_groups(GroupOrder* order, GroupTable* table) {
  order->groups = static_cast<uint32*>(
      MemoryContextAllocExtended(table->context, sizeof(uint32) * (table->n_groups + 1), MCXT_ALLOC_HUGE));
  for (uint32 i = 0; i < table->n_groups; i++) order->groups[i] = i;
  Sorting sorting = {order, table, false, 0};
  /* Comparison functions may leave detoasted values behind. */
  MemoryContext old = MemoryContextSwitchTo(table->scratch);
  qsort_arg(order->groups, table->n_groups, sizeof(uint32), compare_groups, &sorting);
  MemoryContextSwitchTo(old);
  MemoryContextReset(table->scratch);
  return !sorting.tie;
}

}  // namespace mr
