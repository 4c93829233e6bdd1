/*
 * find.h: a string within a string.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where needle[0, m) first occurs in text[0, n), m > 0; n: nowhere. Reads nothing outside of both.
 * Source: W. Mula, "SIMD-friendly algorithms for substring searching", the generic one.
 */
size_t mr_find_bytes(const char* text, size_t n, const char* needle, size_t m);
size_t mr_find_bytes_scalar(const char* text, size_t n, const char* needle, size_t m);

#ifdef __cplusplus
}
#endif
