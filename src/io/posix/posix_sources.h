// The real sources of time and chance. Any thread may call them.
#pragma once
#include "io/clock.h"
#include "io/random.h"

namespace moldau::io {

class PosixClock final : public Clock {
 public:
  Instant now() const override;
  WallMs wall_ms() const override;
};

class PosixRandom final : public Random {  // the kernel's generator, drawn in blocks by each thread
 public:
  uint64_t next() override;
};

}  // namespace moldau::io
