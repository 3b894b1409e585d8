#include "replication/driver/checkpoints.h"

#include <utility>

namespace moldau {

Checkpoints::Checkpoints(DataDirectories& directories, io::Logger& logger,
                         std::function<void(const Error&)> on_storage_failure)
    : directories_(directories),
      logger_(logger),
      on_storage_failure_(std::move(on_storage_failure)),
      files_(directories.roots()) {
  for (size_t root = 0; root < files_.size(); ++root) {
    for (CheckpointKind kind : kKinds) files_[root][kind].content = directories_.root(root).checkpoint(kind);
  }
}

void Checkpoints::write(std::vector<Content> now, io::Task done) {
  auto finished = std::make_shared<io::Task>(std::move(done));
  auto left = std::make_shared<size_t>(1);
  const auto finish_one = [finished, left] {
    if (--*left == 0) (*finished)();
  };
  for (size_t root = 0; root < now.size(); ++root) {
    for (CheckpointKind kind : kKinds) {
      File& file = files_[root][kind];
      if (now[root][kind] == file.content && !file.failed) continue;
      file = {std::move(now[root][kind])};
      ++*left;
      directories_.write_checkpoint(
          root, kind, file.content, [this, root, &file, finish_one](Status written) {
            if (!written) {
              file.failed = true;
              if (directories_.may_heal(root))
                logger_.warn("log", "will be tried again: " + written.error().message);
              else
                on_storage_failure_(written.error());
            }
            finish_one();
          });
    }
  }
  finish_one();
}

void Checkpoints::forget(size_t root, const std::vector<Key>& which, DataDirectories::Done done) {
  struct State {
    size_t left = 1;
    Status status;
    DataDirectories::Done done;
    void finish_one() {
      if (--left == 0) done(std::move(status));
    }
  };
  auto state = std::make_shared<State>();
  state->done = std::move(done);
  for (CheckpointKind kind : kKinds) {
    File& file = files_[root][kind];
    size_t erased = 0;
    for (const Key& key : which) erased += file.content.erase(key);
    if (erased == 0 && !file.failed) continue;
    file.failed = false;
    ++state->left;
    directories_.write_checkpoint(root, kind, file.content, [&file, state](Status written) {
      if (!written) {
        file.failed = true;
        if (state->status) state->status = std::move(written);
      }
      state->finish_one();
    });
  }
  state->finish_one();
}

}  // namespace moldau
