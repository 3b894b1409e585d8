// PosixPool: a few threads for what waits for disks. They are made when there is work and none is free.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "io/blocking_pool.h"

namespace moldau::io {

class PosixPool final : public BlockingPool {
 public:
  explicit PosixPool(int threads) : most_threads_(threads) {}
  ~PosixPool() override { finish(); }
  // In order of arrival, as threads are free. After finish() it drops both.
  void run(Lane& back, Task work, Task done) override;
  // Does what was given so far, then joins the threads. Not from one of them.
  void finish();

 private:
  struct Job {
    Lane* back = nullptr;
    Task work;
    Task done;
  };
  void serve(int number);

  const int most_threads_;
  std::mutex mutex_;  // guards all below
  std::condition_variable wanted_;
  std::deque<Job> jobs_;
  int free_ = 0;
  bool finishing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace moldau::io
