#include "io/posix/posix_sources.h"

#include <sys/random.h>
#include <time.h>

#include <array>
#include <cerrno>

#include "base/assert.h"

namespace moldau::io {

Instant PosixClock::now() const {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return Instant(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

WallMs PosixClock::wall_ms() const {
  timespec t;
  ::clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<WallMs>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000;
}

uint64_t PosixRandom::next() {
  struct Block {
    std::array<uint64_t, 32> numbers;
    size_t left = 0;
  };
  static thread_local Block block;
  if (block.left == 0) {
    ssize_t n;
    do {
      n = ::getrandom(block.numbers.data(), sizeof block.numbers, 0);  // up to 256 bytes come whole
    } while (n < 0 && errno == EINTR);
    ASSERT(n == sizeof block.numbers, "getrandom");
    block.left = block.numbers.size();
  }
  return std::exchange(block.numbers[--block.left], 0);  // nothing that was drawn stays in memory
}

}  // namespace moldau::io
