/*
 * unescape.h: the value of a field from its bytes in the file, for the fields
 * the structural index calls odd. The output is never longer than the input;
 * src and dst do not overlap; src has MR_SLACK readable bytes after src_len, and
 * dst as many writable ones, which are overwritten.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * COPY text format: \b \f \n \r \t \v become the control character, a backslash
 * before any other byte gives that byte. Octal and hexadecimal escapes and a
 * final lone backslash are not decided here. Returns the length written, or -1
 * for those.
 */
int64_t mr_unescape_text(const char* src, size_t src_len, char* dst);
int64_t mr_unescape_text_scalar(const char* src, size_t src_len, char* dst);

/*
 * CSV: removes quotes, and inside quotes the escape before a quote or an escape,
 * exactly as CopyReadAttributesCSV() does. Sets *was_quoted when any quote
 * opened. Returns the length written, or -1 for an unterminated quote.
 */
int64_t mr_unquote_csv(const char* src, size_t src_len, char quote, char escape, char* dst, int* was_quoted);
int64_t mr_unquote_csv_scalar(const char* src, size_t src_len, char quote, char escape, char* dst,
                              int* was_quoted);

#ifdef __cplusplus
}
#endif
