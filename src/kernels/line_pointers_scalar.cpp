/* line_pointers_scalar.cpp: line pointers one at a time. */
#include "kernels/line_pointers.h"

size_t mr_count_normal_pointers_scalar(const uint32_t* items, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) count += (items[i] >> 15 & 3) == 1;
  return count;
}

size_t mr_normal_items_scalar(const uint32_t* items, size_t n, char* page, char** out) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++) {
    if ((items[i] >> 15 & 3) != 1) continue;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    out[found++] = page + (items[i] >> 17);
#else
    out[found++] = page + (items[i] & 0x7FFF);
#endif
  }
  return found;
}
