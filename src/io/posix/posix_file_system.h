// PosixFileSystem: the machine's. Any thread may call it.
#pragma once
#include "io/file_system.h"

namespace moldau::io {

class PosixFileSystem final : public FileSystem {
 public:
  IoResult<std::shared_ptr<File>> open(const std::string& path, OpenMode mode) override;
  IoResult<bool> exists(const std::string& path) override;
  IoResult<std::vector<DirectoryEntry>> list(const std::string& directory) override;
  IoStatus create_directories(const std::string& path) override;
  IoStatus rename(const std::string& from, const std::string& to) override;
  IoStatus remove(const std::string& path) override;
  IoStatus remove_all(const std::string& path) override;
  IoStatus sync_dir(const std::string& directory) override;
  // A record lock, as a Java process takes it: so Apache Kafka and we exclude each other from a log
  // directory.
  IoResult<std::unique_ptr<FileLock>> lock(const std::string& path) override;
  IoResult<DiskSpace> space(const std::string& path) override;
};

}  // namespace moldau::io
