// LogRetention: every log.retention.check.interval.ms, lets go of what retention.ms, retention.bytes and log start no longer
// keep, in all logs that aren't compacted: those are LogCleaner's. Owner: lane 0.
#pragma once
#include "replication/driver/partitions.h"

namespace moldau {

struct LogRetentionOptions {
  int64_t initial_delay_ms = 30000;    // log.initial.task.delay.ms
  int64_t check_interval_ms = 300000;  // log.retention.check.interval.ms
};

class LogRetention {
 public:
  LogRetention(io::Lane& lane, Partitions& partitions, const LogRetentionOptions& options)
      : lane_(lane), partitions_(partitions), options_(options) {}

  void start();
  void stop();

 private:
  void wait(int64_t delay_ms);
  void check();

  io::Lane& lane_;
  Partitions& partitions_;
  LogRetentionOptions options_;
  bool stopped_ = true;
  io::Timer timer_;
};

}  // namespace moldau
