/* Field values: scalar against PostgreSQL's rules, the chosen target against scalar. */
#include "copy_rules.h"
#include "fuzz.h"
#include "kernels/unescape.h"

namespace {

struct Value {
  int64_t length = 0;
  std::string bytes;
  int was_quoted = 0;
  bool operator!=(const Value& other) const {
    return length != other.length || bytes != other.bytes || was_quoted != other.was_quoted;
  }
};

template <class F>
Value Run(std::string_view text, uint8_t filler, F kernel) {
  fuzz::Slack from(text, filler);
  std::unique_ptr<char[]> to(new char[text.size() + MR_SLACK]);
  Value value;
  value.length = kernel(from.text(), text.size(), to.get(), &value.was_quoted);
  if (value.length > static_cast<int64_t>(text.size())) fuzz::Fail("", "longer than the input");
  if (value.length > 0) value.bytes.assign(to.get(), static_cast<size_t>(value.length));
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input in(data, size);
  const char* target = fuzz::ForceTarget(in.Byte());
  const uint8_t kind = in.Byte();
  const uint8_t filler = in.Byte();
  std::string text(in.Rest());
  for (char& c : text)
    if (c == '\1') c = '\2'; /* the delimiter of the rules, which cannot be in a field */
  Value core, scalar, simd;
  if (kind % 8 == 0) {
    const auto kernel = [](auto f) {
      return [=](const char* s, size_t n, char* d, int*) { return f(s, n, d); };
    };
    const auto fields = copy_rules::ReadAttributesText('\1', text);
    core.length = fields[0].numeric_escape ? -1 : static_cast<int64_t>(fields[0].value.size());
    if (core.length >= 0) core.bytes = fields[0].value;
    scalar = Run(text, filler, kernel(mr_unescape_text_scalar));
    simd = Run(text, filler, kernel(mr_unescape_text));
  } else {
    static const char quotes[][2] = {{'"', '"'}, {'"', '\\'}, {'\'', '~'}, {'\\', '"'}, {'a', 'b'}};
    const char quote = quotes[kind % 5][0];
    const char escape = quotes[kind % 5][1];
    const auto kernel = [=](auto f) {
      return [=](const char* s, size_t n, char* d, int* q) { return f(s, n, quote, escape, d, q); };
    };
    std::vector<copy_rules::Field> fields;
    if (copy_rules::ReadAttributesCsv('\1', quote, escape, text, &fields)) {
      core.bytes = fields[0].value;
      core.length = static_cast<int64_t>(core.bytes.size());
      core.was_quoted = fields[0].saw_quote;
    } else {
      core.length = -1;
      core.was_quoted = 1;
    }
    scalar = Run(text, filler, kernel(mr_unquote_csv_scalar));
    simd = Run(text, filler, kernel(mr_unquote_csv));
  }
  if (scalar != core) fuzz::Fail("scalar", "not PostgreSQL's value");
  if (simd != scalar) fuzz::Fail(target, "the value differs");
  return 0;
}
