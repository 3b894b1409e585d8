#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace moldau {

void assertion_failed(const char* expression, const char* file, int line, const char* why) {
  std::fprintf(stderr,
               "invariant broken: %s at %s:%d%s%s. This is a bug in Moldau; acknowledged data is on disk.\n",
               expression, file, line, *why ? ": " : "", why);
  std::fflush(stderr);
  std::abort();
}

}  // namespace moldau
