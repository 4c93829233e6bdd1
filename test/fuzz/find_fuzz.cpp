/* A string within a string: the chosen target and scalar against std::string_view. */
#include "fuzz.h"
#include "kernels/find.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input in(data, size);
  const char* target = fuzz::ForceTarget(in.Byte());
  const uint8_t wanted = in.Byte();
  /* Half of the inputs have few different bytes, so that there is something to find. */
  std::string bytes(in.Rest());
  if (wanted & 0x80)
    for (char& c : bytes) c &= 1;
  const size_t m = wanted & 0x3F;
  if (m == 0 || m > bytes.size()) return 0;
  const std::unique_ptr<char[]> needle(new char[m]);
  memcpy(needle.get(), bytes.data(), m);
  const size_t n = bytes.size() - m;
  const std::unique_ptr<char[]> text(new char[n]);
  if (n > 0) memcpy(text.get(), bytes.data() + m, n);
  const size_t found = std::string_view(text.get(), n).find(std::string_view(needle.get(), m));
  const size_t expected = found == std::string_view::npos ? n : found;
  if (mr_find_bytes_scalar(text.get(), n, needle.get(), m) != expected) fuzz::Fail("scalar", "place");
  if (mr_find_bytes(text.get(), n, needle.get(), m) != expected) fuzz::Fail(target, "place");
  return 0;
}
