/*
 * predicates.h: what the files of predicates share.
 */
#pragma once
#include "scan/computed.h"
#include "scan/predicate.h"

extern "C" {
#include "access/htup_details.h"
#include "pgtime.h"
}

#include "kernels/filter.h"

namespace mr {

enum class Domain : uint8 {
  kInteger,       /* equal and ordered as int64 */
  kDateTimestamp, /* left a date, right a timestamp */
  kTimestampDate,
  kDateZoned, /* left a date, right a timestamp with time zone; and so on */
  kTimestampZoned,
  kZonedDate,
  kZonedTimestamp,
  kFloat, /* each side float4 or float8 */
  kNumeric,
  kBytes,  /* varlena by its bytes: text, bytea */
  kBpchar, /* the same without trailing blanks */
  kUuid
};
enum class Kind : uint8 { kCompare, kCompareVectors, kIn, kLike, kIsNull, kBoolean, kTest, kAnd, kOr, kNot };

/* A column, or an expression. */
struct Operand {
  AttrNumber attno; /* 0: computed */
  Oid type;
  Vector* column;
  Computed* computed;
};

struct LikePattern;
struct InList;

struct Predicate {
  Kind kind;
  Domain domain;
  MrCompare op;
  bool distinct; /* comparison: IS DISTINCT FROM, op is <> */
  Operand left;
  Operand right; /* kCompareVectors */

  /* kCompare, kIn: the other side, a constant or parameter */
  Expr* expr;
  ExprState* state;
  bool known; /* value and isnull are up to date, in this time zone */
  pg_tz* zone;
  bool isnull;
  Datum value;
  struct varlena* copy; /* what value points to: a rescan may bring another one */
  bool scaled;          /* kNumeric: value is scaled * 10^-scale */
  bool plain;           /* zoned domains: value is of the column's kind */
  int64 scaled_value;
  int scale;

  InList* list;
  bool negated; /* kIn, kLike */
  LikePattern* pattern;
  int test; /* kTest: BoolTestType */

  int n_children;
  Predicate** children;
};

inline const Vector* operand_vector(const Operand* o) { return o->attno > 0 ? o->column : o->computed->vector; }

/* Calls holds(i) for the rows in alive (NULL: all) that are not null, and sets their bit where it does. */
template <class Holds>
static inline void each_alive(const Vector* v, int n, const uint64* alive, uint64* bits, Holds holds) {
  for (int w = 0; w < (n + 63) / 64; w++) {
    uint64 rest = alive != nullptr ? alive[w] : ~UINT64CONST(0);
    if (n - w * 64 < 64) rest &= (UINT64CONST(1) << (n - w * 64)) - 1;
    for (; rest != 0; rest &= rest - 1) {
      const int bit = __builtin_ctzll(rest);
      const int i = w * 64 + bit;
      if (v != nullptr && v->has_nulls && v->nulls[i]) continue;
      if (holds(i)) bits[w] |= UINT64CONST(1) << bit;
    }
  }
}

inline bool satisfies(int cmp, MrCompare op) {
  switch (op) {
    case kMrEq:
      return cmp == 0;
    case kMrNe:
      return cmp != 0;
    case kMrLt:
      return cmp < 0;
    case kMrLe:
      return cmp <= 0;
    case kMrGt:
      return cmp > 0;
    default:
      return cmp >= 0;
  }
}

/* The bytes of a varlena; free_bytes() gives back what detoasting took. */
struct Bytes {
  const char* p;
  int n;
  struct varlena* detoasted;
};

inline Bytes bytes_of(Datum value, Domain domain) {
  struct varlena* v = reinterpret_cast<struct varlena*>(DatumGetPointer(value));
  Bytes b = {nullptr, 0, nullptr};
  if (unlikely(is_toasted(v))) v = b.detoasted = pg_detoast_datum_packed(v);
  b.p = VARDATA_ANY(v);
  b.n = static_cast<int>(VARSIZE_ANY_EXHDR(v));
  if (domain == Domain::kBpchar) b.n = without_blanks(b.p, b.n);
  return b;
}

inline void free_bytes(const Bytes& b) {
  if (unlikely(b.detoasted != nullptr)) pfree(b.detoasted);
}

/* How varstr_cmp() under C collation, byteacmp() and bpcharcmp() order. */
inline int compare_bytes(const char* a, int n, const char* b, int m) {
  const int cmp = memcmp(a, b, Min(n, m));
  return cmp != 0 ? cmp : n - m;
}

/* predicate_compare.cpp. They look at rows in alive only; others may have no value. Memory of the current row. */
void compare_with_value(Predicate* p, int n, const uint64* alive, uint64* bits);
void compare_vectors(Predicate* p, int n, const uint64* alive, uint64* bits);
void find_value(Predicate* p, ExprContext* econtext);
int64 float_key(Datum value, Oid type);
/* Integers that compare as the operand's values do, in room if they are not at hand. */
const int64* float_keys(const Operand* o, int n, int64* room);

/* A date as the timestamp it is compared as. */
int64 timestamp_key(int64 date);
/* From value, a timestamp, to a date that dates compare with as they do with it. */
void date_bound(Predicate* p);

/* predicate_zone.cpp: for domains of which is_zoned() */
bool is_zoned(Domain domain);
void find_zoned_value(Predicate* p);
void compare_zoned_with_value(Predicate* p, int n, const uint64* alive, uint64* bits);
void compare_zoned(Predicate* p, int n, const uint64* alive, uint64* bits);

/* predicate_list.cpp */
InList* in_list_make();
/* bits: the rows that are in the list; what nulls in it mean is for the caller, see InListFacts. */
struct InListFacts {
  bool is_null;  /* there is no list: the result is null everywhere */
  bool is_empty; /* the result is false (NOT IN: true) everywhere, for nulls as well */
  bool has_null; /* what is not found is null */
};
InListFacts in_list_facts(Predicate* p, ExprContext* econtext);
void in_list_eval(Predicate* p, int n, const uint64* alive, uint64* bits);

/* predicate_like.cpp */
/* NULL: this pattern is core's. */
LikePattern* like_compile(Datum pattern, bool prefix_only, PGFunction function, Oid collation);
void like_eval(const Predicate* p, int n, const uint64* alive, uint64* bits);

}  // namespace mr
