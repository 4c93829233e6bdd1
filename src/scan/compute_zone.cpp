/*
 * compute_zone.cpp: timestamps with time zone: casts, extract(), date_part() and date_trunc() in the session's
 * time zone, AT TIME ZONE.
 *
 * The zone's offset is core's answer for one moment, kept for all moments up to the next boundary
 * that core knows of. What is not is_ordinary() is left to core.
 */
#include "scan/time_parts.h"

extern "C" {
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace mr {

/* Moments, in seconds since 1970, that have one offset. */
struct Span {
  pg_time_t from;
  pg_time_t to;
  int64 offset; /* microseconds east of Greenwich */
};

/* The offset that local midnight of a day has. */
struct Midnight {
  int32 day;
  bool known;
  int64 offset;
};

struct ZoneCache {
  pg_tz* zone;
  int last; /* span found last */
  int n;
  int next; /* to be overwritten when all are in use */
  Span spans[64];
  Midnight midnights[1024];
};

static ZoneCache* zone_of(Computed* c, ExprContext* econtext) {
  if (c->zone == nullptr)
    c->zone = static_cast<ZoneCache*>(MemoryContextAllocZero(econtext->ecxt_per_query_memory, sizeof(ZoneCache)));
  pg_tz* zone = c->at_zone != nullptr ? c->at_zone : session_timezone;
  if (c->zone->zone != zone) {
    memset(c->zone, 0, sizeof(ZoneCache));
    c->zone->zone = zone;
  }
  return c->zone;
}

/* No abbreviation has a slash, and UTC means the same as abbreviation and as zone. */
pg_tz* zone_by_name(Datum name) {
  const char* zone = TextDatumGetCString(name);
  return strchr(zone, '/') != nullptr || pg_strcasecmp(zone, "UTC") == 0 ? pg_tzset(zone) : nullptr;
}

static Span find_span(ZoneCache* cache, pg_time_t t) {
  long before;
  long after;
  int before_dst;
  int after_dst;
  pg_time_t boundary;
  Span span = {t, t + 1, static_cast<int64>(pg_localtime(&t, cache->zone)->tm_gmtoff) * USECS_PER_SEC};
  const int found = pg_next_dst_boundary(&t, &before, &before_dst, &boundary, &after, &after_dst, cache->zone);
  if (found == 0) span.to = PG_INT64_MAX; /* none follows */
  if (found > 0 && boundary > t) span.to = boundary;
  return span;
}

static int64 offset_at(ZoneCache* cache, Timestamp t) {
  int64 rest;
  const int64 day = day_of(t, &rest);
  const pg_time_t seconds =
      (day + POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY + rest / USECS_PER_SEC;
  const Span* last = &cache->spans[cache->last];
  if (likely(seconds >= last->from && seconds < last->to)) return last->offset;
  for (int i = 0; i < cache->n; i++) {
    if (seconds < cache->spans[i].from || seconds >= cache->spans[i].to) continue;
    cache->last = i;
    return cache->spans[i].offset;
  }
  const Span span = find_span(cache, seconds);
  /* Earlier moments of a span that is known by later ones. */
  int at = -1;
  for (int i = 0; i < cache->n; i++)
    if (cache->spans[i].to == span.to) at = i;
  if (at < 0 && cache->n < static_cast<int>(lengthof(cache->spans))) at = cache->n++;
  if (at < 0) at = cache->next++ % lengthof(cache->spans);
  cache->spans[at] = span;
  cache->last = at;
  return span.offset;
}

/* As core finds out what clocks show midnight for. */
static int64 offset_of_midnight(ZoneCache* cache, int64 day) {
  Midnight* m = &cache->midnights[static_cast<uint64>(day) % lengthof(cache->midnights)];
  if (m->known && m->day == day) return m->offset;
  struct pg_tm tm = {};
  const Civil c = civil_of(day);
  tm.tm_year = c.year;
  tm.tm_mon = c.month;
  tm.tm_mday = c.day;
  *m = {static_cast<int32>(day), true, -static_cast<int64>(DetermineTimeZoneOffset(&tm, cache->zone)) * USECS_PER_SEC};
  return m->offset;
}

/* Runs give(i, moment, local) for the rows that are not null, and marks those bad that are not ordinary. */
template <class Give>
static void run_zoned(Computed* c, ZoneCache* zone, int n, Give give) {
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  for (int i = 0; i < n; i++) {
    if (row_is_null(&c->out, i)) continue;
    if (unlikely(!is_ordinary(a[i])))
      mark_bad(c, i);
    else
      give(i, a[i], a[i] + offset_at(zone, a[i]));
  }
}

static bool zoned_part(int unit, TimestampTz moment, Timestamp local, int64* part) {
  return part_of_timestamp(unit, unit == DTK_EPOCH ? moment : local, part);
}

void run_extract_zoned(Computed* c, ExprContext* econtext, int n) {
  run_zoned(c, zone_of(c, econtext), n, [=](int i, int64 moment, int64 local) {
    if (!zoned_part(c->unit, moment, local, &integers_out(c)[i])) mark_bad(c, i);
  });
  c->scale = scale_of_part(c->unit);
}

void run_date_part_zoned(Computed* c, ExprContext* econtext, int n) {
  run_zoned(c, zone_of(c, econtext), n, [=](int i, int64 moment, int64 local) {
    int64 part = 0;
    if (!zoned_part(c->unit, moment, local, &part)) mark_bad(c, i);
    c->out.values[i] = Float8GetDatum(float_part(c->unit, part));
  });
}

void run_trunc_zoned(Computed* c, ExprContext* econtext, int n) {
  ZoneCache* zone = zone_of(c, econtext);
  const bool keeps_offset = c->unit == DTK_HOUR || c->unit == DTK_MINUTE || c->unit == DTK_SECOND;
  run_zoned(c, zone, n, [=](int i, int64 moment, int64 local) {
    const Timestamp t = truncated(c->unit, local);
    integers_out(c)[i] = t - (keeps_offset ? local - moment : offset_of_midnight(zone, t / USECS_PER_DAY));
  });
}

void run_zoned_to_date(Computed* c, ExprContext* econtext, int n) {
  run_zoned(c, zone_of(c, econtext), n, [=](int i, int64, int64 local) {
    int64 rest;
    integers_out(c)[i] = day_of(local, &rest);
  });
}

void run_zoned_to_timestamp(Computed* c, ExprContext* econtext, int n) {
  run_zoned(c, zone_of(c, econtext), n, [=](int i, int64, int64 local) { integers_out(c)[i] = local; });
}

void run_date_to_zoned(Computed* c, ExprContext* econtext, int n) {
  ZoneCache* zone = zone_of(c, econtext);
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  for (int i = 0; i < n; i++) {
    if (row_is_null(&c->out, i)) continue;
    if (unlikely(a[i] < kFirstDay || a[i] >= kLastDay))
      mark_bad(c, i);
    else
      integers_out(c)[i] = a[i] * USECS_PER_DAY - offset_of_midnight(zone, a[i]);
  }
}

const Operation kZoneOperations[] = {{F_TIMEZONE_TEXT_TIMESTAMPTZ, 1, Form::kInteger, 8, true, run_zoned_to_timestamp},
                                     {InvalidOid}};

}  // namespace mr
