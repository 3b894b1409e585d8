#include "io/posix/posix_runtime.h"

#include <signal.h>

#include <optional>
#include <thread>
#include <vector>

#include "base/assert.h"
#include "io/posix/cpu.h"
#include "io/posix/posix_file_system.h"
#include "io/posix/posix_lane.h"
#include "io/posix/posix_logger.h"
#include "io/posix/posix_pool.h"
#include "io/posix/posix_sources.h"
#include "io/posix/posix_transport.h"
#include "io/posix/signal_watch.h"

namespace moldau::io {
namespace {

class ReactorRuntime final : public PosixRuntime {
 public:
  explicit ReactorRuntime(PosixOptions options)
      : options_(std::move(options)),
        logger_(options_.log_level),
        pool_(options_.pool_threads),
        transport_(logger_, options_.listen_backlog) {
    ::signal(SIGPIPE, SIG_IGN);
    allowed_cpus();  // as they are before any thread is pinned
    const int lanes = options_.lanes > 0 ? options_.lanes : useful_lanes();
    for (int i = 0; i < lanes; ++i) lanes_.push_back(std::make_unique<PosixLane>(i, clock_));
    for (const auto& lane : lanes_) pointers_.push_back(lane.get());
    if (options_.on_stop_signal) signals_.emplace(*lanes_[0], options_.on_stop_signal);
  }

  ~ReactorRuntime() override {
    pool_.finish();
    signals_.reset();
    for (const auto& lane : lanes_) lane->drop_tasks();
  }

  void run() override {
    std::vector<std::thread> threads;
    for (size_t i = 1; i < lanes_.size(); ++i) threads.emplace_back([this, i] { run_lane(i); });
    run_lane(0);  // until stop()
    pool_.finish();
    for (size_t i = 1; i < lanes_.size(); ++i) lanes_[i]->finish();
    for (std::thread& thread : threads) thread.join();
    lanes_[0]->run_thread();  // what the pool and the others have sent meanwhile
    if (pins()) use_every_cpu();
  }

  void stop() override { lanes_[0]->finish(); }

  void run_until(const std::function<bool()>& done) override {
    ASSERT(lanes_.size() == 1, "nobody would run the others");
    lanes_[0]->run_until(done);
  }

  std::span<Lane* const> lanes() override { return pointers_; }
  Clock& clock() override { return clock_; }
  Random& random() override { return random_; }
  FileSystem& files() override { return files_; }
  Transport& transport() override { return transport_; }
  BlockingPool& pool() override { return pool_; }
  Logger& logger() override { return logger_; }

 private:
  bool pins() const { return options_.pin && lanes_.size() == allowed_cpus().size(); }
  void run_lane(size_t index) {
    if (index > 0) name_thread("lane-" + std::to_string(index));  // lane 0 keeps the process's name
    if (pins()) pin_to(allowed_cpus()[index]);
    lanes_[index]->run_thread();
  }

  const PosixOptions options_;
  PosixClock clock_;
  PosixRandom random_;
  PosixFileSystem files_;
  PosixLogger logger_;
  std::vector<std::unique_ptr<PosixLane>> lanes_;  // before the pool, which posts to them
  std::vector<Lane*> pointers_;
  PosixPool pool_;
  PosixTransport transport_;
  std::optional<SignalWatch> signals_;
};

}  // namespace

std::unique_ptr<PosixRuntime> make_posix_runtime(PosixOptions options) {
  return std::make_unique<ReactorRuntime>(std::move(options));
}

}  // namespace moldau::io
