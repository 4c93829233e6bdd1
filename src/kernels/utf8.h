/*
 * utf8.h: UTF-8 validation and character counting.
 * Validation follows pg_utf8_verifystr(): no NUL byte, no overlong form, no
 * surrogate, nothing above U+10FFFF.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns how many bytes of s[0, n) are valid complete characters: n, or the
 * offset of the first invalid or unfinished one. Reads nothing outside s[0, n).
 * Source of the SIMD algorithm:
 * Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte".
 */
size_t mr_utf8_valid_prefix(const char* s, size_t n);
size_t mr_utf8_valid_prefix_scalar(const char* s, size_t n);

/* Number of characters in valid UTF-8 s[0, n). Reads up to MR_SLACK bytes past the end. */
size_t mr_utf8_count(const char* s, size_t n);
size_t mr_utf8_count_scalar(const char* s, size_t n);

/* Returns the offset of the first NUL byte in s[0, n), or n. For the encodings where any other byte is
 * valid. Reads up to MR_SLACK bytes past the end. */
size_t mr_nul_free_prefix(const char* s, size_t n);
size_t mr_nul_free_prefix_scalar(const char* s, size_t n);

#ifdef __cplusplus
}
#endif
