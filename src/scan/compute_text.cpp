/*
 * compute_text.cpp: lengths of strings.
 */
#include "scan/computed.h"

extern "C" {
#include "access/detoast.h"
#include "mb/pg_wchar.h"
#include "utils/fmgroids.h"
}

namespace mr {

/* What is null or bad is not a pointer. */
static bool has_value(const Computed* c, int i) {
  return !row_is_null(&c->out, i) && !(c->any_bad && (c->bad[i / 64] >> (i % 64) & 1));
}

/* octet_length(): without detoasting. */
static void run_octet_length(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const Datum* a = c->args[0]->vector->values;
  for (int i = 0; i < n; i++)
    if (has_value(c, i)) integers_out(c)[i] = static_cast<int64>(toast_raw_datum_size(a[i])) - VARHDRSZ;
}

/* In other encodings than UTF-8 and those of one byte a character, characters are for core to count. */
template <bool kTrim>
static void run_length(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const bool single = pg_database_encoding_max_length() == 1;
  if (!single && GetDatabaseEncoding() != PG_UTF8) return mark_all_bad(c, n);
  const Datum* a = c->args[0]->vector->values;
  for (int i = 0; i < n; i++) {
    if (!has_value(c, i)) continue;
    struct varlena* v = reinterpret_cast<struct varlena*>(DatumGetPointer(a[i]));
    const bool toasted = is_toasted(v);
    if (unlikely(toasted)) v = pg_detoast_datum_packed(v);
    const char* p = VARDATA_ANY(v);
    int length = static_cast<int>(VARSIZE_ANY_EXHDR(v));
    while (kTrim && length > 0 && p[length - 1] == ' ') length--;
    /* Every byte that does not go on with a character begins one. */
    int characters = 0;
    for (int k = 0; k < length; k++) characters += (p[k] & 0xC0) != 0x80;
    integers_out(c)[i] = single ? length : characters;
    if (unlikely(toasted)) pfree(v);
  }
}

#define MR_LENGTH(fn, run) \
  { fn, 1, Form::kInteger, 4, false, run }

const Operation kTextOperations[] = {MR_LENGTH(F_LENGTH_TEXT, run_length<false>),
                                     MR_LENGTH(F_CHAR_LENGTH_TEXT, run_length<false>),
                                     MR_LENGTH(F_CHARACTER_LENGTH_TEXT, run_length<false>),
                                     MR_LENGTH(F_LENGTH_BPCHAR, run_length<true>),
                                     MR_LENGTH(F_CHAR_LENGTH_BPCHAR, run_length<true>),
                                     MR_LENGTH(F_CHARACTER_LENGTH_BPCHAR, run_length<true>),
                                     MR_LENGTH(F_OCTET_LENGTH_TEXT, run_octet_length),
                                     MR_LENGTH(F_OCTET_LENGTH_BYTEA, run_octet_length),
                                     MR_LENGTH(F_LENGTH_BYTEA, run_octet_length),
                                     {InvalidOid}};

}  // namespace mr
