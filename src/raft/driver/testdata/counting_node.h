// For tests: a node whose state machine is the list of records that were committed. As leader it appends numbered records
// until it has enough; on request it makes snapshots of the list.
#pragma once
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "raft/driver/raft_driver.h"
#include "sim/sim_world.h"

namespace moldau::test {

// What the world has heard of the node, across its incarnations.
struct Oracle {
  std::vector<std::string> committed;  // in the order of the log; grows, never changes
  std::set<int32_t> epochs;            // in which a node led
  std::vector<std::string> faults;
  int starts = 0;
};

struct CountingOptions {
  RaftOptions raft;
  int goal = 40;           // records that the leader appends at most
  int snapshot_every = 0;  // committed records; 0: never
};

inline CountingOptions counting_options() {
  CountingOptions o;
  o.raft.node_id = BrokerId(1);
  o.raft.voters = {BrokerId(1)};
  o.raft.metadata_log_dir = "/data";
  return o;
}

class CountingNode : public sim::Process, public RaftListener {
 public:
  CountingNode(io::Runtime& runtime, Oracle& oracle, CountingOptions options)
      : runtime_(runtime), oracle_(oracle), options_(std::move(options)), lane_(*runtime.lanes()[0]) {
    auto opened = std::make_shared<Result<std::unique_ptr<RaftDriver>>>();
    lane_.post([this, opened] {
      runtime_.pool().run(
          lane_,
          [this, opened] {
            if (!runtime_.files().create_directories(options_.raft.metadata_log_dir)) return;
            if (!runtime_.files().sync_dir("/")) return;
            *opened = RaftDriver::open(runtime_, options_.raft);
          },
          [this, opened] {
            if (!*opened || !**opened) return fault(*opened ? Error{} : opened->error());
            raft_ = std::move(**opened);
            raft_->add_listener(*this);
            raft_->start([this](const Error& e) { fault(e); });
            ++oracle_.starts;
          });
    });
  }

  RaftDriver* raft() { return raft_.get(); }
  const std::vector<std::string>& list() const { return list_; }
  bool leads() const { return epoch_.value > 0; }
  bool caught_up() const { return leads() && raft_->high_watermark() && next_ == *raft_->high_watermark(); }
  int snapshots_made() const { return snapshots_made_; }
  void set_goal(int goal) { options_.goal = goal, append_more(); }

  // RaftListener
  Status on_snapshot_begin(const OffsetAndEpoch& id) override {
    EXPECT_TRUE(list_.empty()) << "a snapshot comes first";
    loading_ = id;
    return {};
  }
  Status on_snapshot_batch(std::span<const Bytes> records) override {
    for (Bytes r : records) list_.emplace_back(as_text(r));
    return {};
  }
  Status on_snapshot_end(WallMs) override {
    next_ = loading_.offset;
    check_against_oracle();
    return {};
  }
  Status on_commit(const CommittedBatch& batch) override {
    EXPECT_EQ(batch.base_offset, next_) << "no gaps, nothing twice";
    next_ = batch.last_offset + int64_t{1};
    last_epoch_ = batch.epoch;
    if (!batch.records.empty()) {
      EXPECT_EQ(batch.last_offset - batch.base_offset + 1, static_cast<int64_t>(batch.records.size()));
    }
    for (Bytes r : batch.records) list_.emplace_back(as_text(r));
    check_against_oracle();
    return {};
  }
  Status on_commits_delivered() override {
    if (options_.snapshot_every &&
        list_.size() >= snapshot_at_ + static_cast<size_t>(options_.snapshot_every))
      make_snapshot();
    append_more();
    return {};
  }
  void on_leader_change(const LeaderAndEpoch& leader) override {
    epoch_ = leader.leader == options_.raft.node_id ? leader.epoch : LeaderEpoch(0);
    if (!leads()) return;
    EXPECT_TRUE(oracle_.epochs.insert(leader.epoch.value).second)
        << "epoch " << leader.epoch.value << " was led before";
    append_more();
  }

 private:
  void fault(Error error) {
    if (static_cast<sim::SimRuntime&>(runtime_).alive())
      oracle_.faults.push_back(error.message);  // the dead say nothing
  }

  // Everything that was ever heard as committed is still there, in its place.
  void check_against_oracle() {
    const size_t common = std::min(list_.size(), oracle_.committed.size());
    EXPECT_TRUE(
        std::equal(list_.begin(), list_.begin() + static_cast<int64_t>(common), oracle_.committed.begin()));
    if (list_.size() > oracle_.committed.size()) oracle_.committed = list_;
  }
  void append_more() {
    while (leads() && appended_ < options_.goal && in_flight() < 6) {
      std::vector<std::string> texts;
      for (int i = 0; i <= appended_ % 3; ++i)
        texts.push_back("e" + std::to_string(epoch_.value) + "-" + std::to_string(appended_ + i));
      std::vector<Bytes> records;
      for (const std::string& t : texts) records.push_back(as_bytes(t));
      if (!raft_->append(epoch_, records)) return;
      appended_ += static_cast<int>(texts.size());
    }
  }
  int in_flight() const { return static_cast<int>(raft_->next_offset() - next_); }
  void make_snapshot() {
    if (making_) return;
    std::shared_ptr<SnapshotWriter> writer =
        raft_->begin_snapshot({next_, last_epoch_}, runtime_.clock().wall_ms());
    if (!writer) return;
    making_ = true;
    snapshot_at_ = list_.size();
    auto outcome = std::make_shared<Status>();
    runtime_.pool().run(
        lane_,
        [writer, outcome, list = list_] {
          for (size_t i = 0; i < list.size() && *outcome; i += 5) {
            std::vector<Bytes> batch;
            for (size_t j = i; j < std::min(list.size(), i + 5); ++j) batch.push_back(as_bytes(list[j]));
            *outcome = writer->add(batch);
          }
          if (*outcome) *outcome = writer->finish();
        },
        [this, writer, outcome] {
          making_ = false;
          ++snapshots_made_;
          if (*outcome)
            raft_->complete_snapshot(writer->info());
          else
            fault(outcome->error());
        });
  }

  io::Runtime& runtime_;
  Oracle& oracle_;
  CountingOptions options_;
  io::Lane& lane_;
  std::unique_ptr<RaftDriver> raft_;
  std::vector<std::string> list_;
  OffsetAndEpoch loading_;
  Offset next_{0};
  LeaderEpoch last_epoch_{0};
  LeaderEpoch epoch_{0};  // in which it leads; 0: it doesn't
  int appended_ = 0;
  size_t snapshot_at_ = 0;
  bool making_ = false;
  int snapshots_made_ = 0;
};

}  // namespace moldau::test
