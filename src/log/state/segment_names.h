// The names of a segment's files: its base offset in 20 digits, and a suffix. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace moldau {

inline constexpr std::string_view kLogSuffix = ".log";
inline constexpr std::string_view kOffsetIndexSuffix = ".index";
inline constexpr std::string_view kTimeIndexSuffix = ".timeindex";
inline constexpr std::string_view kTxnIndexSuffix = ".txnindex";
inline constexpr std::string_view kSnapshotSuffix = ".snapshot";
inline constexpr std::string_view kDeletedSuffix = ".deleted";  // to be removed
inline constexpr std::string_view kCleanedSuffix = ".cleaned";  // being written by compaction
inline constexpr std::string_view kSwapSuffix = ".swap";        // written, about to replace segments
inline constexpr std::string_view kSegmentSuffixes[] = {kLogSuffix, kOffsetIndexSuffix, kTimeIndexSuffix,
                                                        kTxnIndexSuffix};

std::string offset_file_name(Offset offset, std::string_view suffix);
// The offset in front of the first dot; nullopt if those aren't 20 digits that fit.
std::optional<Offset> offset_of_file_name(std::string_view name);

// Where the last part of a path lies: "/a" for "/a/b", "/" for "/a", "." for "a".
inline std::string parent_directory(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace moldau
