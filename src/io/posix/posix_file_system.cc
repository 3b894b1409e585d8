#include "io/posix/posix_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "io/posix/posix_file.h"
#include "io/posix/system_error.h"

namespace moldau::io {
namespace {

class PosixFileLock final : public FileLock {
 public:
  explicit PosixFileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  Descriptor descriptor_;  // the lock goes when it is closed
};

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

bool is_directory(const std::string& path) {
  struct stat state;
  return ::stat(path.c_str(), &state) == 0 && S_ISDIR(state.st_mode);
}

// Who holds a record lock on the file: the kernel knows a Java process, and ours write their number into the
// file.
std::string holder(int descriptor) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0) {
    return std::to_string(lock.l_pid);
  }
  char text[16] = {};
  const ssize_t n = ::pread(descriptor, text, sizeof text - 1, 0);
  const std::string number(text, static_cast<size_t>(std::max<ssize_t>(0, n)));
  const size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  return digits == 0 ? "(unknown)" : number.substr(0, digits);
}

}  // namespace

IoResult<std::shared_ptr<File>> PosixFileSystem::open(const std::string& path, OpenMode mode) {
  int flags = O_CLOEXEC | (mode == OpenMode::kRead ? O_RDONLY : O_RDWR);
  if (mode == OpenMode::kCreate) flags |= O_CREAT;
  if (mode == OpenMode::kTruncate) flags |= O_CREAT | O_TRUNC;
  Descriptor descriptor;
  do {
    descriptor = Descriptor(::open(path.c_str(), flags, 0644));
  } while (!descriptor && errno == EINTR);
  if (!descriptor) return system_error(errno, path);
  if (mode == OpenMode::kRead) {  // the only mode in which a directory opens
    struct stat state;
    if (::fstat(descriptor.get(), &state) != 0) return system_error(errno, path);
    if (S_ISDIR(state.st_mode)) return system_error(EISDIR, path);
  }
  return std::make_shared<PosixFile>(path, std::move(descriptor));
}

IoResult<bool> PosixFileSystem::exists(const std::string& path) {
  struct stat state;
  if (::stat(path.c_str(), &state) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return system_error(errno, path);
}

IoResult<std::vector<DirectoryEntry>> PosixFileSystem::list(const std::string& directory) {
  const std::unique_ptr<DIR, CloseDirectory> stream(::opendir(directory.c_str()));
  if (!stream) return system_error(errno, directory);
  std::vector<DirectoryEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (!entry) break;
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool is_dir = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK) is_dir = is_directory(directory + "/" + name);
    entries.push_back({std::move(name), is_dir});
  }
  if (errno != 0) return system_error(errno, "list " + directory);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return entries;
}

IoStatus PosixFileSystem::create_directories(const std::string& path) {
  for (size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    const std::string prefix = path.substr(0, end);
    if (prefix.empty() || ::mkdir(prefix.c_str(), 0755) == 0) continue;
    const int error = errno;
    if (is_directory(prefix)) continue;
    return system_error(error, "create directory " + prefix);
  }
  return {};
}

IoStatus PosixFileSystem::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return system_error(errno, "rename " + from + " to " + to);
}

IoStatus PosixFileSystem::remove(const std::string& path) {
  if (std::remove(path.c_str()) == 0) return {};
  return system_error(errno, "remove " + path);
}

IoStatus PosixFileSystem::remove_all(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (!error || error.value() == ENOTDIR) return {};
  return system_error(error.value(), "remove " + path);
}

IoStatus PosixFileSystem::sync_dir(const std::string& directory) {
  const Descriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor) return system_error(errno, directory);
  if (::fsync(descriptor.get()) != 0) return system_error(errno, "sync " + directory);
  return {};
}

IoResult<std::unique_ptr<FileLock>> PosixFileSystem::lock(const std::string& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!descriptor) return system_error(errno, path);
  // Held by the open file, not by the process: a second lock() of this process is refused too.
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(descriptor.get(), F_OFD_SETLK, &lock) != 0) {
    if (errno != EAGAIN && errno != EACCES) return system_error(errno, "lock " + path);
    return std::unexpected(
        IoError{IoError::Kind::kBusy, path + " is locked by process " + holder(descriptor.get())});
  }
  const std::string number = std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor.get(), 0) != 0 ||
      ::pwrite(descriptor.get(), number.data(), number.size(), 0) != static_cast<ssize_t>(number.size())) {
    return system_error(errno, "write " + path);
  }
  return std::make_unique<PosixFileLock>(std::move(descriptor));
}

IoResult<DiskSpace> PosixFileSystem::space(const std::string& path) {
  struct statvfs state;
  if (::statvfs(path.c_str(), &state) != 0) return system_error(errno, path);
  const auto block = static_cast<int64_t>(state.f_frsize);
  return DiskSpace{static_cast<int64_t>(state.f_blocks) * block,
                   static_cast<int64_t>(state.f_bavail) * block};
}

}  // namespace moldau::io
