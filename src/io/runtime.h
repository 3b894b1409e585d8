// Runtime: everything a node gets from the world. io/posix has the real one, sim the simulated one; every
// driver from a connection down to the log takes its parts from here and can't tell which it is.
#pragma once
#include <span>

#include "io/blocking_pool.h"
#include "io/clock.h"
#include "io/file_system.h"
#include "io/lane.h"
#include "io/logger.h"
#include "io/random.h"
#include "io/transport.h"

namespace moldau::io {

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual std::span<Lane* const> lanes() = 0;  // at least one; lane 0 hosts the controller
  virtual Clock& clock() = 0;
  virtual Random& random() = 0;
  virtual FileSystem& files() = 0;
  virtual Transport& transport() = 0;
  virtual BlockingPool& pool() = 0;
  virtual Logger& logger() = 0;
};

}  // namespace moldau::io
