// The real world as the contracts want it: a runtime on a thread of its own, and an empty directory. For
// tests only.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "io/posix/posix_runtime.h"

namespace moldau::io {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = ::testing::TempDir() + "moldau-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class PosixWorld {
 public:
  explicit PosixWorld(PosixOptions options = {.lanes = 2, .log_level = Level::kError})
      : runtime_(make_posix_runtime(std::move(options))), thread_([this] { runtime_->run(); }) {}
  ~PosixWorld() {
    if (thread_.joinable()) stop();
  }
  PosixRuntime& runtime() { return *runtime_; }
  std::string host() { return "127.0.0.1"; }
  std::string directory() { return directory_.path(); }
  void wait(std::atomic<int>& count, int n) {
    for (int now = count; now < n; now = count) count.wait(now);
  }
  // Runs the task on a lane and waits for it.
  void on(size_t lane, Task task) {
    std::atomic<int> done = 0;
    runtime_->lanes()[lane]->post([&] {
      task();
      ++done;
      done.notify_all();
    });
    wait(done, 1);
  }
  void stop() {
    runtime_->stop();
    thread_.join();
  }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<PosixRuntime> runtime_;
  std::thread thread_;
};

}  // namespace moldau::io
