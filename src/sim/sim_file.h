// SimFile, SimFileLock: handles of one process on a simulated disk; private to it. And the words of its
// errors.
#pragma once
#include "sim/sim_file_system.h"

namespace moldau::sim {

std::string_view reason(io::IoError::Kind kind);
std::unexpected<io::IoError> disk_error(io::IoError::Kind kind, const std::string& path);
std::unexpected<io::IoError> disk_failure(io::IoError::Kind kind, DiskCall call, const std::string& path);

class SimFile final : public io::File {
 public:
  SimFile(std::shared_ptr<SimFileSystem::Session> session, SimFileSystem::Node node, std::string path,
          bool writable)
      : session_(std::move(session)), node_(std::move(node)), path_(std::move(path)), writable_(writable) {
    node_->add_handles(1);
  }
  ~SimFile() override { node_->add_handles(-1); }

  const std::string& path() const override { return path_; }
  io::IoResult<int64_t> size() const override;
  io::IoResult<size_t> read_at(int64_t position, MutableBytes into) const override;
  using io::File::write_at;
  io::IoStatus write_at(int64_t position, std::span<const Bytes> parts) override;
  io::IoStatus truncate(int64_t size) override;
  void reserve(int64_t position, int64_t length) override;
  io::IoStatus sync() override;
  bool cached(int64_t position, int64_t length) const override;
  int descriptor() const override { return -1; }

 private:
  io::IoResult<SimFileSystem::Verdict> enter(DiskCall call) const;

  std::shared_ptr<SimFileSystem::Session> session_;
  SimFileSystem::Node node_;
  std::string path_;
  bool writable_;
};

class SimFileLock final : public io::FileLock {
 public:
  SimFileLock(std::shared_ptr<SimFileSystem::Session> session, uint64_t inode)
      : session_(std::move(session)), inode_(inode) {}
  ~SimFileLock() override {
    if (session_->disk) session_->disk->locked_.erase(inode_);
  }

 private:
  std::shared_ptr<SimFileSystem::Session> session_;
  uint64_t inode_;
};

}  // namespace moldau::sim
