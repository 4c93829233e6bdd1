/*
 * utf8_scalar.cpp: UTF-8 a character at a time, by the table of well-formed byte
 * sequences in the Unicode standard (table 3-7), which pg_utf8_islegal() follows.
 */
#include "kernels/utf8.h"

namespace {

bool In(uint8_t c, uint8_t low, uint8_t high) { return c >= low && c <= high; }
bool IsContinuation(uint8_t c) { return In(c, 0x80, 0xBF); }

/* Length in bytes of the character at s, of which n > 0 bytes exist; 0 when it is not a whole valid one. */
size_t CharacterLength(const uint8_t* s, size_t n) {
  const uint8_t lead = s[0];
  if (lead < 0x80) return lead != 0;
  if (In(lead, 0xC2, 0xDF)) return n >= 2 && IsContinuation(s[1]) ? 2 : 0;
  if (In(lead, 0xE0, 0xEF)) {
    const uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;  /* no overlong form */
    const uint8_t high = lead == 0xED ? 0x9F : 0xBF; /* no surrogate */
    return n >= 3 && In(s[1], low, high) && IsContinuation(s[2]) ? 3 : 0;
  }
  if (In(lead, 0xF0, 0xF4)) {
    const uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xF4 ? 0x8F : 0xBF; /* nothing above U+10FFFF */
    return n >= 4 && In(s[1], low, high) && IsContinuation(s[2]) && IsContinuation(s[3]) ? 4 : 0;
  }
  return 0;
}

}  // namespace

size_t mr_utf8_valid_prefix_scalar(const char* s, size_t n) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(s);
  size_t at = 0;
  while (at < n) {
    const size_t length = CharacterLength(bytes + at, n - at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

size_t mr_utf8_count_scalar(const char* s, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) count += !IsContinuation(static_cast<uint8_t>(s[i]));
  return count;
}

size_t mr_nul_free_prefix_scalar(const char* s, size_t n) {
  size_t at = 0;
  while (at < n && s[at] != '\0') at++;
  return at;
}
