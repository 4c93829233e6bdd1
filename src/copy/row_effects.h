/*
 * row_effects.h: what core does for a row around storing it, for every place that stores rows.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "commands/copyfrom_internal.h"
#include "nodes/execnodes.h"
}

namespace mr {

/*
 * Generated columns, constraints and, if asked, the partition constraint of the row in slot, as CopyFrom()
 * checks it. Returns whether generated columns changed the slot. Raises the constraints' errors.
 */
bool check_row_before(EState* estate, ResultRelInfo* rri, TupleTableSlot* slot, bool check_partition);

/* Does a stored row have effects beyond itself: index entries, AFTER ROW triggers, transition tables? */
bool has_row_effects(const ResultRelInfo* rri);

/* Makes them, for the row in slot; as the loop of CopyMultiInsertBufferFlush(). */
void make_row_effects(CopyFromState cstate, EState* estate, ResultRelInfo* rri, TupleTableSlot* slot);

}  // namespace mr
