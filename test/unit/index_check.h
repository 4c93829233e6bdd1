/*
 * index_check.h: what makes a structural index right, for tests and fuzzers.
 * Each check returns an empty string, or says what is wrong.
 */
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "copy_rules.h"
#include "kernels/line_index.h"
#include "kernels/unescape.h"

namespace index_check {

/* An index that owns its arrays: exactly the room the contract asks for. */
struct OwnedIndex {
  std::vector<uint32_t> seps, row_end, odd;
  uint32_t returned = 0;
  explicit OwnedIndex(size_t bytes) : seps(bytes + 64), row_end(bytes + 64), odd(bytes + 64) {}

  template <class Kernel>
  void Fill(Kernel kernel, const MrFormat& f, const char* base, uint32_t begin, uint32_t end) {
    MrIndex index = {seps.data(), row_end.data(), odd.data(), 0, 0, 0};
    returned = kernel(&f, base, begin, end, &index);
    seps.resize(index.n_seps);
    row_end.resize(index.n_rows);
    odd.resize(index.n_odd);
  }
};

inline std::string Same(const OwnedIndex& a, const OwnedIndex& b) {
  if (a.returned != b.returned)
    return "returned " + std::to_string(a.returned) + ", not " + std::to_string(b.returned);
  if (a.seps != b.seps) return "seps differ";
  if (a.row_end != b.row_end) return "row_end differs";
  if (a.odd != b.odd) return "odd differs";
  return "";
}

/* Is the value that a caller would take for this field, by the index and the unescape kernels, core's? */
inline std::string CheckField(const MrFormat& f, const char* base, uint32_t begin, uint32_t end, bool is_odd,
                              const copy_rules::Field& want) {
  const std::string_view raw(base + begin, end - begin);
  std::string got;
  if (!is_odd) {
    if (f.csv && !raw.empty() && raw[0] == f.quote) {
      if (raw.size() < 2 || raw.back() != f.quote) return "a quoted field without its quotes is not odd";
      got = raw.substr(1, raw.size() - 2);
    } else {
      got = raw;
    }
    if (want.numeric_escape) return "a field with an escape is not odd";
  } else {
    std::string room(raw.size() + MR_SLACK, '\0');
    int was_quoted = 0;
    const int64_t length =
        f.csv ? mr_unquote_csv_scalar(raw.data(), raw.size(), f.quote, f.escape, &room[0], &was_quoted)
              : mr_unescape_text_scalar(raw.data(), raw.size(), &room[0]);
    if (!f.csv && want.numeric_escape)
      return length == -1 ? "" : "an octal or hexadecimal escape was decided";
    if (length < 0) return "a value was refused";
    if (f.csv && (was_quoted != 0) != want.saw_quote) return "was_quoted is wrong";
    got.assign(room, 0, static_cast<size_t>(length));
  }
  return got == want.value ? "" : "the value differs";
}

/* Judges an index by PostgreSQL's rules: rows, fields, values, and where it stops. */
inline std::string CheckByRules(const MrFormat& f, const char* base, uint32_t begin, uint32_t end,
                                const OwnedIndex& index) {
  const std::string_view text(base + begin, end - begin);
  size_t start = 0, row = 0, sep = 0;
  for (;;) {
    const copy_rules::Line line = copy_rules::ReadLine(f, text, start);
    if (line.what == copy_rules::Line::kJudge) {
      if (index.returned != begin + start + line.length) return "did not stop where PostgreSQL must judge";
      break;
    }
    if (line.what == copy_rules::Line::kUnfinished) {
      if (index.returned != end) return "stopped for no reason";
      break;
    }
    if (row >= index.row_end.size()) return "a row is missing";
    std::vector<copy_rules::Field> fields;
    const std::string_view bytes = text.substr(start, line.length);
    if (f.csv) {
      if (!copy_rules::ReadAttributesCsv(f.delim, f.quote, f.escape, bytes, &fields))
        return "a complete line with an unterminated quote"; /* cannot be: the two machines agree */
    } else {
      fields = copy_rules::ReadAttributesText(f.delim, bytes);
    }
    if (index.row_end[row] != sep + fields.size() - 1) return "wrong number of fields";
    for (const copy_rules::Field& field : fields) {
      const uint32_t from = begin + static_cast<uint32_t>(start + field.begin);
      const uint32_t to = begin + static_cast<uint32_t>(start + field.end);
      if (sep >= index.seps.size() || index.seps[sep] != to) return "a separator is not where a field ends";
      const auto odd = std::lower_bound(index.odd.begin(), index.odd.end(), from);
      const std::string wrong = CheckField(f, base, from, to, odd != index.odd.end() && *odd < to, field);
      if (!wrong.empty()) return wrong;
      sep++;
    }
    row++;
    start = line.next;
  }
  return row == index.row_end.size() ? "" : "a row too many";
}

}  // namespace index_check
