// ASSERT: a broken invariant of ours stops the process, in release builds too. What a peer, a disk or a user
// can cause is never an ASSERT but a Result.
#pragma once

namespace moldau {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line, const char* why);
}

#define ASSERT(condition, ...)                                                    \
  do {                                                                            \
    if (!(condition)) [[unlikely]]                                                \
      ::moldau::assertion_failed(#condition, __FILE__, __LINE__, "" __VA_ARGS__); \
  } while (false)
