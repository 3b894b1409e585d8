#include "io/posix/posix_pool.h"

#include <system_error>

#include "base/assert.h"
#include "io/posix/cpu.h"

namespace moldau::io {

void PosixPool::run(Lane& back, Task work, Task done) {
  const std::lock_guard lock(mutex_);
  if (finishing_) return;
  jobs_.push_back({&back, std::move(work), std::move(done)});
  if (free_ >= static_cast<int>(jobs_.size()) || static_cast<int>(threads_.size()) >= most_threads_) {
    wanted_.notify_one();
    return;
  }
  try {
    threads_.emplace_back([this, number = static_cast<int>(threads_.size())] { serve(number); });
  } catch (const std::system_error&) {  // the machine has no more; one will do
    ASSERT(!threads_.empty(), "no thread for what waits for disks");
    wanted_.notify_one();
  }
}

void PosixPool::serve(int number) {
  name_thread("disk-" + std::to_string(number));
  use_every_cpu();  // made by a lane's thread, it would stay on that lane's core
  std::unique_lock lock(mutex_);
  for (;;) {
    if (jobs_.empty()) {
      if (finishing_) return;
      ++free_;
      wanted_.wait(lock);
      --free_;
      continue;
    }
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job.work();
    job.work = nullptr;
    job.back->post(std::move(job.done));
    lock.lock();
  }
}

void PosixPool::finish() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    threads.swap(threads_);
    wanted_.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace moldau::io
