/* find_scalar.cpp: a string within a string, place by place. */
#include "kernels/find.h"

#include <string.h>

size_t mr_find_bytes_scalar(const char* text, size_t n, const char* needle, size_t m) {
  for (size_t at = 0; at + m <= n; at++)
    if (text[at] == needle[0] && memcmp(text + at, needle, m) == 0) return at;
  return n;
}
