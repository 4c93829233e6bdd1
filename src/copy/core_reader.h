/*
 * core_reader.h: lets PostgreSQL's own COPY reader take the next row.
 *
 * The first row (with the header before it), rows the fast reader is not sure of
 * and rows with an error go through NextCopyFrom() itself, so what they mean, and
 * every error text, is PostgreSQL's. It reads our bytes through a data source
 * callback; what it read ahead and did not use is taken back afterwards.
 */
#pragma once
#include "copy/text_buffer.h"

extern "C" {
#include "nodes/execnodes.h"
}

namespace mr {

/* Puts cstate into the state in which it reads from the buffer. Call once, before the first core_reader_next(). */
void core_reader_attach(TextBuffer* buffer);

/*
 * Reads one row at buffer->begin with NextCopyFrom() into values and nulls and
 * moves begin behind it. cstate->cur_lineno must be the number of lines before it.
 * Returns false at the end of the data. Raises what NextCopyFrom() raises.
 * With in_place, offsets into the buffer stay good: more input is added behind only.
 */
bool core_reader_next(TextBuffer* buffer, bool in_place, ExprContext* econtext, Datum* values, bool* nulls);

}  // namespace mr
