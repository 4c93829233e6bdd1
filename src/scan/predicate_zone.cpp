/*
 * predicate_zone.cpp: timestamps with time zone against dates and timestamps without, which mean a moment in the
 * session's time zone.
 *
 * Against one moment or time of the clock, the other side is found once. Where clocks are changed about that moment, and for two columns,
 * it is core that compares; but no clock is off Greenwich by more than a week, so what lies further apart is in order as it stands.
 */
#include "scan/predicates.h"

extern "C" {
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
}

#include "scan/time_parts.h"

namespace mr {

bool is_zoned(Domain domain) {
  return domain == Domain::kDateZoned || domain == Domain::kTimestampZoned || domain == Domain::kZonedDate ||
         domain == Domain::kZonedTimestamp;
}

constexpr int64 kFarApart = 8 * USECS_PER_DAY;

/* Are clocks not changed from a week before the moment to a week after it? */
static bool is_steady(TimestampTz moment) {
  const pg_time_t from = timestamptz_to_time_t(moment - kFarApart);
  long before;
  long after;
  int before_dst;
  int after_dst;
  pg_time_t boundary;
  const int found = pg_next_dst_boundary(&from, &before, &before_dst, &boundary, &after, &after_dst, session_timezone);
  return found == 0 || (found > 0 && boundary > timestamptz_to_time_t(moment + kFarApart));
}

void find_zoned_value(Predicate* p) {
  const bool to_moment = p->domain == Domain::kZonedDate || p->domain == Domain::kZonedTimestamp;
  int64 t = static_cast<int64>(p->value);
  if (p->domain == Domain::kZonedDate) t = timestamp_key(t);
  p->plain = is_ordinary(t) && (to_moment || is_steady(t));
  if (!p->plain) return;
  p->value = to_moment ? DirectFunctionCall1(timestamp_timestamptz, TimestampGetDatum(t))
                       : DirectFunctionCall1(timestamptz_timestamp, TimestampTzGetDatum(t));
  if (p->domain == Domain::kDateZoned) date_bound(p);
}

/* As timestamp_cmp_timestamptz(); a date is its midnight. */
static int compare_moments(int64 local, int64 moment) {
  int64 apart;
  if (__builtin_sub_overflow(local, moment, &apart)) return local < moment ? -1 : 1;
  if (apart > kFarApart || apart < -kFarApart) return local < moment ? -1 : 1;
  if (TIMESTAMP_NOT_FINITE(local) || TIMESTAMP_NOT_FINITE(moment)) return local < moment ? -1 : local > moment;
  return timestamp_cmp_timestamptz_internal(local, moment);
}

static int compare_sides(Domain domain, int64 left, int64 right) {
  switch (domain) {
    case Domain::kDateZoned:
      return compare_moments(timestamp_key(left), right);
    case Domain::kZonedDate:
      return -compare_moments(timestamp_key(right), left);
    case Domain::kTimestampZoned:
      return compare_moments(left, right);
    default:
      return -compare_moments(right, left);
  }
}

void compare_zoned_with_value(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const Vector* v = operand_vector(&p->left);
  const int64 value = static_cast<int64>(p->value);
  each_alive(v, n, alive, bits,
             [=](int i) { return satisfies(compare_sides(p->domain, static_cast<int64>(v->values[i]), value), p->op); });
}

void compare_zoned(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const Vector* left = operand_vector(&p->left);
  const Vector* right = operand_vector(&p->right);
  each_alive(left, n, alive, bits, [=](int i) {
    if (row_is_null(right, i)) return false;
    return satisfies(compare_sides(p->domain, static_cast<int64>(left->values[i]), static_cast<int64>(right->values[i])), p->op);
  });
}

}  // namespace mr
