#include "copy/eligible.h"

extern "C" {
#include "access/heapam.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/reltrigger.h"
}

#include "copy/row_effects.h"
#include "pg/compat.h"

namespace mr {

/* Core allows quote and escape characters that also end lines. */
static bool ends_lines(const char* character) { return character[0] == '\n' || character[0] == '\r'; }

static const char* options_reason(CopyFromState cstate) {
  const CopyFormatOptions* opts = &cstate->opts;
  if (mr_is_binary(opts)) return "binary format";
  if (cstate->convert_select_flags != nullptr) return "selective conversion";
#if PG_VERSION_NUM >= 160000
  if (opts->default_print != nullptr) return "DEFAULT option";
#endif
#if PG_VERSION_NUM >= 170000
  if (opts->on_error != COPY_ON_ERROR_STOP) return "ON_ERROR option";
#endif
  if (mr_is_csv(opts) && opts->escape[0] == opts->delim[0]) return "escape character equals the delimiter";
  if (mr_is_csv(opts) && opts->quote[0] == '\\') return "backslash as quote character"; /* core itself reads \. oddly then */
  if (mr_is_csv(opts) && (ends_lines(opts->quote) || ends_lines(opts->escape)))
    return "quote or escape character ends lines";
  if (list_length(cstate->attnumlist) == 0) return "no columns to read";
  return nullptr;
}

/* Rows of a partitioned table are routed; core stores them one by one if statement triggers want a transition table. */
static const char* partitioned_reason(Relation rel) {
  TriggerDesc* triggers = rel->trigdesc;
  if (triggers == nullptr) return nullptr;
  if (triggers->trig_insert_before_row) return "BEFORE ROW trigger";
  return triggers->trig_insert_new_table ? "transition table of a partitioned table" : nullptr;
}

static const char* relation_reason(Relation rel) {
  switch (rel->rd_rel->relkind) {
    case RELKIND_RELATION:
      break;
    case RELKIND_PARTITIONED_TABLE:
      return partitioned_reason(rel);
    case RELKIND_FOREIGN_TABLE:
      return "foreign table";
    default:
      return "not a table";
  }
  if (rel->rd_tableam != GetHeapamTableAmRoutine()) return "table access method is not heap";
  if (IsCatalogRelation(rel)) return "system catalog";
  TriggerDesc* triggers = rel->trigdesc;
  if (triggers != nullptr && triggers->trig_insert_before_row) return "BEFORE ROW trigger";
#if PG_VERSION_NUM >= 180000
  if (rel->rd_att->constr != nullptr && rel->rd_att->constr->has_generated_virtual) return "virtual generated column";
#endif
  return nullptr;
}

const char* copy_left_to_core(CopyFromState cstate) {
  const char* reason = options_reason(cstate);
  if (reason == nullptr) reason = relation_reason(cstate->rel);
  if (reason == nullptr && cstate->copy_src == COPY_FILE && cstate->filename == nullptr)
    reason = "standard input of a stand-alone server"; /* stdio has read ahead there */
  if (reason == nullptr && cstate->volatile_defexprs) reason = "volatile default";
  if (reason == nullptr && contain_volatile_functions(cstate->whereClause)) reason = "volatile WHERE condition";
  return reason;
}

/* Can the type's input function run a domain's constraint, which may be any function? Unknown composites count as such. */
static bool input_is_blind(Oid type) {
  Oid element = get_element_type(type);
  if (OidIsValid(element)) return input_is_blind(element);
  if (type < FirstNormalObjectId) return true;
  char kind = get_typtype(type);
  return kind == TYPTYPE_BASE || kind == TYPTYPE_ENUM;
}

/* Constraints with volatile functions could look at the table. */
static bool constraints_are_blind(Relation rel) {
  TupleDesc desc = RelationGetDescr(rel);
  for (int i = 0; i < desc->natts; i++) {
    Form_pg_attribute att = TupleDescAttr(desc, i);
    if (!att->attisdropped && !input_is_blind(att->atttypid)) return false;
  }
  for (int i = 0; desc->constr != nullptr && i < desc->constr->num_check; i++)
    if (contain_volatile_functions(static_cast<Node*>(stringToNode(desc->constr->check[i].ccbin)))) return false;
  return true;
}

bool copy_may_place_pages(const ResultRelInfo* rri) {
  Relation rel = rri->ri_RelationDesc;
  if (has_row_effects(rri)) return false;
  /* with a small fillfactor core fills the gaps that rows leave below it; whole pages would keep them */
  if (RelationGetTargetPageFreeSpace(rel, HEAP_DEFAULT_FILLFACTOR) > BLCKSZ / 2) return false;
  if (RelationIsAccessibleInLogicalDecoding(rel)) return false; /* log_heap_new_cid() is for such tables */
  return constraints_are_blind(rel);
}

}  // namespace mr
