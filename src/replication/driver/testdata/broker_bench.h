// For tests: what replication/driver has of a broker, on a simulated machine: directories, lanes with partitions, and their
// assignment, told of topics as the metadata log would.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "metadata/bootstrap_records.h"
#include "metadata/image_replay.h"
#include "protocol/metadata/partition_change_record.h"
#include "protocol/metadata/partition_record.h"
#include "protocol/metadata/remove_topic_record.h"
#include "protocol/metadata/topic_record.h"
#include "record/batch_builder.h"
#include "replication/driver/assignment.h"
#include "sim/sim_world.h"

namespace moldau::test {

inline constexpr BrokerId kSelf{1};

class BrokerNode : public sim::Process {
 public:
  BrokerNode(io::Runtime& runtime, const TopicOptions& options, std::vector<std::string>& failures)
      : runtime_(runtime) {
    lane().post([this, &options, &failures] { start(options, failures); });
  }
  ~BrokerNode() override { assignment_.reset(), partitions_.reset(), directories_.reset(); }

  bool started() const { return assignment_ != nullptr; }
  io::Lane& lane() { return *runtime_.lanes().front(); }
  Assignment& assignment() { return *assignment_; }
  Partitions& partitions() { return *partitions_; }

 private:
  void start(const TopicOptions& options, std::vector<std::string>& failures) {
    std::vector<std::unique_ptr<LogDirectory>> roots;
    auto opened = LogDirectory::open(runtime_.files(), runtime_.logger(), {.root = "/data"});
    if (!opened) return failures.push_back(opened.error().message);
    roots.push_back(std::move(*opened));
    directories_ = std::make_unique<DataDirectories>(lane(), runtime_.pool(), std::move(roots), 2);
    std::vector<std::unique_ptr<PartitionLane>> lanes;
    for (io::Lane* each : runtime_.lanes())
      lanes.push_back(
          std::make_unique<PartitionLane>(*each, runtime_.pool(), runtime_.logger(), kSelf, 64));
    partitions_ = std::make_unique<Partitions>(std::move(lanes));
    assignment_ = std::make_unique<Assignment>(Assignment::Parts{
        lane(), runtime_.logger(), runtime_.random(), *directories_, *partitions_, kSelf,
        [&options](const ClusterImage&, std::string_view) { return options; },
        [&failures](const Error& error) { failures.push_back(error.message); }});
  }

  io::Runtime& runtime_;
  std::unique_ptr<DataDirectories> directories_;
  std::unique_ptr<Partitions> partitions_;
  std::unique_ptr<Assignment> assignment_;
};

class BrokerBench {
 public:
  explicit BrokerBench(uint64_t seed, int lanes = 2) : world_({.seed = seed}) {
    node_ = &world_.add_node(
        "n",
        [this](io::Runtime& r) { return std::make_unique<BrokerNode>(r, options, failures); },
        {.lanes = lanes});
    EXPECT_TRUE(replay_.replay(default_bootstrap_records()[0], {Offset(next_++), LeaderEpoch(1)}));
    change_ = replay_.take();
    wait([this] { return process().started(); });
  }

  sim::SimWorld& world() { return world_; }
  sim::SimNode& node() { return *node_; }
  sim::SimFileSystem& disk() { return node_->disk(); }
  BrokerNode& process() { return node_->process<BrokerNode>(); }
  void wait(const std::function<bool()>& done) {
    ASSERT_TRUE(world_.run_until(done, std::chrono::seconds(30)));
  }

  // ---- the metadata

  void add_topic(const std::string& name, int partitions = 1) {
    const Uuid id{7, static_cast<uint64_t>(next_)};
    RecordBuffer records;
    records.add(protocol::TopicRecord{.name = name, .topic_id = id}, 0);
    for (int32_t p = 0; p < partitions; ++p) {
      protocol::PartitionRecord record;
      record.partition_id = p;
      record.topic_id = id;
      record.replicas = record.isr = {kSelf.value};
      record.leader = kSelf.value;
      record.leader_epoch = record.partition_epoch = 0;
      records.add(record, 0);
    }
    add(records);
  }
  void remove_topic(const std::string& name) {
    RecordBuffer records;
    records.add(protocol::RemoveTopicRecord{.topic_id = replay_.image().topic(name)->id}, 0);
    add(records);
  }
  // Its first partition's leader is elected anew.
  void change_topic(const std::string& name) {
    protocol::PartitionChangeRecord record;
    record.partition_id = 0;
    record.topic_id = replay_.image().topic(name)->id;
    record.leader = kSelf.value;
    RecordBuffer records;
    records.add(record, 0);
    add(records);
  }
  const ImageChange& change() const { return change_; }  // the last one
  TopicPartition id(const std::string& topic, int32_t partition = 0) {
    return {replay_.image().topic(topic)->id, PartitionId(partition)};
  }
  // Tells the broker the last change; returns at once.
  std::shared_ptr<bool> begin_apply() {
    auto done = std::make_shared<bool>(false);
    node_->post([this, done, change = change_] {
      process().assignment().apply(change.image, change.delta, [done] { *done = true; });
    });
    return done;
  }
  void apply() {
    const auto done = begin_apply();
    wait([&] { return *done; });
  }

  // ---- the broker

  // Begins anew after a crash or a stop: the first change is everything.
  void restart(sim::Crash how) {
    world_.restart(*node_, how);
    auto nothing = std::make_shared<const ClusterImage>();
    change_ = {change_.image,
               std::make_shared<const ClusterDelta>(ClusterDelta::between(nothing, *change_.image))};
    wait([this] { return process().started(); });
  }
  std::shared_ptr<bool> begin_close() {
    auto done = std::make_shared<bool>(false);
    node_->post([this, done] {
      process().assignment().close(5, [done](Status closed) {
        EXPECT_TRUE(closed);
        *done = true;
      });
    });
    return done;
  }
  void close() {
    const auto done = begin_close();
    wait([&] { return *done; });
  }
  void checkpoint() {
    bool done = false;
    node_->post([&] { process().assignment().checkpoint([&] { done = true; }); });
    wait([&] { return done; });
  }
  std::shared_ptr<std::optional<ErrorCode>> begin_produce(const std::string& topic,
                                                          ProducerId producer = kNoProducerId) {
    BatchOptions how;
    if (producer != kNoProducerId)
      how.producer_id = producer, how.producer_epoch = ProducerEpoch(0), how.base_sequence = 0;
    BatchBuilder batch(how);
    batch.add(node_->runtime().clock().wall_ms(), std::nullopt, as_bytes("value"));
    ports::AppendRequest request;
    request.frame = Buffer::copy_of(as_bytes(batch.build()));
    request.parts.push_back({id(topic), 0, request.frame.size()});
    request.produce_version = 9;
    auto answer = std::make_shared<std::optional<ErrorCode>>();
    node_->post([this, answer, request = std::move(request)]() mutable {
      process().partitions().append(
          process().lane(), std::move(request),
          [answer](std::vector<ports::AppendOutcome> outcomes) { *answer = outcomes.at(0).error; });
    });
    return answer;
  }
  ErrorCode produce(const std::string& topic, ProducerId producer = kNoProducerId) {
    const auto answer = begin_produce(topic, producer);
    wait([&] { return answer->has_value(); });
    return answer->value_or(ErrorCode::kRequestTimedOut);
  }
  // Of a partition that is online. A look from outside, between two of its tasks.
  std::shared_ptr<Partition> partition(const std::string& topic) {
    Partitions& all = process().partitions();
    return all.lane(all.lane_of(id(topic))).find(id(topic));
  }
  // What a checkpoint file says of partition 0.
  std::optional<Offset> checkpointed(CheckpointKind kind, const std::string& topic) {
    const auto text = disk().read_whole("/data/" + std::string(file_name(kind)));
    if (!text) return std::nullopt;
    const auto offsets = parse_offset_checkpoint(*text);
    const auto at = offsets->find(std::pair(topic, PartitionId(0)));
    return at == offsets->end() ? std::nullopt : std::optional(at->second);
  }
  bool stopped_cleanly() { return disk().exists("/data/" + std::string(kCleanShutdownFile)).value_or(false); }

  TopicOptions options;
  std::vector<std::string> failures;  // of storage: the node would have ended

 private:
  void add(const RecordBuffer& records) {
    for (size_t i = 0; i < records.size(); ++i)
      ASSERT_TRUE(replay_.replay(records[i], {Offset(next_++), LeaderEpoch(1)}));
    change_ = replay_.take();
  }

  sim::SimWorld world_;
  sim::SimNode* node_;
  ImageReplay replay_;
  ImageChange change_;
  int64_t next_ = 0;
};

}  // namespace moldau::test
