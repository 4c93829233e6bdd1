/*
 * simd_target.cpp: the choice of Highway target for every kernel of the process.
 *
 * Highway keeps one process-wide mask of usable targets, and each kernel's
 * dispatch table is indexed by the best bit of it. Forcing a target narrows that
 * mask to one bit; every kernel file of millrace compiles the same set of
 * targets, so they all follow. The same calls exist from Highway 1.0.3 to 1.3.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd_target.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "kernels/simd_target.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

int64_t CompiledTarget() { return HWY_TARGET; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {

HWY_EXPORT(CompiledTarget);

constexpr int kMaxTargets = 32;
constexpr int64_t kNotSimd = HWY_SCALAR | HWY_EMU128; /* Highway's own fallbacks: our twins are better */

bool initialized;
bool scalar_forced;
int64_t usable; /* bits of the targets that both this processor and this build have */
int n_names;
char names[kMaxTargets][24];
int64_t name_bits[kMaxTargets];

void Initialize() {
  if (initialized) return;
  initialized = true;
  usable = hwy::SupportedTargets() & HWY_TARGETS & ~kNotSimd;
  /* Lower bits are better targets, in every release of Highway. */
  for (int64_t rest = usable; rest != 0 && n_names < kMaxTargets; rest &= rest - 1) {
    const int64_t bit = rest & -rest;
    const char* name = hwy::TargetName(bit);
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < sizeof(names[0]); i++)
      names[n_names][i] = static_cast<char>(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    name_bits[n_names++] = bit;
  }
  if (n_names == 0) scalar_forced = true;
}

bool SameName(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) a++, b++;
  return *a == *b;
}

/* Narrows Highway's choice to the targets in `mask`; 0 is all that there are. */
void Choose(int64_t mask) {
  hwy::SetSupportedTargetsForTest(mask);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace millrace

using namespace millrace;

int mr_simd_force(const char* name) {
  Initialize();
  if (SameName(name, "scalar")) {
    scalar_forced = true;
    return 0;
  }
  if (SameName(name, "auto")) {
    scalar_forced = n_names == 0;
    Choose(0);
    return 0;
  }
  for (int i = 0; i < n_names; i++) {
    if (!SameName(name, names[i])) continue;
    scalar_forced = false;
    Choose(name_bits[i]);
    return 0;
  }
  return -1;
}

const char* mr_simd_probe(void) {
  Initialize();
  if (scalar_forced) return "scalar";
  const int64_t ran = HWY_DYNAMIC_DISPATCH(CompiledTarget)();
  for (int i = 0; i < n_names; i++)
    if (name_bits[i] == ran) return names[i];
  return "scalar";
}

const char* mr_simd_target(void) {
  Initialize();
  if (scalar_forced) return "scalar";
  const int64_t chosen = hwy::SupportedTargets() & usable;
  for (int i = 0; i < n_names; i++)
    if (chosen & name_bits[i]) return names[i];
  return "scalar";
}

int mr_simd_is_scalar(void) { return scalar_forced; }

const char* mr_simd_supported(int i) {
  Initialize();
  if (i < 0 || i > n_names) return nullptr;
  return i == n_names ? "scalar" : names[i];
}

#endif  // HWY_ONCE
