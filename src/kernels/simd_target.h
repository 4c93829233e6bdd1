/*
 * simd_target.h: which Highway target the kernels run on, and how to force one.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Names, best first: "avx3_zen4", "avx3_dl", "avx3", "avx2", "sse4", "ssse3", "scalar" (and
 * the NEON, SVE, PPC and so on names, lower case, where Highway has them). "scalar" is
 * millrace's own byte-at-a-time code, not Highway's.
 *
 * Forces one target for every kernel of this process; "auto" takes the best one
 * again. Returns 0, or -1 when this processor or build does not have it (nothing
 * is changed then).
 */
int mr_simd_force(const char* name);

/* Name of the target that kernels called now run on; a static string. */
const char* mr_simd_target(void);

/* Name of the target the kernels last dispatched to really compiled for (asked from inside a dispatched kernel). */
const char* mr_simd_probe(void);

/* Nonzero when the plain scalar twins were forced. */
int mr_simd_is_scalar(void);

/* The i-th target name this process can run, best first and "scalar" last, or NULL past the end. */
const char* mr_simd_supported(int i);

#ifdef __cplusplus
}
#endif
