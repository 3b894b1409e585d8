// RandomStream: chance for planners, as a function of its seed: equal seeds and equal requests give equal
// plans; each use of a stream draws from where the last one stopped.
#pragma once
#include <cstdint>
#include <utility>

#include "base/uuid.h"
#include "base/xoshiro.h"

namespace moldau {

class RandomStream {
 public:
  explicit RandomStream(const Xoshiro::State& seed)
      : bits_(seed == Xoshiro::State{} ? Xoshiro::State{1} : seed) {
    for (int i = 0; i < 8; ++i) bits_.next();
  }

  uint64_t next() { return bits_.next(); }
  size_t below(size_t bound) { return bits_.below(bound); }
  template <class Vector>
  void shuffle(Vector& v) {
    for (size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[below(i)]);
  }
  Uuid uuid() {
    for (;;) {
      const uint64_t high = next();
      if (auto id = Uuid::from_random_bits(high, next())) return *id;
    }
  }

 private:
  Xoshiro bits_;
};

}  // namespace moldau
