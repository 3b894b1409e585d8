// LogCleaner: compaction on the whole broker, as Kafka's log cleaner. Looks through all logs with cleanup.policy=compact,
// compacts the dirtiest one, and looks again; pauses for log.cleaner.backoff.ms when there was nothing. Each look also lets
// retention at those logs (compact,delete). Owner: lane 0.
//
//   idle -- timer --> looking -- nothing to do --> idle
//                        | up to `threads` logs, dirtiest first
//                        v
//                    cleaning -- one is done --> looking
#pragma once
#include <functional>
#include <set>
#include <vector>

#include "io/random.h"
#include "replication/driver/partitions.h"

namespace moldau {

struct LogCleanerOptions {
  int threads = 1;  // log.cleaner.threads: logs that are compacted at a time; 0: none ever
  int64_t dedupe_buffer_bytes = 128 << 20;           // log.cleaner.dedupe.buffer.size: of all together
  double buffer_load_factor = 0.9;                   // log.cleaner.io.buffer.load.factor
  double bytes_per_second = 1.7976931348623157e308;  // log.cleaner.io.max.bytes.per.second: of all together
  int64_t backoff_ms = 15000;                        // log.cleaner.backoff.ms
};

class LogCleaner {
 public:
  struct Parts {
    io::Lane& lane;
    io::Logger& logger;
    io::Random& random;
    Partitions& partitions;
    // Something was compacted, and there is nothing more to do: how far is to be written down.
    std::function<void()> on_progress;
  };
  LogCleaner(Parts parts, const LogCleanerOptions& options);

  void start();
  // No further looks and cleanings; those that run are ended by their partitions' retirement.
  void stop();

 private:
  struct Candidate {
    TopicPartition id;
    size_t lane;
    CleaningCandidate what;
  };
  void pause();
  void look();
  void look_at(size_t lane, std::function<void(std::vector<Candidate>)> found);
  void on_look(std::vector<Candidate> candidates);
  void clean(const Candidate& candidate);
  void on_cleaned(const TopicPartition& id, bool something);

  Parts p_;
  LogCleanerOptions options_;
  HashSecret secret_;
  std::set<TopicPartition> running_;
  bool looking_ = false;
  bool stopped_ = true;
  bool progress_ = false;
  std::set<TopicPartition> fruitless_;  // in this series: asked, and nothing was done
  io::Timer timer_;
};

}  // namespace moldau
