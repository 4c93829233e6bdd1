#include "copy/row_effects.h"

extern "C" {
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "utils/rel.h"
}

#include "pg/compat.h"

namespace mr {

bool check_row_before(EState* estate, ResultRelInfo* rri, TupleTableSlot* slot, bool check_partition) {
  Relation rel = rri->ri_RelationDesc;
  const TupleConstr* constr = RelationGetDescr(rel)->constr;
  bool generated = constr != nullptr && constr->has_generated_stored;
  if (generated) ExecComputeStoredGenerated(rri, estate, slot, CMD_INSERT);
  if (constr != nullptr && rri->ri_FdwRoutine == nullptr) ExecConstraints(rri, slot, estate);
  if (check_partition && rel->rd_rel->relispartition) ExecPartitionCheck(rri, slot, estate, true);
  return generated;
}

bool has_row_effects(const ResultRelInfo* rri) {
  const TriggerDesc* triggers = rri->ri_TrigDesc;
  return rri->ri_NumIndices > 0 ||
         (triggers != nullptr && (triggers->trig_insert_after_row || triggers->trig_insert_new_table));
}

void make_row_effects(CopyFromState cstate, EState* estate, ResultRelInfo* rri, TupleTableSlot* slot) {
  List* recheck = NIL;
  if (rri->ri_NumIndices > 0) recheck = mr_ExecInsertIndexTuples(rri, slot, estate);
  ExecARInsertTriggers(estate, rri, slot, recheck, cstate->transition_capture);
  list_free(recheck);
}

}  // namespace mr
