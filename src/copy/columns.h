/*
 * columns.h: the columns of a batch: made once for the statement, converted once a batch.
 */
#pragma once
#include "copy/batch.h"
#include "copy/fields.h"

namespace mr {

/* Makes a batch of up to max_rows for cstate's target; lives in CurrentMemoryContext. Wide tables get fewer rows. */
Batch* batch_create(CopyFromState cstate, uint32 max_rows);

/*
 * Converts every field of the batch the kernels are sure of; marks rows in which a
 * field was refused for attention. Constant defaults are filled in. Memory comes from
 * CurrentMemoryContext, which must live as long as the batch. Raises nothing about the data.
 */
void batch_convert(Batch* batch, FieldReader* reader);

/* Calls input functions for the refused fields of one row, left to right. Raises their errors. */
void batch_convert_refused(Batch* batch, FieldReader* reader, uint32 row);

/* Stores one value in the vectors. value must live as long as the batch. */
void column_set(Column* column, uint32 row, Datum value, bool isnull);

/* The value of one row of one column; varlenas are built in CurrentMemoryContext. */
Datum column_get(const Column* column, uint32 row, bool* isnull);

}  // namespace mr
