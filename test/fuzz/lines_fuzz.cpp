/* The structural index: scalar against PostgreSQL's rules, the chosen target against scalar. */
#include "fuzz.h"
#include "index_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input in(data, size);
  const char* target = fuzz::ForceTarget(in.Byte());
  const uint8_t kind = in.Byte();
  const uint8_t filler = in.Byte();
  MrFormat f = {static_cast<uint8_t>(kind & 1), static_cast<uint8_t>((kind >> 1) % 3), '\t', 0, 0};
  static const char delims[] = {',', ';', '\t', '|'};
  static const char quotes[][2] = {{'"', '"'}, {'"', '\\'}, {'\'', '\''}, {'\\', '"'}, {'"', ','}};
  if (f.csv) {
    const uint8_t choice = in.Byte();
    f.delim = delims[choice % 4];
    f.quote = quotes[choice / 4 % 5][0];
    f.escape = quotes[choice / 4 % 5][1];
  }
  const std::string_view text = in.Rest();
  fuzz::Slack buffer(text, filler);
  const uint32_t begin = MR_SLACK;
  const uint32_t end = begin + static_cast<uint32_t>(text.size());
  index_check::OwnedIndex scalar(text.size()), simd(text.size());
  scalar.Fill(mr_index_rows_scalar, f, buffer.base(), begin, end);
  simd.Fill(mr_index_rows, f, buffer.base(), begin, end);
  std::string wrong = index_check::CheckByRules(f, buffer.base(), begin, end, scalar);
  if (!wrong.empty()) fuzz::Fail("scalar", wrong);
  wrong = index_check::Same(simd, scalar);
  if (!wrong.empty()) fuzz::Fail(target, wrong);
  return 0;
}
