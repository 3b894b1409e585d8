// Xoshiro: xoshiro256**, the generator behind everything that draws from a seed. Not for secrets.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace moldau {

class Xoshiro {
 public:
  using State = std::array<uint64_t, 4>;

  // Not all zero: the generator would stay there.
  explicit Xoshiro(const State& state) : state_(state) {}

  uint64_t next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0], state_[3] ^= state_[1], state_[1] ^= state_[2], state_[0] ^= state_[3];
    state_[2] ^= t, state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  // 0 … bound - 1; 0 if bound is 0.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

 private:
  State state_;
};

}  // namespace moldau
