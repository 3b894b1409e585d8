// BlockingPool: where work goes that may wait for a disk (sync, cold reads, recovery, deletion), so that no
// lane ever does.
#pragma once
#include "io/lane.h"

namespace moldau::io {

class BlockingPool {
 public:
  virtual ~BlockingPool() = default;
  // Runs `work` on a thread of the pool, then posts `done` to `back`. What `work` touches must be its own, or
  // immutable, or a File (which may be synced and read from the pool while its lane appends). Works may
  // overlap and finish in any order; whoever needs an order starts the second in the first one's `done`.
  virtual void run(Lane& back, Task work, Task done) = 0;
};

}  // namespace moldau::io
