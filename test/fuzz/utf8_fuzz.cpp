/* UTF-8: scalar against pg_utf8_verifystr(), the chosen target against scalar. */
#include "copy_rules.h"
#include "fuzz.h"
#include "kernels/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input in(data, size);
  const char* target = fuzz::ForceTarget(in.Byte());
  const uint8_t filler = in.Byte();
  const size_t before =
      in.Byte(); /* ASCII before the input, so that short inputs reach every place of a block */
  const std::string text = std::string(before, 'a') + std::string(in.Rest());
  fuzz::Slack buffer(text, filler);
  const char* s = buffer.text();
  const size_t n = text.size();
  const size_t valid = mr_utf8_valid_prefix_scalar(s, n);
  if (valid != copy_rules::Utf8VerifyStr(text)) fuzz::Fail("scalar", "not what PostgreSQL finds valid");
  if (valid != mr_utf8_valid_prefix(s, n)) fuzz::Fail(target, "the valid prefix differs");
  if (mr_utf8_count_scalar(s, n) != mr_utf8_count(s, n)) fuzz::Fail(target, "the count differs");
  if (mr_nul_free_prefix_scalar(s, n) != mr_nul_free_prefix(s, n))
    fuzz::Fail(target, "the first NUL differs");
  return 0;
}
