#include "log/file_cache.h"

#include "base/assert.h"

namespace moldau {

void FileSlot::put(std::shared_ptr<io::File> file, FileCache* cache) {
  close();
  file_ = std::move(file);
  cache_ = file_ ? cache : nullptr;
  if (cache_) cache_->insert_newest(*this);
}

void FileSlot::touch() {
  if (!cache_ || cache_->newest_ == this) return;
  FileCache* cache = cache_;
  cache->take_out(*this);
  cache->insert_newest(*this);
}

void FileSlot::close() {
  detach();
  file_.reset();
}

void FileSlot::detach() {
  if (cache_) cache_->take_out(*this);
  cache_ = nullptr;
}

FileCache::~FileCache() {
  ASSERT(open_ == 0, "a log is still attached to the file cache");
}

void FileCache::insert_newest(FileSlot& slot) {
  slot.older_ = newest_;
  slot.newer_ = nullptr;
  if (newest_) newest_->newer_ = &slot;
  newest_ = &slot;
  if (!oldest_) oldest_ = &slot;
  ++open_;
  while (open_ > limit_ && oldest_ != &slot) {
    oldest_->close();
    ++evictions_;
  }
}

void FileCache::take_out(FileSlot& slot) {
  (slot.older_ ? slot.older_->newer_ : oldest_) = slot.newer_;
  (slot.newer_ ? slot.newer_->older_ : newest_) = slot.older_;
  slot.newer_ = slot.older_ = nullptr;
  --open_;
}

}  // namespace moldau
