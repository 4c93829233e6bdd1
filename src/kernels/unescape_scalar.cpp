/*
 * unescape_scalar.cpp: field values a byte at a time, after
 * CopyReadAttributesText() and CopyReadAttributesCSV() of copyfromparse.c.
 */
#include "kernels/unescape.h"

int64_t mr_unescape_text_scalar(const char* src, size_t src_len, char* dst) {
  char* to = dst;
  for (size_t i = 0; i < src_len; i++) {
    char c = src[i];
    if (c == '\\') {
      if (++i == src_len) return -1;
      c = src[i];
      if ((c >= '0' && c <= '7') || c == 'x') return -1;
      switch (c) {
        case 'b':
          c = '\b';
          break;
        case 'f':
          c = '\f';
          break;
        case 'n':
          c = '\n';
          break;
        case 'r':
          c = '\r';
          break;
        case 't':
          c = '\t';
          break;
        case 'v':
          c = '\v';
          break;
      }
    }
    *to++ = c;
  }
  return to - dst;
}

int64_t mr_unquote_csv_scalar(const char* src, size_t src_len, char quote, char escape, char* dst,
                              int* was_quoted) {
  char* to = dst;
  bool in_quote = false;
  *was_quoted = 0;
  for (size_t i = 0; i < src_len; i++) {
    const char c = src[i];
    if (!in_quote) {
      if (c == quote) {
        in_quote = true;
        *was_quoted = 1;
      } else {
        *to++ = c;
      }
      continue;
    }
    /* The escape is looked at first: it may be the quote itself. */
    if (c == escape && i + 1 < src_len && (src[i + 1] == escape || src[i + 1] == quote)) {
      *to++ = src[++i];
      continue;
    }
    if (c == quote)
      in_quote = false;
    else
      *to++ = c;
  }
  return in_quote ? -1 : to - dst;
}
