/*
 * scan_fuzzing.h: columns out of a fuzzer's input.
 */
#pragma once
#include "fuzz.h"

namespace fuzz {

/* A column of 64-bit integers: each byte of the input is one, small, extreme or in between. It ends where its memory does. */
class Column {
 public:
  explicit Column(std::string_view bytes) : n_(bytes.size()), values_(new int64_t[bytes.size()]) {
    for (size_t i = 0; i < n_; i++) values_[i] = Value(static_cast<uint8_t>(bytes[i]));
  }
  size_t size() const { return n_; }
  int64_t* data() const { return values_.get(); }

  static int64_t Value(uint8_t byte) {
    switch (byte >> 6) {
      case 0:
        return static_cast<int64_t>(byte) - 32;
      case 1:
        return INT64_MIN + (byte & 3);
      case 2:
        return INT64_MAX - (byte & 3);
      default:
        return static_cast<int64_t>(static_cast<uint64_t>(byte) * 0x9E3779B97F4A7C15u);
    }
  }

 private:
  size_t n_;
  std::unique_ptr<int64_t[]> values_;
};

/* Words of a mask for n rows: the input's bits, over and over. */
inline std::unique_ptr<uint64_t[]> Mask(std::string_view bytes, size_t n) {
  const size_t words = (n + 63) / 64;
  std::unique_ptr<uint64_t[]> mask(new uint64_t[words]());
  for (size_t i = 0; i < n && !bytes.empty(); i++) {
    const uint64_t bit = static_cast<uint8_t>(bytes[i / 8 % bytes.size()]) >> (i % 8) & 1;
    mask[i / 64] |= bit << (i % 64);
  }
  return mask;
}

}  // namespace fuzz
