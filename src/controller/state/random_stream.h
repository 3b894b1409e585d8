// RandomStream: chance for planners, as a function of its seed: equal seeds and equal requests give equal
// plans. xoshiro256**; each use of a stream draws from where the last one stopped.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/uuid.h"

namespace moldau {

class RandomStream {
 public:
  explicit RandomStream(const std::array<uint64_t, 4>& seed) : state_(seed) {
    if (state_ == std::array<uint64_t, 4>{}) state_[0] = 1;  // the one state that it can't leave
    for (int i = 0; i < 8; ++i) next();
  }

  uint64_t next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0], state_[3] ^= state_[1], state_[1] ^= state_[2], state_[0] ^= state_[3];
    state_[2] ^= t, state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  size_t below(size_t bound) {
    return static_cast<size_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
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
  std::array<uint64_t, 4> state_;
};

}  // namespace moldau
