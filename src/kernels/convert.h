/*
 * convert.h: typed converters that run down one column of a batch.
 *
 * Every converter has the same shape. Field i is base[start[i], start[i] + len[i]),
 * already unquoted and unescaped; the fields of a batch lie anywhere in one
 * buffer with MR_SLACK readable bytes around it, in no promised order. status[i]
 * is MR_NULL or MR_VALUE on entry; on return MR_REFUSED marks the fields whose
 * spelling the kernel is not sure of (their out is undefined). The return value
 * is the number of refused fields. Fields that are MR_NULL are not read: their
 * start and len may hold anything, and their out may be written.
 *
 * A value that is given is exactly what PostgreSQL's input function for the type
 * gives for those bytes, under every setting of DateStyle, IntervalStyle,
 * TimeZone and lc_*. A spelling whose meaning depends on a setting is refused.
 * Leading or trailing blanks, a plus sign, underscores, and anything else that
 * is unusual are refused too: correct input is never lost by it, only slower.
 *
 * Each has a `_scalar` twin of the same contract: byte-at-a-time code that may
 * be simpler in what it accepts nowhere: both accept the same spellings.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MR_FIELDS const char *base, const uint32_t *start, const uint32_t *len, uint32_t n
#define MR_DECLARE_CONVERTER(name, ...)                   \
  uint32_t name(MR_FIELDS, __VA_ARGS__, uint8_t* status); \
  uint32_t name##_scalar(MR_FIELDS, __VA_ARGS__, uint8_t* status)

/* Optional minus sign and 1 to 5 / 10 / 19 / 10 digits within range (leading zeros count as digits). */
MR_DECLARE_CONVERTER(mr_convert_int2, int16_t* out);
MR_DECLARE_CONVERTER(mr_convert_int4, int32_t* out);
MR_DECLARE_CONVERTER(mr_convert_int8, int64_t* out);
MR_DECLARE_CONVERTER(mr_convert_oid, uint32_t* out); /* no sign */

/*
 * numeric as PostgreSQL stores it, without the varlena length word: field i's
 * out_len[i] bytes at out + 32 * i, a 2-byte short header (sign, display scale,
 * weight) and base-10000 digits in native byte order, no leading or trailing
 * zero digit group; zero is the header alone with weight 0.
 * precision and scale are the column's typmod, or -1, -1 without one. With a
 * typmod, values with more than `scale` fractional digits, or more than
 * precision - scale integral digits, are refused; the display scale is `scale`.
 * Without, it is the number of fractional digits written. Accepts an optional
 * minus sign and 1 to 18 digits, with or without a point before, among or after
 * them. Every field is refused where scale is negative, above precision, or
 * above 63 (the short header's limit). The bytes of out[32 * i] up to 16 may be
 * written beyond out_len[i].
 */
MR_DECLARE_CONVERTER(mr_convert_numeric, int precision, int scale, uint8_t* out, uint8_t* out_len);

/* YYYY-MM-DD, years 0001 to 9999, a real calendar day: days since 2000-01-01. */
MR_DECLARE_CONVERTER(mr_convert_date, int32_t* out);

/*
 * YYYY-MM-DD HH:MM:SS, or with T for the blank, with an optional point and 1 to
 * 6 digits: microseconds since 2000-01-01. Hours 00 to 23, minutes and seconds
 * 00 to 59. fraction_digits is the typmod (0 to 6) or -1: a spelling with more
 * fractional digits than a typmod keeps is refused.
 */
MR_DECLARE_CONVERTER(mr_convert_timestamp, int fraction_digits, int64_t* out);

/*
 * The same, followed by Z or by a zone [+-]HH, [+-]HHMM or [+-]HH:MM (hours up to 15): UTC
 * microseconds since 2000-01-01. Without a zone the local microseconds are
 * written and the status is MR_LOCAL (not counted as refused).
 * T and Z mean this under the timezone_abbreviations sets that come with
 * PostgreSQL (Default, Australia, India). A site's own set may redefine either
 * letter, and from 18 on so may a TimeZone with a zone named <Z> or <T>; the
 * caller sees to it that the timestamp converters are not used then.
 */
MR_DECLARE_CONVERTER(mr_convert_timestamptz, int fraction_digits, int64_t* out);

/* HH:MM:SS with an optional point and 1 to 6 digits: microseconds since midnight. */
MR_DECLARE_CONVERTER(mr_convert_time, int fraction_digits, int64_t* out);

/*
 * Optional minus sign, digits with or without a point before, among or after
 * them, optional e or E with optional sign and digits; the nearest value (ties to
 * even). A result that overflows, or is zero or subnormal from non-zero digits,
 * is refused.
 */
MR_DECLARE_CONVERTER(mr_convert_float4, float* out);
MR_DECLARE_CONVERTER(mr_convert_float8, double* out);

/* t, f, true, false, 1, 0, y, n, yes, no, on, off in lower case: 1 or 0. */
MR_DECLARE_CONVERTER(mr_convert_bool, uint8_t* out);

/* 8-4-4-4-12 or 32 hexadecimal digits of either case: 16 bytes at out + 16 * i. */
MR_DECLARE_CONVERTER(mr_convert_uuid, uint8_t* out);

/*
 * \x and an even number of hexadecimal digits of either case. The bytes of field i go to
 * out + out_pos[i]; out_len[i] of them. out has (sum of len) / 2 + MR_SLACK
 * bytes; out_pos is written too.
 */
MR_DECLARE_CONVERTER(mr_convert_bytea_hex, uint8_t* out, uint32_t* out_pos, uint32_t* out_len);

#ifdef __cplusplus
}
#endif
