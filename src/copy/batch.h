/*
 * batch.h: the columns of about a thousand rows on their way from text to tuples.
 *
 * A batch never spans two of core COPY's flushes (1000 tuples or 65535 bytes of
 * lines), so that an error which core raises while flushing can be raised at the
 * same point, with the same line number.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "access/htup.h"
#include "access/tupdesc.h"
#include "nodes/execnodes.h"
}

#include "base/plain.h"

namespace mr {

/* MAX_BUFFERED_TUPLES and MAX_BUFFERED_BYTES of core's copyfrom.c. */
constexpr int kFlushRows = 1000;
constexpr int64 kFlushBytes = 65535;

/* Field state beside MR_NULL, MR_VALUE and MR_REFUSED: the value is in Column::datum. */
constexpr uint8 kDatum = 4;

/* How a column's values are held. */
enum class Vector : uint8 {
  kFixed,  /* attlen bytes each, in `values` */
  kVarlena /* payload bytes without length word: payload + start[i], len[i] */
};

/* Where a column's values come from. */
enum class Origin : uint8 {
  kField,   /* a field of the line */
  kDefault, /* its default expression */
  kNull     /* dropped, generated, or no default: NULL here */
};

struct Converter;

struct Column {
  /* Fixed for the statement. */
  Form_pg_attribute att;
  Origin origin;
  Vector vector;
  uint32 align;               /* attalign in bytes */
  bool short_header;          /* varlena may take a one-byte length word */
  bool call_on_null;          /* input function is not strict (domains): NULL goes to it too */
  bool force_not_null, force_null;
  const Converter* converter; /* null: always the type's input function */
  int field;                  /* which field of the line; -1 if none */
  int arg1, arg2;             /* converter's own: typmod parts */
  bool counts_characters;     /* converter has to tell characters from bytes */
  ExprState* default_expr;
  bool default_is_const;

  /* One entry a row. */
  uint8* state;
  char* values;        /* kFixed: attlen bytes each */
  uint32 *start, *len; /* the field in the text buffer; kVarlena: then its payload */
  const char* payload; /* kVarlena: what start counts from */
  uint8* payload_room; /* 32 bytes a row, for converters that build payloads */
  Datum* datum;        /* where state is kDatum: a varlena */

  /* For the whole batch. */
  bool ascii;      /* counts_characters: its text is plain ASCII */
  bool all_values; /* every state is MR_VALUE */
  bool all_null;   /* every state is MR_NULL */
};

/* What became of a row. */
enum class RowState : uint8 {
  kVectors, /* its values are in the columns */
  kTuple,   /* it was formed into Batch::tuple */
  kExcluded /* COPY's WHERE clause filtered it out */
};

struct Batch {
  uint32 capacity; /* rows the arrays hold */
  uint32 rows;
  int natts;
  Column* columns; /* natts of them, in attribute order */
  int nfields;
  Column** by_field; /* nfields of them, in the order of the line */
  bool counts_characters; /* of some column */

  RowState* row_state;
  uint8* attention;  /* row needs a look one by one: refused field, wrong shape */
  uint8* misshaped;  /* row goes to PostgreSQL's reader whole */
  HeapTuple* tuple;
  uint32* first_sep; /* index of the row's first separator */
  uint32* row_start; /* offset of the row in the text buffer */
  uint32* row_len;   /* bytes, terminator excluded: line_buf.len in core */
  int64 bytes;       /* sum of row_len */
  bool any_misshaped;
  bool any_attention;
  bool any_quote;    /* CSV: a quote character is in the text of the batch */
  bool any_tuple; /* some row is kTuple or kExcluded */
};

}  // namespace mr
