/* decimal_scalar.cpp: stored numerics one at a time. */
#include <string.h>

#include "kernels/decimal.h"

size_t mr_decimal_column_scalar(const char* const* values, size_t n, int scale, int64_t* out) {
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
  return 0;
#else
  static const int64_t powers[] = {1, 10, 100, 1000};
  for (size_t i = 0; i < n; i++) {
    const uint8_t* p = reinterpret_cast<const uint8_t*>(values[i]);
    const int bytes = p[0] >> 1;
    if ((p[0] & 1) == 0 || bytes < 3 || bytes > 11 || bytes % 2 == 0) return i;
    const int n_digits = (bytes - 3) / 2;
    uint16_t header;
    memcpy(&header, p + 1, sizeof(header));
    if ((header & 0xC000) != 0x8000 || (header & 0x1F80) >> 7 != scale) return i;
    const int weight = (header & 0x003F) - (header & 0x0040);
    int64_t v = 0;
    for (int k = 0; k < n_digits; k++) {
      uint16_t digit;
      memcpy(&digit, p + 3 + 2 * k, sizeof(digit));
      v = v * 10000 + digit;
    }
    const int exponent = n_digits == 0 ? 0 : 4 * (weight - n_digits + 1) + scale;
    if (exponent < -3 || exponent > 2) return i;
    if (exponent >= 0) {
      v *= powers[exponent];
    } else {
      if (v % powers[-exponent] != 0) return i;
      v /= powers[-exponent];
    }
    out[i] = header & 0x2000 ? -v : v;
  }
  return n;
#endif
}
