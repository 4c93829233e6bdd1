/*
 * line_pointers.h: the line pointer array of a heap page, as its 32-bit words.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Number of line pointers among items[0, n) whose state is LP_NORMAL: bits 15 and
 * 16 of an ItemIdData hold lp_flags, on little- and big-endian machines alike, and
 * LP_NORMAL is 1. Reads nothing outside items[0, n).
 */
size_t mr_count_normal_pointers(const uint32_t* items, size_t n);
size_t mr_count_normal_pointers_scalar(const uint32_t* items, size_t n);

/*
 * Addresses of the items of those: out[k] becomes page + lp_off of the k-th, in the order of line pointers.
 * Returns how many there are; out has room for n.
 */
size_t mr_normal_items(const uint32_t* items, size_t n, char* page, char** out);
size_t mr_normal_items_scalar(const uint32_t* items, size_t n, char* page, char** out);

#ifdef __cplusplus
}
#endif
