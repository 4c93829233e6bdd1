/*
 * predicate_like.cpp: LIKE with a constant pattern, and starts_with().
 *
 * A pattern of literals and % is matched by bytes, where that finds what like_match.c finds: in single-byte
 * encodings and in UTF-8, where no character begins inside another. For patterns with _ and in other
 * encodings core's own function is called for each row. It raises an error only for a pattern that ends
 * with an escape character, and for collations that are turned away before.
 */
#include "scan/predicates.h"

extern "C" {
#include "mb/pg_wchar.h"
}

#include "kernels/find.h"

namespace mr {

struct Segment {
  const char* p;
  int n;
};

struct LikePattern {
  bool by_core;
  FmgrInfo info;
  FunctionCallInfo call; /* by_core: arguments value and pattern */

  /* literals with % between them */
  int n_segments;
  Segment* segments;
  bool open_start; /* begins with % */
  bool open_end;
  int least; /* bytes of all segments */
};

/* Takes the escapes out of a pattern. False: it ends with one. */
static bool split_pattern(LikePattern* pattern, const char* p, int n, bool* has_underscore) {
  char* literal = static_cast<char*>(palloc(n + 1));
  pattern->segments = static_cast<Segment*>(palloc0(sizeof(Segment) * (n + 1)));
  *has_underscore = false;
  Segment* open = nullptr;
  for (int i = 0; i < n; i++) {
    if (p[i] == '%') {
      if (i == 0) pattern->open_start = true;
      open = nullptr;
      pattern->open_end = true;
      continue;
    }
    if (p[i] == '_') *has_underscore = true;
    if (p[i] == '\\' && ++i == n) return false;
    if (open == nullptr) {
      open = &pattern->segments[pattern->n_segments++];
      open->p = literal;
    }
    pattern->open_end = false;
    *literal++ = p[i];
    open->n++;
    pattern->least++;
  }
  return true;
}

LikePattern* like_compile(Datum value, bool prefix_only, PGFunction function, Oid collation) {
  const Bytes bytes = bytes_of(value, Domain::kBytes);
  LikePattern* pattern = static_cast<LikePattern*>(palloc0(sizeof(LikePattern)));
  if (prefix_only) {
    pattern->segments = static_cast<Segment*>(palloc0(sizeof(Segment)));
    pattern->segments[0] = {bytes.p, bytes.n};
    pattern->n_segments = 1;
    pattern->open_end = true;
    pattern->least = bytes.n;
    return pattern;
  }
  bool has_underscore;
  if (!split_pattern(pattern, bytes.p, bytes.n, &has_underscore)) return nullptr;
  pattern->by_core = has_underscore || (pg_database_encoding_max_length() > 1 && GetDatabaseEncoding() != PG_UTF8);
  if (!pattern->by_core) return pattern;
  pattern->info.fn_addr = function;
  pattern->info.fn_nargs = 2;
  pattern->info.fn_strict = true;
  pattern->info.fn_mcxt = CurrentMemoryContext;
  pattern->call = static_cast<FunctionCallInfo>(palloc0(SizeForFunctionCallInfo(2)));
  InitFunctionCallInfoData(*pattern->call, &pattern->info, 2, collation, nullptr, nullptr);
  pattern->call->args[1].value = value;
  return pattern;
}

static bool matches(const LikePattern* pattern, const char* p, int n) {
  if (n < pattern->least) return false;
  if (pattern->n_segments == 0) return pattern->open_end || n == 0;
  const Segment* s = pattern->segments;
  const Segment* end = s + pattern->n_segments;
  const char* stop = p + n;
  if (!pattern->open_start) {
    if (memcmp(p, s->p, s->n) != 0) return false;
    p += s->n;
    s++;
    if (s == end) return pattern->open_end || p == stop;
  }
  if (!pattern->open_end) {
    end--;
    stop -= end->n;
    if (stop < p || memcmp(stop, end->p, end->n) != 0) return false;
  }
  for (; s < end; s++) {
    const size_t rest = static_cast<size_t>(stop - p);
    const size_t at = mr_find_bytes(p, rest, s->p, s->n);
    if (at == rest) return false;
    p += at + s->n;
  }
  return true;
}

void like_eval(const Predicate* predicate, int n, const uint64* alive, uint64* bits) {
  const LikePattern* pattern = predicate->pattern;
  const Vector* v = operand_vector(&predicate->left);
  if (pattern->by_core) {
    return each_alive(v, n, alive, bits, [=](int i) {
      /* Detoasted here, since the function would not free it. */
      const Bytes b = bytes_of(v->values[i], Domain::kBytes);
      FunctionCallInfo call = pattern->call;
      call->args[0].value = b.detoasted != nullptr ? PointerGetDatum(b.detoasted) : v->values[i];
      const bool found = DatumGetBool(FunctionCallInvoke(call));
      free_bytes(b);
      return found != predicate->negated;
    });
  }
  each_alive(v, n, alive, bits, [=](int i) {
    const Bytes b = bytes_of(v->values[i], Domain::kBytes);
    const bool found = matches(pattern, b.p, b.n);
    free_bytes(b);
    return found != predicate->negated;
  });
}

}  // namespace mr
