/*
 * time_parts.h: timestamps taken apart, for the files that compute with them.
 */
#pragma once
#include "scan/computed.h"

extern "C" {
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"
}

namespace mr {

/* Days since 2000-01-01 of a timestamp, and the microseconds into that day. */
inline int64 day_of(Timestamp t, int64* rest) {
  int64 day = t / USECS_PER_DAY;
  *rest = t % USECS_PER_DAY;
  if (*rest < 0) {
    *rest += USECS_PER_DAY;
    day--;
  }
  return day;
}

struct Civil {
  int year; /* 0 is 1 BC */
  int month;
  int day;
};

inline Civil civil_of(int64 day) {
  Civil c;
  j2date(static_cast<int>(day) + POSTGRES_EPOCH_JDATE, &c.year, &c.month, &c.day);
  return c;
}

/* What extract() gives, times 10^scale_of_part(); false for values that are core's. */
bool part_of_timestamp(int unit, Timestamp t, int64* part);
int scale_of_part(int unit);
/* The same as date_part() gives it. */
float8 float_part(int unit, int64 part);

/* date_trunc() of a finite timestamp; may lie before the first one there is. */
Timestamp truncated(int unit, Timestamp t);

/* Days, from 2000 on, of years from 100 to 9000 or so: what is calculated with zones stays far from all limits. */
constexpr int64 kFirstDay = -690000;
constexpr int64 kLastDay = 2560000;

inline bool is_ordinary(int64 t) { return t >= kFirstDay * USECS_PER_DAY && t < kLastDay * USECS_PER_DAY; }

}  // namespace mr
