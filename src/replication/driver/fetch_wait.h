// FetchWait: one fetch from its first read to its answer. Reads; if there is less than min_bytes and no
// reason to answer anyway, waits until the partitions grow or the time is up, and reads again. Owner: the
// asking lane. The timer, or the read under way, keeps it alive.
#pragma once
#include <memory>
#include <vector>

#include "replication/driver/partitions.h"

namespace moldau {

class FetchWait : public std::enable_shared_from_this<FetchWait> {
 public:
  static void start(Partitions& partitions, io::Lane& from,
                    std::shared_ptr<const ports::FetchRequest> request, ports::FetchDone done);

  FetchWait(Partitions& partitions, io::Lane& from, std::shared_ptr<const ports::FetchRequest> request,
            ports::FetchDone done);

  void grew(int64_t bytes);
  void changed() { grew(request_->min_bytes); }

 private:
  class Watch;

  void read();
  void on_read(std::vector<ports::FetchOutcome> outcomes);
  void limit_bytes(std::vector<ports::FetchOutcome>& outcomes) const;
  bool must_answer(const std::vector<ports::FetchOutcome>& outcomes) const;
  void wait(const std::vector<ports::FetchOutcome>& outcomes);

  Partitions& partitions_;
  io::Lane& from_;
  std::shared_ptr<const ports::FetchRequest> request_;
  ports::FetchDone done_;
  Instant deadline_;
  int64_t missing_ = 0;  // bytes until min_bytes
  bool waiting_ = false;
  std::vector<std::shared_ptr<Watch>> watches_;  // one a lane, while waiting
  io::Timer timer_;
};

}  // namespace moldau
