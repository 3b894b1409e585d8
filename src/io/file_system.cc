#include "io/file_system.h"

#include <algorithm>
#include <array>

namespace moldau::io {

void read_into_cache(const FileRange& range) {
  std::array<uint8_t, 64 << 10> scratch;
  for (int64_t at = 0; at < range.length; at += static_cast<int64_t>(scratch.size())) {
    const auto n = std::min<int64_t>(range.length - at, static_cast<int64_t>(scratch.size()));
    if (!range.file->read_at(range.position + at, MutableBytes(scratch).first(static_cast<size_t>(n))))
      return;
  }
}

IoStatus FileSystem::replace(const std::string& path, Bytes content) {
  const std::string temporary = path + ".tmp";
  {
    auto file = open(temporary, OpenMode::kTruncate);
    if (!file) return std::unexpected(std::move(file).error());
    if (auto done = (*file)->write_at(0, content); !done) return done;
    if (auto done = (*file)->sync(); !done) return done;
  }
  if (auto done = rename(temporary, path); !done) return done;
  const size_t slash = path.rfind('/');
  return sync_dir(slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash));
}

IoResult<std::string> FileSystem::read_whole(const std::string& path, int64_t at_most) {
  auto file = open(path, OpenMode::kRead);
  if (!file) return std::unexpected(std::move(file).error());
  auto size = (*file)->size();
  if (!size) return std::unexpected(std::move(size).error());
  std::string content(static_cast<size_t>(std::min(*size, at_most)), '\0');
  auto read = (*file)->read_at(0, {reinterpret_cast<uint8_t*>(content.data()), content.size()});
  if (!read) return std::unexpected(std::move(read).error());
  content.resize(*read);
  return content;
}

}  // namespace moldau::io
