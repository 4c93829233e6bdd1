/*
 * compute_time.cpp: dates and timestamps: arithmetic, casts, extract(), date_part() and date_trunc(). Those with
 * time zone are in compute_zone.cpp.
 *
 * Infinities, and values that core would find out of range, are left to core.
 */
#include "scan/time_parts.h"

extern "C" {
#include "catalog/pg_type.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace mr {

static inline int64 to_days(int year, int month, int day) { return date2j(year, month, day) - POSTGRES_EPOCH_JDATE; }

static bool is_finite_date(int64 d) {
  return d != DATEVAL_NOBEGIN && d != DATEVAL_NOEND && IS_VALID_DATE(static_cast<DateADT>(d));
}

static void run_date_plus_minus(Computed* c, int n, int sign) {
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  const int64* b = integers(c->args[1]);
  int64* out = integers_out(c);
  bool suspect = false;
  for (int i = 0; i < n; i++) {
    out[i] = a[i] + sign * b[i];
    suspect |= out[i] < DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE || out[i] >= DATE_END_JULIAN - POSTGRES_EPOCH_JDATE;
    suspect |= a[i] == DATEVAL_NOBEGIN || a[i] == DATEVAL_NOEND;
  }
  if (unlikely(suspect))
    find_bad(c, n, [=](int i) {
      return !is_finite_date(a[i]) || out[i] != static_cast<int32>(out[i]) || !is_finite_date(out[i]);
    });
}

static void run_date_plus(Computed* c, ExprContext*, int n) { run_date_plus_minus(c, n, 1); }
static void run_date_minus(Computed* c, ExprContext*, int n) { run_date_plus_minus(c, n, -1); }

/* date_mi(): days between two dates. */
static void run_date_difference(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  const int64* b = integers(c->args[1]);
  int64* out = integers_out(c);
  bool suspect = false;
  for (int i = 0; i < n; i++) {
    out[i] = a[i] - b[i];
    suspect |= out[i] != static_cast<int32>(out[i]) || a[i] == DATEVAL_NOBEGIN || a[i] == DATEVAL_NOEND ||
               b[i] == DATEVAL_NOBEGIN || b[i] == DATEVAL_NOEND;
  }
  if (unlikely(suspect)) find_bad(c, n, [=](int i) { return !is_finite_date(a[i]) || !is_finite_date(b[i]); });
}

static void run_timestamp_to_date(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  bool suspect = false;
  for (int i = 0; i < n; i++) {
    int64 rest;
    integers_out(c)[i] = day_of(a[i], &rest);
    suspect |= !IS_VALID_TIMESTAMP(a[i]);
  }
  if (unlikely(suspect)) find_bad(c, n, [=](int i) { return !IS_VALID_TIMESTAMP(a[i]); });
}

static void run_date_to_timestamp(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  constexpr int64 kEnd = TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE;
  bool suspect = false;
  for (int i = 0; i < n; i++) {
    const bool fits = is_finite_date(a[i]) && a[i] < kEnd;
    suspect |= !fits;
    integers_out(c)[i] = fits ? a[i] * USECS_PER_DAY : 0;
  }
  if (unlikely(suspect)) find_bad(c, n, [=](int i) { return !is_finite_date(a[i]) || a[i] >= kEnd; });
}

/* extract_date(), timestamp_part_common(): the parts that are whole numbers, of a day. */
static int64 part_of_day(int unit, int64 day) {
  const Civil c = civil_of(day);
  const int julian = static_cast<int>(day) + POSTGRES_EPOCH_JDATE;
  switch (unit) {
    case DTK_DAY:
      return c.day;
    case DTK_MONTH:
      return c.month;
    case DTK_QUARTER:
      return (c.month - 1) / 3 + 1;
    case DTK_WEEK:
      return date2isoweek(c.year, c.month, c.day);
    case DTK_YEAR:
      return c.year > 0 ? c.year : c.year - 1; /* there is no year 0 */
    case DTK_ISOYEAR: {
      const int year = date2isoyear(c.year, c.month, c.day);
      return year <= 0 ? year - 1 : year;
    }
    case DTK_DOW:
      return j2day(julian);
    case DTK_ISODOW: {
      const int dow = j2day(julian);
      return dow == 0 ? 7 : dow;
    }
    default: /* DTK_DOY */
      return julian - date2j(c.year, 1, 1) + 1;
  }
}

/* Microseconds between 1970 and 2000. */
constexpr int64 kUnixEpoch = (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

static int64 part_of_time(int unit, int64 usecs) {
  switch (unit) {
    case DTK_HOUR:
      return usecs / USECS_PER_HOUR;
    case DTK_MINUTE:
      return usecs / USECS_PER_MINUTE % MINS_PER_HOUR;
    default: /* DTK_SECOND, DTK_MILLISEC and DTK_MICROSEC count these */
      return usecs % USECS_PER_MINUTE;
  }
}

static bool is_part_of_day(int unit) {
  switch (unit) {
    case DTK_DAY:
    case DTK_MONTH:
    case DTK_QUARTER:
    case DTK_WEEK:
    case DTK_YEAR:
    case DTK_ISOYEAR:
    case DTK_DOW:
    case DTK_ISODOW:
    case DTK_DOY:
      return true;
    default:
      return false;
  }
}

/* Display scale of extract()'s result. */
int scale_of_part(int unit) {
  return unit == DTK_SECOND || unit == DTK_EPOCH ? 6 : unit == DTK_MILLISEC ? 3 : 0;
}

static void run_extract_date(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  c->scale = 0;
  const int64* a = integers(c->args[0]);
  for (int i = 0; i < n; i++) {
    if (row_is_null(&c->out, i)) continue;
    if (unlikely(!is_finite_date(a[i])))
      mark_bad(c, i);
    else if (c->unit == DTK_EPOCH)
      integers_out(c)[i] = (a[i] + POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
    else
      integers_out(c)[i] = part_of_day(c->unit, a[i]);
  }
}

bool part_of_timestamp(int unit, Timestamp t, int64* part) {
  if (unlikely(!IS_VALID_TIMESTAMP(t))) return false;
  if (unit == DTK_EPOCH) return !__builtin_add_overflow(t, kUnixEpoch, part);
  int64 rest;
  const int64 day = day_of(t, &rest);
  *part = is_part_of_day(unit) ? part_of_day(unit, day) : part_of_time(unit, rest);
  return true;
}

static void run_extract_timestamp(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  c->scale = scale_of_part(c->unit);
  const int64* a = integers(c->args[0]);
  for (int i = 0; i < n; i++)
    if (!row_is_null(&c->out, i) && !part_of_timestamp(c->unit, a[i], &integers_out(c)[i])) mark_bad(c, i);
}

/* With core's own divisions and additions, which round. */
float8 float_part(int unit, int64 part) {
  switch (unit) {
    case DTK_EPOCH:
      return static_cast<float8>(part) / 1000000.0;
    case DTK_SECOND:
      return static_cast<float8>(part / USECS_PER_SEC) + static_cast<float8>(part % USECS_PER_SEC) / 1000000.0;
    default:
      return static_cast<float8>(part);
  }
}

static void run_date_part(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  for (int i = 0; i < n; i++) {
    int64 part = 0;
    if (!row_is_null(&c->out, i) && !part_of_timestamp(c->unit, a[i], &part)) mark_bad(c, i);
    c->out.values[i] = Float8GetDatum(float_part(c->unit, part));
  }
}

Timestamp truncated(int unit, Timestamp t) {
  int64 rest;
  const int64 day = day_of(t, &rest);
  switch (unit) {
    case DTK_SECOND:
      return t - rest % USECS_PER_SEC;
    case DTK_MINUTE:
      return t - rest % USECS_PER_MINUTE;
    case DTK_HOUR:
      return t - rest % USECS_PER_HOUR;
    case DTK_DAY:
      return t - rest;
    case DTK_WEEK:
      return (day - (j2day(static_cast<int>(day) + POSTGRES_EPOCH_JDATE) + 6) % 7) * USECS_PER_DAY;
    default:
      break;
  }
  const Civil c = civil_of(day);
  const int month = unit == DTK_YEAR ? 1 : unit == DTK_QUARTER ? (c.month - 1) / 3 * 3 + 1 : c.month;
  return to_days(c.year, month, 1) * USECS_PER_DAY;
}

static void run_trunc(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  for (int i = 0; i < n; i++) {
    if (row_is_null(&c->out, i)) continue;
    /* Infinities stay. The first weeks and months there are begin before the first timestamp: an error. */
    if (unlikely(!IS_VALID_TIMESTAMP(a[i]))) {
      mark_bad(c, i);
      continue;
    }
    integers_out(c)[i] = truncated(c->unit, a[i]);
    if (unlikely(!IS_VALID_TIMESTAMP(integers_out(c)[i]))) mark_bad(c, i);
  }
}

bool time_unit(Oid function, Datum name, int* unit) {
  text* t = DatumGetTextPP(name);
  char* lower = downcase_truncate_identifier(VARDATA_ANY(t), static_cast<int>(VARSIZE_ANY_EXHDR(t)), false);
  int type = DecodeUnits(0, lower, unit);
  const bool truncation = function == F_DATE_TRUNC_TEXT_TIMESTAMP || function == F_DATE_TRUNC_TEXT_TIMESTAMPTZ ||
                          function == F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT;
  if (type == UNKNOWN_FIELD && !truncation) type = DecodeSpecial(0, lower, unit);
  if (type == RESERV) return *unit == DTK_EPOCH;
  if (type != UNITS) return false;
  switch (function) {
    case F_EXTRACT_TEXT_DATE:
      return is_part_of_day(*unit);
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
      return is_part_of_day(*unit) || *unit == DTK_HOUR || *unit == DTK_MINUTE || *unit == DTK_SECOND ||
             *unit == DTK_MILLISEC || *unit == DTK_MICROSEC;
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
      return is_part_of_day(*unit) || *unit == DTK_HOUR || *unit == DTK_MINUTE || *unit == DTK_SECOND ||
             *unit == DTK_MICROSEC;
    default: /* date_trunc */
      return *unit == DTK_YEAR || *unit == DTK_QUARTER || *unit == DTK_MONTH || *unit == DTK_WEEK ||
             *unit == DTK_DAY || *unit == DTK_HOUR || *unit == DTK_MINUTE || *unit == DTK_SECOND;
  }
}

const Operation kTimeOperations[] = {
    {F_EXTRACT_TEXT_DATE, 1, Form::kNumeric, 8, true, run_extract_date},
    {F_EXTRACT_TEXT_TIMESTAMP, 1, Form::kNumeric, 8, true, run_extract_timestamp},
    {F_DATE_PART_TEXT_TIMESTAMP, 1, Form::kFloat8, 8, true, run_date_part},
    {F_DATE_TRUNC_TEXT_TIMESTAMP, 1, Form::kInteger, 8, true, run_trunc},
    {F_EXTRACT_TEXT_TIMESTAMPTZ, 1, Form::kNumeric, 8, true, run_extract_zoned},
    {F_DATE_PART_TEXT_TIMESTAMPTZ, 1, Form::kFloat8, 8, true, run_date_part_zoned},
    {F_DATE_TRUNC_TEXT_TIMESTAMPTZ, 1, Form::kInteger, 8, true, run_trunc_zoned},
    {F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, 1, Form::kInteger, 8, true, run_trunc_zoned},
    {InvalidOid}};

const Operation kDateOperations[] = {
    {F_DATE_PLI, 2, Form::kInteger, 4, true, run_date_plus},
    {F_DATE_MII, 2, Form::kInteger, 4, true, run_date_minus},
    {F_DATE_MI, 2, Form::kInteger, 4, true, run_date_difference},
    {F_DATE_TIMESTAMP, 1, Form::kInteger, 4, true, run_timestamp_to_date},
    {F_TIMESTAMP_DATE, 1, Form::kInteger, 8, true, run_date_to_timestamp},
    {F_DATE_TIMESTAMPTZ, 1, Form::kInteger, 4, true, run_zoned_to_date},
    {F_TIMESTAMPTZ_DATE, 1, Form::kInteger, 8, true, run_date_to_zoned},
    {F_TIMESTAMP_TIMESTAMPTZ, 1, Form::kInteger, 8, true, run_zoned_to_timestamp},
    {InvalidOid}};

}  // namespace mr
