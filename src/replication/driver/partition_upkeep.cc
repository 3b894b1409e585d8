// Partition: retention and compaction of its log.
#include <fmt/format.h>

#include <utility>

#include "base/assert.h"
#include "replication/driver/partition.h"

namespace moldau {

void PartitionHost::remove_later(std::unique_ptr<SegmentRemoval> files, int64_t delay_ms) {
  removals.add(
      [this, removal = std::shared_ptr<SegmentRemoval>(std::move(files))] {
        pool.run(
            lane, [removal] { removal->remove(); }, [removal] {});  // what fails, the next start removes
      },
      delay_ms);
}

// ---- retention

void Partition::retain(io::Task done) {
  if (retired_ || log_->cleaning() || !log_->retention_due(host_->lane.clock().wall_ms(), high_watermark()))
    return done();
  // Closed segments may go only when what they leave behind is durable.
  if (!log_->flush_due()) return retain_once(true, std::move(done));
  flush([self = shared_from_this(), done = std::move(done)](Status flushed) mutable {
    if (!flushed) return done();
    self->retain_once(true, std::move(done));
  });
}

// `again`: an active segment that has expired was rolled by it, and goes with a second look.
void Partition::retain_once(bool again, io::Task done) {
  const WallMs now = host_->lane.clock().wall_ms();
  auto scan = retired_ ? nullptr : log_->prepare_retention(now, high_watermark());
  if (!scan) return done();
  run_work(std::move(scan), [again, done = std::move(done)](Partition& self,
                                                            std::unique_ptr<RetentionScan> found) mutable {
    const Offset active = self.log_->active_base();
    auto removal = self.log_->complete_retention(std::move(found), self.host_->lane.clock().wall_ms());
    if (!removal) {
      self.broke(removal.error());
      return done();
    }
    self.remove_segments(std::move(*removal), again && self.log_->active_base() != active, std::move(done));
  });
}

void Partition::remove_segments(std::unique_ptr<SegmentRemoval> removal, bool again, io::Task done) {
  if (!removal) return again ? retain_rolled(std::move(done)) : done();
  ++works_;
  auto* raw = removal.get();
  host_->pool.run(
      host_->lane, [raw] { raw->rename(); },
      [self = shared_from_this(), removal = std::move(removal), again, done = std::move(done)]() mutable {
        const Status renamed = self->log_->complete_removal(*removal);
        if (renamed)
          self->host_->remove_later(std::move(removal), self->options_.log.file_delete_delay_ms);
        else
          self->broke(renamed.error());
        if (renamed && again)
          self->retain_rolled(std::move(done));
        else
          done();
        self->work_done();
      });
}

void Partition::retain_rolled(io::Task done) {
  flush([self = shared_from_this(), done = std::move(done)](Status flushed) mutable {
    if (!flushed) return done();
    self->retain_once(false, std::move(done));
  });
}

// ---- compaction

void Partition::find_dirty(std::move_only_function<void(std::optional<CleaningCandidate>)> done) {
  const WallMs now = host_->lane.clock().wall_ms();
  auto scan = retired_ || uncleanable_ || log_->cleaning() ? nullptr : log_->prepare_dirty_scan(now);
  if (!scan) return done(std::nullopt);
  const auto complete = [now](Partition& self,
                              std::unique_ptr<DirtyScan> scanned) -> std::optional<CleaningCandidate> {
    const auto section = self.log_->complete_dirty_scan(std::move(scanned), now, self.high_watermark());
    if (!section) {
      self.broke(section.error());
      return std::nullopt;
    }
    const LogOptions& log = self.options_.log;
    return CleaningCandidate{
        *section, {log.min_cleanable_dirty_ratio, log.min_compaction_lag_ms, log.max_compaction_lag_ms}};
  };
  if (!scan->needs_disk()) return done(complete(*this, std::move(scan)));
  run_work(std::move(scan),
           [complete, done = std::move(done)](Partition& self, std::unique_ptr<DirtyScan> scanned) mutable {
             done(complete(self, std::move(scanned)));
           });
}

void Partition::clean(const DirtySection& section, const CleaningOptions& how, double bytes_per_second,
                      std::move_only_function<void(bool)> done) {
  if (!retired_ && log_->flush_due()) {  // only what is durable is compacted
    return flush([self = shared_from_this(), section, how, bytes_per_second,
                  done = std::move(done)](Status flushed) mutable {
      if (!flushed) return done(false);
      if (self->log_->flush_due()) return done(false);  // it grows faster than the disk; later
      self->clean(section, how, bytes_per_second, std::move(done));
    });
  }
  auto work = retired_ || uncleanable_ ? nullptr
                                       : log_->prepare_cleaning(section, how, host_->lane.clock().wall_ms());
  if (!work) return done(false);
  ++works_;
  cleaning_ = std::make_shared<CleaningRun>(
      host_->lane, host_->pool, *log_, std::move(work), bytes_per_second,
      [self = shared_from_this(), done = std::move(done)](LogCleaning& over) mutable {
        const bool outcome = self->cleaned(over);
        self->cleaning_.reset();
        done(outcome);
        self->work_done();
      });
  cleaning_->start();
}

bool Partition::cleaned(LogCleaning& over) {
  const Status status = log_->complete_cleaning(over);
  if (auto removal = over.take_removal())
    host_->remove_later(std::move(removal), options_.log.file_delete_delay_ms);
  const auto& s = over.summary();
  if (s.segments_before > 0)
    host_->logger.info(
        "log", fmt::format("{}: compacted offsets {} to {}: {} segments of {} bytes became {} of {}, {} keys",
                           identity_.text(), s.from.value, s.to.value, s.segments_before, s.bytes_before,
                           s.segments_after, s.bytes_after, s.keys));
  if (status) return !over.stopped();
  uncleanable_ = status.error().code != ErrorCode::kKafkaStorageError;
  host_->logger.error(
      "log", status.error().message + (uncleanable_ ? "; it isn't tried again before the next start" : ""));
  if (log_->fenced()) broke(status.error());
  return false;
}

}  // namespace moldau
