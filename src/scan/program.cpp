/*
 * program.cpp: from core's plan nodes to a program.
 *
 *   compile_filter()      WHERE: a prefix of vectorized predicates, then the rest
 *   compile_keys()        GROUP BY
 *   compile_aggregates()  Aggrefs of target list and HAVING, transition states shared as core shares them
 */
#include "scan/program.h"

#include "pg/compat_scan.h"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace mr {

struct Walk {
  Program* program;
  SeqScan* scan;
  const char* reason;
};

/* Replaces references to the SeqScan's output by its expressions. */
static Node* to_relation(Node* node, void* context) {
  SeqScan* scan = static_cast<SeqScan*>(context);
  if (node == nullptr) return nullptr;
  if (IsA(node, Var) && castNode(Var, node)->varno == OUTER_VAR) {
    TargetEntry* entry = get_tle_by_resno(scan->scan.plan.targetlist, castNode(Var, node)->varattno);
    if (entry == nullptr) elog(ERROR, "millrace: column %d of scan not found", castNode(Var, node)->varattno);
    return static_cast<Node*>(copyObjectImpl(entry->expr));
  }
  return expression_tree_mutator(node, MR_MUTATOR(to_relation), context);
}

/* Marks the columns of an expression that core will evaluate. False: more than plain columns is asked of the tuple. */
static bool note_columns(Node* node, void* context) {
  Walk* walk = static_cast<Walk*>(context);
  if (node == nullptr) return false;
  if (IsA(node, Var)) {
    Var* var = castNode(Var, node);
    if (var->varno != static_cast<int>(walk->scan->scan.scanrelid) || var->varattno <= 0) return true;
    walk->program->used[var->varattno] = true;
    return false;
  }
  if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) || IsA(node, CurrentOfExpr)) return true;
  return expression_tree_walker(node, MR_WALKER(note_columns), context);
}

static const char* check_expression(Walk* walk, Node* expr) {
  if (contain_volatile_functions(expr)) return "volatile function";
  if (note_columns(expr, walk)) return "expression with subplan, system column or whole row";
  return nullptr;
}

static AttrNumber plain_column(Expr* expr) {
  Node* node = without_relabels(reinterpret_cast<Node*>(expr));
  return IsA(node, Var) ? castNode(Var, node)->varattno : 0;
}

static int16 by_value_width(Oid type) {
  int16 length;
  bool byval;
  get_typlenbyval(type, &length, &byval);
  return byval ? length : static_cast<int16>(sizeof(Datum));
}

/* How an expression of the Agg gets its value for each row. */
static const char* compile_input(Walk* walk, Input* input, Expr* expr, Wanted wanted) {
  Program* p = walk->program;
  input->expr = expr;
  input->width = by_value_width(exprType(reinterpret_cast<Node*>(expr)));
  const char* reason = check_expression(walk, reinterpret_cast<Node*>(expr));
  if (reason != nullptr) return reason;
  input->attno = plain_column(expr);
  input->wanted = wanted;
  input->computed = compute_compile(&p->compute, expr, wanted, p->used, &p->functions);
  if (input->computed == nullptr && input->attno == 0) p->by_row = true;
  return nullptr;
}

static const char* compile_filter(Walk* walk) {
  Program* p = walk->program;
  List* quals = walk->scan->scan.plan.qual;
  p->predicates = static_cast<Predicate**>(palloc0(sizeof(Predicate*) * (list_length(quals) + 1)));
  ListCell* cell;
  foreach (cell, quals) {
    const char* reason = check_expression(walk, static_cast<Node*>(lfirst(cell)));
    if (reason != nullptr) return reason;
  }
  predicates_split(quals, p->used_by_filter, p->predicates, &p->n_predicates, &p->residual, &p->functions,
                   &p->filter_compute);
  return nullptr;
}

static const char* compile_keys(Walk* walk, Agg* agg) {
  Program* p = walk->program;
  if (agg->numCols > kMaxGroupKeys) return "too many group keys";
  p->plain = agg->aggstrategy == AGG_PLAIN;
  p->n_keys = agg->numCols;
  p->keys = static_cast<GroupKey*>(palloc0(sizeof(GroupKey) * (agg->numCols + 1)));
  p->key_inputs = static_cast<Input*>(palloc0(sizeof(Input) * (agg->numCols + 1)));
  for (int i = 0; i < agg->numCols; i++) {
    TargetEntry* entry = get_tle_by_resno(walk->scan->scan.plan.targetlist, agg->grpColIdx[i]);
    if (entry == nullptr) return "group key not in the scan's output";
    GroupKey* key = &p->keys[i];
    const Oid type = exprType(reinterpret_cast<Node*>(entry->expr));
    const Oid equal = get_opcode(agg->grpOperators[i]);
    if (!group_key_kind(equal, &key->kind)) return "type of group key";
    p->functions = list_append_unique_oid(p->functions, equal);
    key->collation = agg->grpCollations[i];
    if (OidIsValid(key->collation) && !get_collation_isdeterministic(key->collation))
      return "nondeterministic collation";
    if (key->kind == KeyKind::kCore) {
      RegProcedure left, right;
      if (!get_op_hash_functions(agg->grpOperators[i], &left, &right)) return "group key without hash function";
      fmgr_info(left, &key->hash);
      fmgr_info(equal, &key->equal);
    }
    get_typlenbyval(type, &key->length, &key->byval);
    if (key->length == -2) return "type of group key";
    const char* reason = compile_input(walk, &p->key_inputs[i], entry->expr, Wanted::kDatum);
    if (reason != nullptr) return reason;
    p->key_columns = lappend_int(p->key_columns, agg->grpColIdx[i]);
  }
  return nullptr;
}

/* Finds Aggrefs, and references to columns that are not grouped by. */
static bool collect_aggrefs(Node* node, void* context) {
  Walk* walk = static_cast<Walk*>(context);
  if (node == nullptr || walk->reason != nullptr) return false;
  if (IsA(node, Aggref)) {
    walk->program->aggrefs = list_append_unique(walk->program->aggrefs, node);
    return false;
  }
  if (IsA(node, GroupingFunc)) walk->reason = "GROUPING()";
  if (IsA(node, Var)) {
    Var* var = castNode(Var, node);
    if (var->varno != OUTER_VAR)
      walk->reason = "unexpected column reference";
    else if (!list_member_int(walk->program->key_columns, var->varattno))
      walk->reason = "column that is not a group key";
    return false;
  }
  return expression_tree_walker(node, MR_WALKER(collect_aggrefs), context);
}

static const char* check_aggref(Aggref* aggref) {
  if (aggref->aggfnoid >= FirstNormalObjectId) return "user-defined aggregate";
  if (aggref->aggkind != AGGKIND_NORMAL || aggref->aggdirectargs != NIL) return "ordered-set aggregate";
  if (aggref->aggdistinct != NIL || aggref->aggorder != NIL) return "aggregate with DISTINCT or ORDER BY";
  if (aggref->aggvariadic || aggref->agglevelsup != 0) return "variadic or outer aggregate";
  if (aggref->aggtransno < 0 || aggref->aggno < 0) return "aggregate not numbered";
  return nullptr;
}

static Datum initial_value(HeapTuple tuple, Oid transtype, bool* isnull) {
  Datum initial = SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_agginitval, isnull);
  if (*isnull) return 0;
  Oid input;
  Oid param;
  getTypeInputInfo(transtype, &input, &param);
  return OidInputFunctionCall(input, TextDatumGetCString(initial), param, -1);
}

static const char* compile_transition(Walk* walk, TransitionPlan* plan, Aggref* aggref, HeapTuple tuple,
                                      const AggOps* ops) {
  Form_pg_aggregate form = reinterpret_cast<Form_pg_aggregate>(GETSTRUCT(tuple));
  Transition* t = &plan->t;
  t->ops = ops;
  t->aggref = aggref;
  t->n_args = ops->n_args;
  t->transfn = form->aggtransfn;
  t->transtype = form->aggtranstype;
  if (t->transtype == INTERNALOID) {
    t->serialfn = form->aggserialfn;
    t->deserialfn = form->aggdeserialfn;
  }
  get_typlenbyval(t->transtype, &t->translen, &t->transbyval);
  t->init_value = initial_value(tuple, t->transtype, &t->init_is_null);
  fmgr_info(t->transfn, &t->transfn_info);
  if (list_length(aggref->args) != ops->n_args) return "aggregate arguments";
  /* count(1) counts rows. */
  if (t->transfn == F_INT8INC_ANY) {
    Node* arg = reinterpret_cast<Node*>(castNode(TargetEntry, linitial(aggref->args))->expr);
    if (IsA(arg, Const) && !castNode(Const, arg)->constisnull) t->n_args = 0;
  }
  ListCell* cell;
  int i = 0;
  foreach (cell, aggref->args) {
    if (t->n_args == 0) break;
    Node* arg = reinterpret_cast<Node*>(castNode(TargetEntry, lfirst(cell))->expr);
    Expr* expr = reinterpret_cast<Expr*>(to_relation(arg, walk->scan));
    /* What count(x) counts is never looked at: an expression need not become Datums. */
    const bool scaled = ops->takes_scaled || (t->transfn == F_INT8INC_ANY && plain_column(expr) == 0);
    const char* reason = compile_input(walk, &plan->args[i++], expr, scaled ? Wanted::kScaled : Wanted::kDatum);
    if (reason != nullptr) return reason;
  }
  if (aggref->aggfilter != nullptr) {
    plan->filter = reinterpret_cast<Expr*>(to_relation(reinterpret_cast<Node*>(aggref->aggfilter), walk->scan));
    const char* reason = check_expression(walk, reinterpret_cast<Node*>(plan->filter));
    if (reason != nullptr) return reason;
    plan->filter_predicate = predicate_compile(reinterpret_cast<Node*>(plan->filter), walk->program->used,
                                               &walk->program->functions);
    if (plan->filter_predicate == nullptr && !is_lazy(reinterpret_cast<Node*>(plan->filter), nullptr))
      plan->filter_computed = compute_compile(&walk->program->compute, plan->filter, Wanted::kDatum,
                                              walk->program->used, &walk->program->functions);
    if (plan->filter_predicate == nullptr && plan->filter_computed == nullptr) walk->program->by_row = true;
  }
  return nullptr;
}

static const char* compile_aggref(Walk* walk, Aggref* aggref, Result* result, int* transition_of) {
  Program* p = walk->program;
  const char* reason = check_aggref(aggref);
  if (reason != nullptr) return reason;
  HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for aggregate %u", aggref->aggfnoid);
  Form_pg_aggregate form = reinterpret_cast<Form_pg_aggregate>(GETSTRUCT(tuple));
  const AggOps* ops = find_agg_ops(form->aggtransfn);
  if (ops == nullptr || form->aggtranstype != aggref->aggtranstype) {
    reason = "aggregate not known";
  } else {
    result->aggref = aggref;
    result->partial = p->partial;
    if (!p->partial && OidIsValid(form->aggfinalfn)) {
      fmgr_info(form->aggfinalfn, &result->finalfn);
      result->n_final_args = form->aggfinalextra ? 1 + list_length(aggref->aggargtypes) : 1;
    }
    if (transition_of[aggref->aggtransno] < 0) {
      transition_of[aggref->aggtransno] = p->n_transitions;
      reason = compile_transition(walk, &p->transitions[p->n_transitions++], aggref, tuple, ops);
    }
    result->transition = transition_of[aggref->aggtransno];
  }
  ReleaseSysCache(tuple);
  return reason;
}

static const char* compile_aggregates(Walk* walk, Agg* agg) {
  Program* p = walk->program;
  collect_aggrefs(reinterpret_cast<Node*>(agg->plan.targetlist), walk);
  collect_aggrefs(reinterpret_cast<Node*>(agg->plan.qual), walk);
  if (walk->reason != nullptr) return walk->reason;
  const int n = list_length(p->aggrefs);
  p->results = static_cast<Result*>(palloc0(sizeof(Result) * (n + 1)));
  p->transitions = static_cast<TransitionPlan*>(palloc0(sizeof(TransitionPlan) * (n + 1)));
  int highest = 0;
  ListCell* cell;
  foreach (cell, p->aggrefs) highest = Max(highest, castNode(Aggref, lfirst(cell))->aggtransno);
  int* transition_of = static_cast<int*>(palloc(sizeof(int) * (highest + 1)));
  for (int i = 0; i <= highest; i++) transition_of[i] = -1;
  foreach (cell, p->aggrefs) {
    const char* reason =
        compile_aggref(walk, castNode(Aggref, lfirst(cell)), &p->results[p->n_results++], transition_of);
    if (reason != nullptr) return reason;
  }
  for (int i = 0; i < p->n_transitions; i++) {
    p->transitions[i].t.offset = p->state_bytes;
    p->state_bytes += TYPEALIGN(16, p->transitions[i].t.ops->state_size);
  }
  p->state_bytes = Max(p->state_bytes, static_cast<size_t>(16));
  return nullptr;
}

/*
 * Errors must come in row order. A step that can fail may run down the column only when no
 * other one can; arguments are worked out, or refused, before any transition.
 */
static bool errors_could_swap(const Program* p) {
  Oid transition_error = InvalidOid;
  bool lazy_filter = false;
  for (int i = 0; i < p->n_transitions; i++) {
    const TransitionPlan* plan = &p->transitions[i];
    lazy_filter |= is_lazy(reinterpret_cast<Node*>(plan->filter), nullptr);
    const Oid error = error_of_transition(&plan->t);
    if (!OidIsValid(error)) continue;
    if (OidIsValid(transition_error) && error != transition_error) return true;
    transition_error = error;
  }
  if (OidIsValid(transition_error) && lazy_filter) return true;
  return p->residual != NIL && (p->compute.may_refuse || lazy_filter || OidIsValid(transition_error));
}

const char* program_compile(Program* p, Agg* agg, SeqScan* scan, int n_attributes, bool parallel) {
  memset(p, 0, sizeof(*p));
  p->n_attributes = static_cast<AttrNumber>(n_attributes);
  p->used = static_cast<bool*>(palloc0(p->n_attributes + 1));
  p->used_by_filter = static_cast<bool*>(palloc0(p->n_attributes + 1));
  /* The lower half of a parallel DISTINCT is not marked as partial; groups given out twice do no harm there either. */
  const bool parallel_distinct = agg->aggsplit == AGGSPLIT_SIMPLE && parallel;
  p->partial = agg->aggsplit == AGGSPLIT_INITIAL_SERIAL || parallel_distinct;
  Walk walk = {p, scan, nullptr};
  const char* reason = compile_filter(&walk);
  if (reason == nullptr) reason = compile_keys(&walk, agg);
  if (reason == nullptr) reason = compile_aggregates(&walk, agg);
  if (reason == nullptr && parallel_distinct && (p->aggrefs != NIL || p->n_keys == 0 || agg->plan.qual != NIL))
    reason = "whole aggregate over a parallel scan";
  if (reason != nullptr) return reason;
  if (errors_could_swap(p)) p->by_row = true;
  bool only_count = scan->scan.plan.qual == NIL && p->n_keys == 0 && !p->by_row;
  for (int i = 0; i < p->n_transitions; i++)
    if (p->transitions[i].t.n_args > 0 || p->transitions[i].filter != nullptr) only_count = false;
  p->count_only = only_count;
  for (int i = 1; i <= p->n_attributes; i++) p->used[i] = p->used[i] || p->used_by_filter[i];
  return nullptr;
}

bool programs_agree(const Program* a, const Program* b) {
  if (a->n_keys != b->n_keys || a->n_transitions != b->n_transitions || a->state_bytes != b->state_bytes) return false;
  for (int i = 0; i < a->n_keys; i++) {
    const GroupKey* x = &a->keys[i];
    const GroupKey* y = &b->keys[i];
    if (x->kind != y->kind || x->byval != y->byval || x->length != y->length) return false;
  }
  for (int i = 0; i < a->n_transitions; i++) {
    const Transition* x = &a->transitions[i].t;
    const Transition* y = &b->transitions[i].t;
    if (x->ops != y->ops || x->offset != y->offset) return false;
  }
  return true;
}

}  // namespace mr
