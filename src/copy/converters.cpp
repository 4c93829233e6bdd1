#include "copy/converter.h"

extern "C" {
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "pgtime.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
}

#include "kernels/convert.h"
#include "kernels/utf8.h"

namespace mr {

/* A kernel that writes attlen bytes a value and takes no argument. */
template <typename T, uint32 (*kernel)(const char*, const uint32_t*, const uint32_t*, uint32_t, T*, uint8_t*)>
static uint32 convert_fixed(Column* c, const char* text, uint32 n) {
  return kernel(text, c->start, c->len, n, reinterpret_cast<T*>(c->values), c->state);
}

/* A kernel whose argument is how many fractional digits of a second the typmod keeps. */
template <uint32 (*kernel)(const char*, const uint32_t*, const uint32_t*, uint32_t, int, int64_t*, uint8_t*)>
static uint32 convert_time_of(Column* c, const char* text, uint32 n) {
  return kernel(text, c->start, c->len, n, c->arg1, reinterpret_cast<int64_t*>(c->values), c->state);
}

static bool plan_seconds(Column* c) {
  c->arg1 = c->att->atttypmod < 0 ? -1 : c->att->atttypmod;
  return true;
}

/*
 * The kernels read T as the separator and Z as UTC. Both are looked up among the time zone
 * abbreviations first, so only the sets that come with PostgreSQL, where they mean that, are taken; since 18
 * the abbreviations of the session's zone count too, and a POSIX zone can name any.
 */
static bool plan_timestamp(Column* c) {
  const char* set = GetConfigOption("timezone_abbreviations", true, false);
  if (set == nullptr || (pg_strcasecmp(set, "default") != 0 && pg_strcasecmp(set, "australia") != 0 &&
                         pg_strcasecmp(set, "india") != 0))
    return false;
  if (PG_VERSION_NUM >= 180000 && strchr(pg_get_timezone_name(session_timezone), '<') != nullptr) return false;
  return plan_seconds(c);
}

/* The local times among the fields are placed by the session's time zone, as timestamptz_in() places them. */
static uint32 convert_timestamptz(Column* c, const char* text, uint32 n) {
  int64* values = reinterpret_cast<int64*>(c->values);
  uint32 refused = mr_convert_timestamptz(text, c->start, c->len, n, c->arg1, values, c->state);
  for (uint32 i = 0; i < n; i++) {
    if (c->state[i] != MR_LOCAL) continue;
    struct pg_tm tm;
    fsec_t fsec;
    Timestamp utc;
    if (timestamp2tm(values[i], nullptr, &tm, &fsec, nullptr, nullptr) == 0) {
      int tz = DetermineTimeZoneOffset(&tm, session_timezone);
      if (tm2timestamp(&tm, fsec, &tz, &utc) == 0) {
        values[i] = utc;
        c->state[i] = MR_VALUE;
        continue;
      }
    }
    c->state[i] = MR_REFUSED;
    refused++;
  }
  return refused;
}

/* numeric(p, s): a negative or too large scale (allowed since 15) is left to numeric_in(). */
static bool plan_numeric(Column* c) {
  int32 typmod = c->att->atttypmod;
  c->arg1 = c->arg2 = -1;
  if (typmod < static_cast<int32>(VARHDRSZ)) return true;
  int32 packed = typmod - VARHDRSZ;
  int scale = ((packed & 0x7ff) ^ 1024) - 1024; /* numeric_typmod_scale() of numeric.c */
  c->arg1 = (packed >> 16) & 0xffff;
  c->arg2 = scale;
  return scale >= 0 && scale <= c->arg1;
}

static uint32 convert_numeric(Column* c, const char* text, uint32 n) {
  uint8 lengths[kFlushRows];
  uint32 refused = mr_convert_numeric(text, c->start, c->len, n, c->arg1, c->arg2, c->payload_room, lengths, c->state);
  c->payload = reinterpret_cast<const char*>(c->payload_room);
  for (uint32 i = 0; i < n; i++) {
    if (c->state[i] != MR_VALUE) continue; /* a refused field keeps its span */
    c->start[i] = 32 * i;
    c->len[i] = lengths[i];
  }
  return refused;
}

static uint32 convert_text(Column* c, const char* text, uint32 n) {
  c->payload = text;
  return 0;
}

/* Characters of a field; bytes in single-byte encodings and where all text of the batch is plain ASCII. */
static inline uint32 characters(const Column* c, const char* text, uint32 i) {
  if (c->ascii || !c->counts_characters) return c->len[i];
  return mr_utf8_count(text + c->start[i], c->len[i]);
}

/* varchar(n) and char(n): the limit counts characters, which only UTF-8 and the single-byte encodings count here. */
static bool plan_length(Column* c) {
  c->arg1 = c->att->atttypmod < static_cast<int32>(VARHDRSZ) ? -1 : c->att->atttypmod - VARHDRSZ;
  c->counts_characters = c->arg1 >= 0 && GetDatabaseEncoding() == PG_UTF8;
  return c->arg1 < 0 || c->counts_characters || pg_database_encoding_max_length() == 1;
}

static uint32 convert_varchar(Column* c, const char* text, uint32 n) {
  c->payload = text;
  if (c->arg1 < 0) return 0;
  const uint32 limit = c->arg1;
  uint32 refused = 0;
  for (uint32 i = 0; i < n; i++) {
    if (c->len[i] <= limit || c->state[i] != MR_VALUE) continue;
    if (characters(c, text, i) > limit) c->state[i] = MR_REFUSED, refused++;
  }
  return refused;
}

/* Longest char(n) whose values are padded here: longer ones end up compressed anyway. */
constexpr int kLongestPadded = 1000;

static bool plan_bpchar(Column* c) { return plan_length(c) && c->arg1 <= kLongestPadded; }

/* Most bytes that the padded values of one column of a batch take. */
constexpr Size kMaxPadded = 16 * 1024 * 1024;

/*
 * Shorter values are padded with blanks; longer ones may lose blanks or raise an error,
 * which bpcharin() decides.
 */
static uint32 convert_bpchar(Column* c, const char* text, uint32 n) {
  c->payload = text;
  if (c->arg1 < 0) return 0;
  const uint32 limit = c->arg1;
  uint32 refused = 0;
  Size room = 0;
  bool pad = false;
  for (uint32 i = 0; i < n; i++) {
    if (c->state[i] != MR_VALUE) continue;
    uint32 have = characters(c, text, i);
    if (have > limit) {
      c->state[i] = MR_REFUSED;
      refused++;
      continue;
    }
    pad |= have < limit;
    room += c->len[i] + (limit - have);
  }
  if (!pad) return refused;
  if (room > kMaxPadded) { /* offsets are 32 bits; such columns are bpcharin()'s */
    for (uint32 i = 0; i < n; i++)
      if (c->state[i] == MR_VALUE) c->state[i] = MR_REFUSED, refused++;
    return refused;
  }
  char* out = static_cast<char*>(palloc(room + MR_SLACK));
  c->payload = out;
  Size at = 0;
  for (uint32 i = 0; i < n; i++) {
    if (c->state[i] != MR_VALUE) continue;
    const char* from = text + c->start[i];
    uint32 len = c->len[i], blanks = limit - characters(c, text, i);
    /* in steps of 16 bytes: what is too much is written over by what comes next, or falls into the slack */
    for (uint32 k = 0; k < len; k += 16) memcpy(out + at + k, from + k, 16);
    for (uint32 k = 0; k < blanks; k += 16) memset(out + at + len + k, ' ', 16);
    c->start[i] = at;
    c->len[i] = len + blanks;
    at += len + blanks;
  }
  return refused;
}

/* "char" is one byte; longer spellings and the empty one are charin()'s. */
static uint32 convert_char(Column* c, const char* text, uint32 n) {
  uint32 refused = 0;
  for (uint32 i = 0; i < n; i++) {
    if (c->state[i] != MR_VALUE) continue;
    if (c->len[i] == 1)
      c->values[i] = text[c->start[i]];
    else
      c->state[i] = MR_REFUSED, refused++;
  }
  return refused;
}

static uint32 convert_name(Column* c, const char* text, uint32 n) {
  uint32 refused = 0;
  for (uint32 i = 0; i < n; i++) {
    if (c->state[i] != MR_VALUE) continue;
    char* out = c->values + static_cast<Size>(i) * NAMEDATALEN;
    if (c->len[i] < NAMEDATALEN) {
      memset(out, 0, NAMEDATALEN);
      memcpy(out, text + c->start[i], c->len[i]);
    } else {
      c->state[i] = MR_REFUSED;
      refused++;
    }
  }
  return refused;
}

static uint32 convert_bytea(Column* c, const char* text, uint32 n) {
  Size total = 0;
  for (uint32 i = 0; i < n; i++)
    if (c->state[i] == MR_VALUE) total += c->len[i];
  uint8* out = static_cast<uint8*>(palloc(total / 2 + MR_SLACK));
  uint32* position = static_cast<uint32*>(palloc(n * sizeof(uint32)));
  uint32* length = static_cast<uint32*>(palloc(n * sizeof(uint32)));
  uint32 refused = mr_convert_bytea_hex(text, c->start, c->len, n, out, position, length, c->state);
  c->payload = reinterpret_cast<const char*>(out);
  for (uint32 i = 0; i < n; i++) {
    if (c->state[i] != MR_VALUE) continue;
    c->start[i] = position[i];
    c->len[i] = length[i];
  }
  return refused;
}

static const Converter kConverters[] = {
    {INT2OID, Vector::kFixed, false, nullptr, convert_fixed<int16_t, mr_convert_int2>},
    {INT4OID, Vector::kFixed, false, nullptr, convert_fixed<int32_t, mr_convert_int4>},
    {INT8OID, Vector::kFixed, false, nullptr, convert_fixed<int64_t, mr_convert_int8>},
    {OIDOID, Vector::kFixed, false, nullptr, convert_fixed<uint32_t, mr_convert_oid>},
    {FLOAT4OID, Vector::kFixed, false, nullptr, convert_fixed<float, mr_convert_float4>},
    {FLOAT8OID, Vector::kFixed, false, nullptr, convert_fixed<double, mr_convert_float8>},
    {BOOLOID, Vector::kFixed, false, nullptr, convert_fixed<uint8_t, mr_convert_bool>},
    {DATEOID, Vector::kFixed, false, nullptr, convert_fixed<int32_t, mr_convert_date>},
    {UUIDOID, Vector::kFixed, false, nullptr, convert_fixed<uint8_t, mr_convert_uuid>},
    {TIMEOID, Vector::kFixed, false, plan_seconds, convert_time_of<mr_convert_time>},
    {TIMESTAMPOID, Vector::kFixed, false, plan_timestamp, convert_time_of<mr_convert_timestamp>},
    {TIMESTAMPTZOID, Vector::kFixed, false, plan_timestamp, convert_timestamptz},
    {NUMERICOID, Vector::kVarlena, true, plan_numeric, convert_numeric},
    {TEXTOID, Vector::kVarlena, false, nullptr, convert_text},
    {VARCHAROID, Vector::kVarlena, false, plan_length, convert_varchar},
    {BPCHAROID, Vector::kVarlena, false, plan_bpchar, convert_bpchar},
    {BYTEAOID, Vector::kVarlena, false, nullptr, convert_bytea},
    {CHAROID, Vector::kFixed, false, nullptr, convert_char},
    {NAMEOID, Vector::kFixed, false, nullptr, convert_name},
};

const Converter* find_converter(Column* column) {
  for (const Converter& c : kConverters)
    if (c.type == column->att->atttypid) return c.plan == nullptr || c.plan(column) ? &c : nullptr;
  return nullptr;
}

}  // namespace mr
