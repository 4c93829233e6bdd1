/*
 * fuzz.h: what the harnesses share. The first byte chooses a SIMD target, so that
 * one corpus covers all that this machine has.
 */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/plain.h"
#include "kernels/simd_target.h"

namespace fuzz {

/* Takes settings from the front of the input. */
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t Byte() {
    if (size_ == 0) return 0;
    size_--;
    return *data_++;
  }
  std::string_view Rest() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const uint8_t* data_;
  size_t size_;
};

inline const char* ForceTarget(uint8_t choice) {
  int n = 0;
  while (mr_simd_supported(n)) n++;
  const char* name = mr_simd_supported(choice % n);
  if (mr_simd_force(name) != 0) abort();
  return name;
}

/* A copy with the promised slack, filled with `filler`, and not a byte more. */
class Slack {
 public:
  Slack(std::string_view text, uint8_t filler) : bytes_(new char[text.size() + 2 * MR_SLACK]) {
    memset(bytes_.get(), filler, text.size() + 2 * MR_SLACK);
    if (!text.empty()) memcpy(bytes_.get() + MR_SLACK, text.data(), text.size());
  }
  char* base() { return bytes_.get(); }
  char* text() { return bytes_.get() + MR_SLACK; }

 private:
  std::unique_ptr<char[]> bytes_;
};

[[noreturn]] inline void Fail(const char* target, const std::string& what) {
  fprintf(stderr, "%s: %s\n", target, what.c_str());
  abort();
}

}  // namespace fuzz
