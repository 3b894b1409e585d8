// PosixFile: a file by its descriptor. Stateless beyond that, so any thread may call it.
#pragma once
#include "io/file_system.h"
#include "io/posix/descriptor.h"

namespace moldau::io {

class PosixFile final : public File {
 public:
  PosixFile(std::string path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  const std::string& path() const override { return path_; }
  IoResult<int64_t> size() const override;
  IoResult<size_t> read_at(int64_t position, MutableBytes into) const override;
  using File::write_at;
  IoStatus write_at(int64_t position, std::span<const Bytes> parts) override;
  IoStatus truncate(int64_t size) override;
  void reserve(int64_t position, int64_t length) override;
  IoStatus sync() override;
  bool cached(int64_t position, int64_t length) const override;
  int descriptor() const override { return descriptor_.get(); }

 private:
  const std::string path_;
  const Descriptor descriptor_;
};

}  // namespace moldau::io
