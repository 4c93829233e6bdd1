/* Counting line pointers: the chosen target against scalar, scalar against a look at each one's flags. */
#include "fuzz.h"
#include "kernels/line_pointers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input in(data, size);
  const char* target = fuzz::ForceTarget(in.Byte());
  const std::string_view rest = in.Rest();
  const size_t n = rest.size() / 4;
  const std::unique_ptr<uint32_t[]> items(new uint32_t[n]);
  if (n > 0) memcpy(items.get(), rest.data(), n * 4);
  size_t normal = 0;
  for (size_t i = 0; i < n; i++) normal += (items[i] >> 15 & 3) == 1;
  if (mr_count_normal_pointers_scalar(items.get(), n) != normal) fuzz::Fail("scalar", "count");
  if (mr_count_normal_pointers(items.get(), n) != normal) fuzz::Fail(target, "count");
  return 0;
}
