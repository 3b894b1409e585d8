// Clock: the only source of time.
#pragma once
#include "base/time.h"

namespace moldau::io {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;     // never goes back
  virtual WallMs wall_ms() const = 0;  // may jump either way
};

}  // namespace moldau::io
