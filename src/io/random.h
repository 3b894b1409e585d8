// Random: the only source of chance. Real: the kernel's generator. Simulated: a stream of the run's seed.
#pragma once
#include <cstdint>

#include "base/uuid.h"

namespace moldau::io {

class Random {
 public:
  virtual ~Random() = default;
  virtual uint64_t next() = 0;  // 64 uniform bits; callable on any lane

  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  Uuid uuid() {
    for (;;) {
      const uint64_t high = next();
      if (auto id = Uuid::from_random_bits(high, next())) return *id;
    }
  }
};

}  // namespace moldau::io
