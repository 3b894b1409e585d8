// Prng: Xoshiro, seeded by splitmix64 from (seed, stream name). Each concern of a run draws from a
// stream of its own (schedule, network, disk, …), so that one more draw in one of them doesn't reshuffle the
// others.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/xoshiro.h"

namespace moldau::sim {

constexpr uint64_t mix(
    uint64_t x) {  // splitmix64's finaliser: every bit of the input reaches every bit of the output
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr uint64_t fold(uint64_t hash, uint64_t value) {
  return mix(hash ^ mix(value));
}
constexpr uint64_t fold(uint64_t hash, std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return fold(hash, h);
}

class Prng {
 public:
  explicit Prng(uint64_t seed, std::string_view stream = {}) : bits_(state(fold(seed, stream))) {}

  uint64_t next() { return bits_.next(); }
  uint64_t below(uint64_t bound) { return bits_.below(bound); }  // 0 … bound - 1; 0 if bound is 0
  // first … last, both included.
  int64_t between(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(below(static_cast<uint64_t>(last - first) + 1));
  }
  bool chance(uint64_t percent) { return below(100) < percent; }
  // `typical` mostly, sometimes up to 16 and rarely up to 256 times as much: the long tail of real latencies.
  int64_t long_tail(int64_t typical) {
    const uint64_t kind = below(64);
    return between(typical / 4, kind == 0 ? typical * 256 : kind < 5 ? typical * 16 : typical + typical / 2);
  }

 private:
  static Xoshiro::State state(uint64_t x) {
    Xoshiro::State words;
    for (uint64_t& word : words) word = x = mix(x);
    return words;
  }
  Xoshiro bits_;
};

}  // namespace moldau::sim
