#include "server/process_sample.h"

#include <array>
#include <charconv>
#include <string>

namespace moldau::server {
namespace {

constexpr int64_t kPageBytes = 4096;
constexpr double kTicksPerSecond = 100;  // USER_HZ, whatever the kernel's own rate

// Files of /proc have no size: read until they end.
std::string contents(io::FileSystem& files, const std::string& path) {
  std::string out;
  const auto file = files.open(path, io::OpenMode::kRead);
  std::array<uint8_t, 4096> part;
  while (file) {
    const auto count = (*file)->read_at(static_cast<int64_t>(out.size()), part);
    if (!count || *count == 0) break;
    out += as_text(Bytes(part).first(*count));
  }
  return out;
}

// The number that follows `name`, or the n-th one of a text.
std::optional<int64_t> number_at(std::string_view text, size_t at) {
  at = text.find_first_not_of(" \t", at);
  int64_t value = 0;
  if (at == text.npos ||
      std::from_chars(text.data() + at, text.data() + text.size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}
std::optional<int64_t> number_after(std::string_view text, std::string_view name) {
  const size_t at = text.find(name);
  return at == text.npos ? std::nullopt : number_at(text, at + name.size());
}
std::optional<int64_t> nth_number(std::string_view text, size_t n) {
  size_t at = text.find_first_not_of(' ');
  for (; n > 0 && at != text.npos; --n) at = text.find_first_not_of(' ', text.find(' ', at));
  return at == text.npos ? std::nullopt : number_at(text, at);
}

}  // namespace

admin::ProcessSample sample_process(io::FileSystem& files) {
  admin::ProcessSample out;
  const std::string stat = contents(files, "/proc/self/stat");
  if (const size_t behind_name = stat.rfind(')'); behind_name != stat.npos) {
    // From the state on: 11 and 12 are the times in user and kernel mode, 17 the threads.
    const std::string_view rest = std::string_view(stat).substr(behind_name + 2);
    const auto user = nth_number(rest, 11), kernel = nth_number(rest, 12);
    if (user && kernel) out.cpu_seconds = static_cast<double>(*user + *kernel) / kTicksPerSecond;
    out.threads = nth_number(rest, 17);
  }
  const std::string memory = contents(files, "/proc/self/statm");
  if (const auto pages = nth_number(memory, 0)) out.virtual_bytes = *pages * kPageBytes;
  if (const auto pages = nth_number(memory, 1)) out.resident_bytes = *pages * kPageBytes;
  if (const auto entries = files.list("/proc/self/fd")) out.open_fds = static_cast<int64_t>(entries->size());
  out.max_fds = number_after(contents(files, "/proc/self/limits"), "Max open files");
  const std::string io = contents(files, "/proc/self/io");
  out.disk_read_bytes = number_after(io, "read_bytes:");
  out.disk_write_bytes = number_after(io, "\nwrite_bytes:");
  return out;
}

}  // namespace moldau::server
