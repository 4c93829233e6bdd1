/*
 * generate: writes a benchmark's input to standard output.
 *
 *   generate int5|lineitem|lineitem_bar|text1|quoted|mixed|json|ints ROWS
 *
 * The same arguments give the same bytes everywhere.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static uint64_t state = 0x9e3779b97f4a7c15u;

/* splitmix64 */
static uint64_t next() {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
static int between(int low, int high) { return low + static_cast<int>(below(high - low + 1)); }

static std::string line;
static void put(const char* s) { line += s; }
static void put(char c) { line += c; }
static void put_int(int64_t n) { line += std::to_string(n); }
static void put_padded(unsigned n, int width) {
  char digits[12];
  snprintf(digits, sizeof(digits), "%0*u", width, n);
  line += digits;
}
static void put_cents(int64_t n) {
  put_int(n / 100);
  put('.');
  put_padded(n % 100, 2);
}
static void put_date() {
  put_padded(between(1992, 1998), 4);
  put('-');
  put_padded(between(1, 12), 2);
  put('-');
  put_padded(between(1, 28), 2);
}

static const char* const kWords[] = {"furiously", "quickly", "carefully", "deposits", "packages", "requests", "accounts", "the",
                                     "ironic", "special", "pending", "express", "final", "bold", "regular", "even", "sleep",
                                     "haggle", "nag", "are", "about", "among", "foxes", "theodolites", "pinto", "beans"};
static void put_words(size_t bytes) {
  size_t end = line.size() + bytes;
  while (line.size() < end) {
    put(kWords[below(26)]);
    put(' ');
  }
  line.resize(end);
  if (line.back() == ' ') line.back() = 'x';
}
static const char* one_of(std::initializer_list<const char*> list) { return list.begin()[below(list.size())]; }

static void int5(int64_t) {
  for (int i = 0; i < 5; i++) {
    put_int(static_cast<int32_t>(next() >> 33) % (i < 2 ? 1000000000 : 1000000));
    put(i < 4 ? '\t' : '\n');
  }
}

static void lineitem_row(int64_t row, char d) {
  int quantity = between(1, 50);
  put_int(row / 4 + 1), put(d), put_int(between(1, 200000)), put(d), put_int(between(1, 10000)), put(d);
  put_int(row % 4 + 1), put(d), put_int(quantity), put(".00"), put(d);
  put_cents(static_cast<int64_t>(quantity) * between(90000, 210000)), put(d);
  put("0.0"), put_int(below(10)), put(d), put("0.0"), put_int(below(9)), put(d);
  put(one_of({"N", "R", "A"})), put(d), put(one_of({"O", "F"})), put(d);
  put_date(), put(d), put_date(), put(d), put_date(), put(d);
  put(one_of({"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"})), put(d);
  put(one_of({"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"})), put(d);
  put_words(between(10, 43)), put('\n');
}
static void lineitem(int64_t row) { lineitem_row(row, ','); }
static void lineitem_bar(int64_t row) { lineitem_row(row, '|'); }

static void text1(int64_t) {
  put_words(150);
  put('\n');
}

static void quoted(int64_t row) {
  for (int i = 0; i < 10; i++) {
    put('"');
    put_words(between(3, 16));
    if (below(20) == 0) put(one_of({" \"\"quoted\"\"", ", comma", "\nnext line", " café", " 東京都"}));
    if (i == 0) put_int(row);
    put(i < 9 ? "\"," : "\"\n");
  }
}

static void put_hex(int digits) {
  for (int i = 0; i < digits; i++) put("0123456789abcdef"[below(16)]);
}
static void mixed(int64_t row) {
  auto field = [](int percent_null) {
    if (static_cast<int>(below(100)) >= percent_null) return true;
    put("\\N");
    return false;
  };
  put_int(row), put('\t');
  if (field(10)) put_date(), put(' '), put_padded(below(24), 2), put(':'), put_padded(below(60), 2), put(':'), put_padded(below(60), 2), put('.'), put_padded(below(1000000), 6);
  put('\t');
  if (field(20)) put_int(between(-100000, 100000)), put('.'), put_padded(below(1000000), 6);
  put('\t');
  put_hex(8), put('-'), put_hex(4), put('-'), put_hex(4), put('-'), put_hex(4), put('-'), put_hex(12), put('\t');
  if (field(5)) put(below(2) ? 't' : 'f');
  put('\t');
  if (field(30)) {
    put_words(between(5, 40));
    if (below(5) == 0) put(one_of({"\\ttab", "\\\\ backslash", "\\nline", " naïve"}));
  }
  put('\t');
  if (field(10)) put_cents(static_cast<int64_t>(below(100000000)));
  put('\n');
}

static void json(int64_t row) {
  put("{\"id\": "), put_int(row), put(", \"tags\": [\"a\", \"b\"], \"body\": \"");
  put_words(800);
  put("\", \"nested\": {\"x\": "), put_int(below(1000)), put(", \"y\": [1, 2, 3]}}\n");
}

static void ints(int64_t row) { put_int(row), put('\t'), put_int(below(1000000)), put('\n'); }

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*row)(int64_t);
  } sets[] = {{"int5", int5}, {"lineitem", lineitem}, {"lineitem_bar", lineitem_bar}, {"text1", text1},
              {"quoted", quoted}, {"mixed", mixed}, {"json", json}, {"ints", ints}};
  for (const auto& set : sets) {
    if (argc != 3 || strcmp(argv[1], set.name) != 0) continue;
    for (int64_t i = 0, n = atoll(argv[2]); i < n; i++) {
      set.row(i);
      if (line.size() < 1 << 20 && i + 1 < n) continue;
      fwrite(line.data(), 1, line.size(), stdout);
      line.clear();
    }
    return 0;
  }
  fprintf(stderr, "usage: generate int5|lineitem|lineitem_bar|text1|quoted|mixed|json|ints ROWS\n");
  return 2;
}
