/* Filters: the chosen target against scalar, over two halves of the input as columns. */
#include "kernels/filter.h"
#include "scan_fuzzing.h"

namespace {

std::unique_ptr<uint64_t[]> Words(size_t n) {
  std::unique_ptr<uint64_t[]> words(new uint64_t[(n + 63) / 64]);
  memset(words.get(), 0xA5, (n + 63) / 64 * sizeof(uint64_t));
  return words;
}

bool Same(const void* a, const void* b, size_t bytes) { return bytes == 0 || memcmp(a, b, bytes) == 0; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input in(data, size);
  const char* target = fuzz::ForceTarget(in.Byte());
  const MrCompare op = static_cast<MrCompare>(in.Byte() % 6);
  const int64_t with = fuzz::Column::Value(in.Byte());
  const std::string_view rest = in.Rest();
  const size_t n = rest.size() / 2;
  const fuzz::Column a(rest.substr(0, n));
  const fuzz::Column b(rest.substr(n, n));
  const size_t bytes = (n + 63) / 64 * sizeof(uint64_t);
  const auto expected = Words(n);
  const auto found = Words(n);

  mr_compare_i64_scalar(a.data(), n, op, with, expected.get());
  mr_compare_i64(a.data(), n, op, with, found.get());
  if (!Same(expected.get(), found.get(), bytes)) fuzz::Fail(target, "comparison with a value");

  mr_compare_columns_i64_scalar(a.data(), b.data(), n, op, expected.get());
  mr_compare_columns_i64(a.data(), b.data(), n, op, found.get());
  if (!Same(expected.get(), found.get(), bytes)) fuzz::Fail(target, "comparison of columns");

  const std::unique_ptr<uint8_t[]> flags(new uint8_t[n]);
  for (size_t i = 0; i < n; i++) flags[i] = static_cast<uint8_t>(rest[i]) & 0x83;
  mr_mask_nonzero_scalar(flags.get(), n, expected.get());
  mr_mask_nonzero(flags.get(), n, found.get());
  if (!Same(expected.get(), found.get(), bytes)) fuzz::Fail(target, "mask of bytes");

  const auto mask = fuzz::Mask(rest.substr(n), n);
  const fuzz::Column left(rest.substr(n, n));
  const fuzz::Column right(rest.substr(n, n));
  mr_blend_i64_scalar(a.data(), mask.get(), n, left.data());
  mr_blend_i64(a.data(), mask.get(), n, right.data());
  if (!Same(left.data(), right.data(), n * sizeof(int64_t))) fuzz::Fail(target, "blend");

  const size_t m = mr_compress_i64_scalar(a.data(), mask.get(), n, left.data());
  if (m != mr_compress_i64(a.data(), mask.get(), n, right.data())) fuzz::Fail(target, "count of compressed rows");
  if (!Same(left.data(), right.data(), m * sizeof(int64_t))) fuzz::Fail(target, "compressed rows");
  if (m != mr_compress_i64(a.data(), mask.get(), n, a.data())) fuzz::Fail(target, "count of rows compressed in place");
  if (!Same(left.data(), a.data(), m * sizeof(int64_t))) fuzz::Fail(target, "rows compressed in place");
  return 0;
}
