// DiskFault: one thing that goes wrong on a simulated disk, and the kinds of calls that it can strike.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "io/io_error.h"

namespace moldau::sim {

enum class DiskCall {
  kOpen,
  kStat,
  kList,
  kRead,
  kWrite,
  kTruncate,
  kSync,
  kCreateDirectory,
  kRename,
  kRemove,
  kSyncDir,
  kLock
};
inline constexpr std::array<std::string_view, 12> kDiskCallNames = {"open",   "stat",     "list",     "read",
                                                                    "write",  "truncate", "sync",     "mkdir",
                                                                    "rename", "remove",   "sync_dir", "lock"};
inline constexpr std::string_view name_of(DiskCall call) {
  return kDiskCallNames[static_cast<size_t>(call)];
}

inline constexpr int64_t kSticky = std::numeric_limits<int64_t>::max();

struct DiskFault {
  enum class Effect {
    kFail,     // the call returns `error`. A write leaves a seeded prefix, a sync drops what was dirty.
    kPretend,  // the call claims success and does nothing: a lost write, a lying sync
  };
  std::optional<DiskCall> call;  // none: any
  std::string path_part;         // strikes only paths that contain it
  int64_t skip = 0;              // so many matching calls still go well
  int64_t times = 1;             // then so many are struck; kSticky: all
  io::IoError::Kind error = io::IoError::Kind::kFailed;
  Effect effect = Effect::kFail;
};

}  // namespace moldau::sim
