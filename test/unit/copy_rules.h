/*
 * copy_rules.h: PostgreSQL's own state machines for COPY input, transcribed as
 * directly as can be from CopyReadLineText(), CopyReadAttributesText() and
 * CopyReadAttributesCSV() of copyfromparse.c (PostgreSQL 15), and
 * pg_utf8_verifystr() of wchar.c. They are the judge of the scalar kernels,
 * which judge the SIMD ones; nothing is shared with the kernels' code.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <string_view>
#include <vector>

#include "kernels/line_index.h"

namespace copy_rules {

/* One line as CopyReadLineText() finds it. */
struct Line {
  enum What { kComplete, kUnfinished, kJudge } what;
  size_t length; /* bytes of data, or to the byte to be judged */
  size_t next;   /* where the next line starts */
};

/* Reads a line at `start`; an end of the text stands for data still to come. */
inline Line ReadLine(const MrFormat& f, std::string_view text, size_t start) {
  bool in_quote = false, last_was_esc = false;
  const char quotec = f.quote;
  const bool separate_escape = f.csv && f.escape != f.quote; /* else core sets escapec to '\0' */
  size_t ptr = start;
  for (;;) {
    if (ptr >= text.size()) return {Line::kUnfinished, 0, 0};
    const size_t prev = ptr;
    const char c = text[ptr++];
    if (f.csv) {
      const bool is_escape = separate_escape && c == f.escape;
      if (in_quote && is_escape) last_was_esc = !last_was_esc;
      if (c == quotec && !last_was_esc) in_quote = !in_quote;
      if (!is_escape) last_was_esc = false;
    }
    if (c == '\r' && (!f.csv || !in_quote)) {
      if (f.eol == MR_EOL_CRNL) {
        if (ptr >= text.size()) return {Line::kUnfinished, 0, 0};
        if (text[ptr] != '\n') return {Line::kJudge, prev - start, 0};
        ptr++;
      } else if (f.eol == MR_EOL_NL) {
        return {Line::kJudge, prev - start, 0};
      }
      return {Line::kComplete, prev - start, ptr};
    }
    if (c == '\n' && (!f.csv || !in_quote)) {
      if (f.eol == MR_EOL_CR || f.eol == MR_EOL_CRNL) return {Line::kJudge, prev - start, 0};
      return {Line::kComplete, prev - start, ptr};
    }
    if (c == '\\' && !f.csv) {
      if (ptr >= text.size()) return {Line::kUnfinished, 0, 0};
      if (text[ptr] == '.') return {Line::kJudge, prev - start, 0};
      ptr++;
    }
  }
}

struct Field {
  size_t begin, end; /* raw bytes within the line */
  std::string value;
  bool saw_quote = false;
  bool numeric_escape = false; /* an octal or hexadecimal escape, or a backslash at the line's end */
};

inline std::vector<Field> ReadAttributesText(char delimc, std::string_view line) {
  std::vector<Field> fields;
  size_t cur = 0;
  for (;;) {
    bool found_delim = false;
    Field field;
    field.begin = cur;
    for (;;) {
      field.end = cur;
      if (cur >= line.size()) break;
      char c = line[cur++];
      if (c == delimc) {
        found_delim = true;
        break;
      }
      if (c == '\\') {
        if (cur >= line.size()) {
          field.numeric_escape = true;
          break;
        }
        c = line[cur++];
        if (c >= '0' && c <= '7') {
          int val = c - '0';
          for (int i = 0; i < 2 && cur < line.size() && line[cur] >= '0' && line[cur] <= '7'; i++)
            val = (val << 3) + (line[cur++] - '0');
          c = static_cast<char>(val & 0377);
          field.numeric_escape = true;
        } else if (c == 'x') {
          field.numeric_escape = true; /* the value is not compared then */
        } else if (c == 'b') {
          c = '\b';
        } else if (c == 'f') {
          c = '\f';
        } else if (c == 'n') {
          c = '\n';
        } else if (c == 'r') {
          c = '\r';
        } else if (c == 't') {
          c = '\t';
        } else if (c == 'v') {
          c = '\v';
        }
      }
      field.value += c;
    }
    fields.push_back(field);
    if (!found_delim) return fields;
  }
}

/* Returns false for "unterminated CSV quoted field". */
inline bool ReadAttributesCsv(char delimc, char quotec, char escapec, std::string_view line,
                              std::vector<Field>* fields) {
  size_t cur = 0;
  for (;;) {
    bool found_delim = false;
    Field field;
    field.begin = cur;
    for (;;) {
      char c;
      for (;;) {
        field.end = cur;
        if (cur >= line.size()) goto endfield;
        c = line[cur++];
        if (c == delimc) {
          found_delim = true;
          goto endfield;
        }
        if (c == quotec) {
          field.saw_quote = true;
          break;
        }
        field.value += c;
      }
      for (;;) {
        field.end = cur;
        if (cur >= line.size()) return false;
        c = line[cur++];
        if (c == escapec) {
          if (cur < line.size()) {
            const char nextc = line[cur];
            if (nextc == escapec || nextc == quotec) {
              field.value += nextc;
              cur++;
              continue;
            }
          }
        }
        if (c == quotec) break;
        field.value += c;
      }
    }
  endfield:
    fields->push_back(field);
    if (!found_delim) return true;
  }
}

inline bool Utf8IsLegal(const unsigned char* source, int length) {
  unsigned char a;
  switch (length) {
    default:
      return false;
    case 4:
      a = source[3];
      if (a < 0x80 || a > 0xBF) return false;
      [[fallthrough]];
    case 3:
      a = source[2];
      if (a < 0x80 || a > 0xBF) return false;
      [[fallthrough]];
    case 2:
      a = source[1];
      switch (*source) {
        case 0xE0:
          if (a < 0xA0 || a > 0xBF) return false;
          break;
        case 0xED:
          if (a < 0x80 || a > 0x9F) return false;
          break;
        case 0xF0:
          if (a < 0x90 || a > 0xBF) return false;
          break;
        case 0xF4:
          if (a < 0x80 || a > 0x8F) return false;
          break;
        default:
          if (a < 0x80 || a > 0xBF) return false;
          break;
      }
      [[fallthrough]];
    case 1:
      a = *source;
      if (a >= 0x80 && a < 0xC2) return false;
      if (a > 0xF4) return false;
      break;
  }
  return true;
}

/* The slow path of pg_utf8_verifystr(), which is what its fast path stands for. */
inline size_t Utf8VerifyStr(std::string_view text) {
  const unsigned char* s = reinterpret_cast<const unsigned char*>(text.data());
  int len = static_cast<int>(text.size());
  while (len > 0) {
    int l;
    if ((*s & 0x80) == 0) {
      if (*s == '\0') break;
      l = 1;
    } else {
      if ((*s & 0xe0) == 0xc0)
        l = 2;
      else if ((*s & 0xf0) == 0xe0)
        l = 3;
      else if ((*s & 0xf8) == 0xf0)
        l = 4;
      else
        l = 1;
      if (l > len || !Utf8IsLegal(s, l)) break;
    }
    s += l;
    len -= l;
  }
  return text.size() - static_cast<size_t>(len);
}

}  // namespace copy_rules
