// For tests: ports that note what they are asked, and answer what they are told or wait until they are.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/test_asked.h"
#include "io/file_system.h"
#include "ports/configs.h"
#include "ports/controller.h"
#include "ports/images.h"
#include "ports/log_dirs.h"
#include "ports/metadata_log.h"
#include "ports/partitions.h"
#include "ports/producer_ids.h"
#include "ports/quorum.h"

namespace moldau::api::testing {

class TestImages final : public ports::ImagesPort {
 public:
  const ClusterImage& current(const io::Lane&) const override { return *image; }
  std::shared_ptr<const ClusterImage> image = std::make_shared<ClusterImage>();
};

class MemoryFile final : public io::File {
 public:
  explicit MemoryFile(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& path() const override { return path_; }
  io::IoResult<int64_t> size() const override { return static_cast<int64_t>(bytes_.size()); }
  io::IoResult<size_t> read_at(int64_t position, MutableBytes into) const override {
    const size_t n = std::min(into.size(), bytes_.size() - static_cast<size_t>(position));
    std::memcpy(into.data(), bytes_.data() + position, n);
    return n;
  }
  io::IoStatus write_at(int64_t, std::span<const Bytes>) override { return {}; }
  io::IoStatus truncate(int64_t) override { return {}; }
  io::IoStatus sync() override { return {}; }
  bool cached(int64_t, int64_t) const override { return true; }
  int descriptor() const override { return -1; }

 private:
  std::string path_ = "memory";
  std::string bytes_;
};

inline io::FileRange range_of(std::string bytes) {
  const auto length = static_cast<int64_t>(bytes.size());
  return {std::make_shared<MemoryFile>(std::move(bytes)), 0, length};
}

class TestPartitions final : public ports::PartitionsPort {
 public:
  struct Append {
    ports::AppendRequest request;
    ports::AppendDone done;
  };
  struct Fetch {
    std::shared_ptr<const ports::FetchRequest> request;
    ports::FetchDone done;
    io::Lane* lane;
  };

  void append(io::Lane&, ports::AppendRequest request, ports::AppendDone done) override {
    appends.push_back({std::move(request), std::move(done)});
  }
  void fetch(io::Lane& lane, std::shared_ptr<const ports::FetchRequest> request,
             ports::FetchDone done) override {
    fetches.push_back({std::move(request), std::move(done), &lane});
  }
  void list_offsets(io::Lane&, std::vector<ports::OffsetQuery> queries, ports::OffsetsDone done) override {
    std::vector<ports::OffsetAnswer> answers;
    for (const auto& q : queries) answers.push_back(offset_answer(q));
    offset_queries.insert(offset_queries.end(), queries.begin(), queries.end());
    done(std::move(answers));
  }
  void end_offsets_for_epochs(io::Lane&, std::vector<ports::EpochQuery> queries,
                              ports::EpochsDone done) override {
    std::vector<ports::EpochAnswer> answers;
    for (const auto& q : queries) answers.push_back({ErrorCode::kNone, q.epoch, Offset(70)});
    epoch_queries.insert(epoch_queries.end(), queries.begin(), queries.end());
    done(std::move(answers));
  }

  void delete_records(io::Lane&, std::vector<ports::DeleteQuery> queries, ports::DeleteDone done) override {
    deletions.insert(deletions.end(), queries.begin(), queries.end());
    std::vector<ports::DeleteAnswer> answers;
    for (const auto& q : queries) answers.push_back({ErrorCode::kNone, q.offset});
    done(std::move(answers));
  }
  void describe_producers(io::Lane&, std::vector<TopicPartition> partitions,
                          ports::ProducersDone done) override {
    std::vector<ports::ProducersAnswer> answers(partitions.size());
    for (auto& a : answers) a.producers = {{ProducerId(7), ProducerEpoch(1), 5, 1234, -1, Offset(-1)}};
    done(std::move(answers));
  }

  std::vector<Append> appends;
  std::vector<ports::DeleteQuery> deletions;
  std::vector<Fetch> fetches;
  std::vector<ports::OffsetQuery> offset_queries;
  std::vector<ports::EpochQuery> epoch_queries;
  std::function<ports::OffsetAnswer(const ports::OffsetQuery&)> offset_answer = [](const auto&) {
    return ports::OffsetAnswer{ErrorCode::kNone, 123, Offset(45), LeaderEpoch(6)};
  };
};

class TestController final : public ports::ControllerPort {
 public:
  template <class Request, class Response>
  using Asked = testing::Asked<ports::Caller, Request, Response>;
  using Creation = Asked<protocol::CreateTopicsRequest, protocol::CreateTopicsResponse>;
  using Deletion = Asked<protocol::DeleteTopicsRequest, protocol::DeleteTopicsResponse>;
  using Allocation = Asked<protocol::AllocateProducerIdsRequest, protocol::AllocateProducerIdsResponse>;

  void create_topics(ports::Caller caller, ports::Kept<protocol::CreateTopicsRequest> request,
                     ports::Answer<protocol::CreateTopicsResponse> answer) override {
    creations.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void delete_topics(ports::Caller caller, ports::Kept<protocol::DeleteTopicsRequest> request,
                     ports::Answer<protocol::DeleteTopicsResponse> answer) override {
    deletions.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void create_partitions(ports::Caller caller, ports::Kept<protocol::CreatePartitionsRequest> request,
                         ports::Answer<protocol::CreatePartitionsResponse> answer) override {
    growths.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void incremental_alter_configs(ports::Caller caller,
                                 ports::Kept<protocol::IncrementalAlterConfigsRequest> request,
                                 ports::Answer<protocol::IncrementalAlterConfigsResponse> answer) override {
    changes.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void alter_configs(ports::Caller caller, ports::Kept<protocol::AlterConfigsRequest> request,
                     ports::Answer<protocol::AlterConfigsResponse> answer) override {
    replacements.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void elect_leaders(ports::Caller caller, ports::Kept<protocol::ElectLeadersRequest> request,
                     ports::Answer<protocol::ElectLeadersResponse> answer) override {
    elections.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void alter_partition_reassignments(
      ports::Caller caller, ports::Kept<protocol::AlterPartitionReassignmentsRequest> request,
      ports::Answer<protocol::AlterPartitionReassignmentsResponse> answer) override {
    reassignments.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void alter_client_quotas(ports::Caller caller, ports::Kept<protocol::AlterClientQuotasRequest> request,
                           ports::Answer<protocol::AlterClientQuotasResponse> answer) override {
    quota_changes.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void allocate_producer_ids(ports::Caller caller, ports::Kept<protocol::AllocateProducerIdsRequest> request,
                             ports::Answer<protocol::AllocateProducerIdsResponse> answer) override {
    allocations.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void register_broker(ports::Caller caller, ports::Kept<protocol::BrokerRegistrationRequest> request,
                       ports::Answer<protocol::BrokerRegistrationResponse> answer) override {
    registrations.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void unregister_broker(ports::Caller caller, ports::Kept<protocol::UnregisterBrokerRequest> request,
                         ports::Answer<protocol::UnregisterBrokerResponse> answer) override {
    unregistrations.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void heartbeat(ports::Caller caller, ports::Kept<protocol::BrokerHeartbeatRequest> request,
                 ports::Answer<protocol::BrokerHeartbeatResponse> answer) override {
    heartbeats.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void alter_partition(ports::Caller caller, ports::Kept<protocol::AlterPartitionRequest> request,
                       ports::Answer<protocol::AlterPartitionResponse> answer) override {
    isr_changes.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void assign_replicas_to_dirs(ports::Caller caller,
                               ports::Kept<protocol::AssignReplicasToDirsRequest> request,
                               ports::Answer<protocol::AssignReplicasToDirsResponse> answer) override {
    directory_changes.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void register_controller(ports::Caller caller, ports::Kept<protocol::ControllerRegistrationRequest> request,
                           ports::Answer<protocol::ControllerRegistrationResponse> answer) override {
    controller_registrations.push_back({std::move(caller), std::move(request), std::move(answer)});
  }
  void unregister_controller(ports::Caller caller, ports::Kept<protocol::UnregisterControllerRequest> request,
                             ports::Answer<protocol::UnregisterControllerResponse> answer) override {
    controller_unregistrations.push_back({std::move(caller), std::move(request), std::move(answer)});
  }

  std::vector<Creation> creations;
  std::vector<Deletion> deletions;
  std::vector<Allocation> allocations;
  std::vector<Asked<protocol::BrokerRegistrationRequest, protocol::BrokerRegistrationResponse>> registrations;
  std::vector<Asked<protocol::UnregisterBrokerRequest, protocol::UnregisterBrokerResponse>> unregistrations;
  std::vector<Asked<protocol::BrokerHeartbeatRequest, protocol::BrokerHeartbeatResponse>> heartbeats;
  std::vector<Asked<protocol::AlterPartitionRequest, protocol::AlterPartitionResponse>> isr_changes;
  std::vector<Asked<protocol::AssignReplicasToDirsRequest, protocol::AssignReplicasToDirsResponse>>
      directory_changes;
  std::vector<Asked<protocol::ControllerRegistrationRequest, protocol::ControllerRegistrationResponse>>
      controller_registrations;
  std::vector<Asked<protocol::UnregisterControllerRequest, protocol::UnregisterControllerResponse>>
      controller_unregistrations;
  std::vector<Asked<protocol::AlterClientQuotasRequest, protocol::AlterClientQuotasResponse>> quota_changes;
  std::vector<Asked<protocol::CreatePartitionsRequest, protocol::CreatePartitionsResponse>> growths;
  std::vector<Asked<protocol::IncrementalAlterConfigsRequest, protocol::IncrementalAlterConfigsResponse>>
      changes;
  std::vector<Asked<protocol::AlterConfigsRequest, protocol::AlterConfigsResponse>> replacements;
  std::vector<Asked<protocol::ElectLeadersRequest, protocol::ElectLeadersResponse>> elections;
  std::vector<
      Asked<protocol::AlterPartitionReassignmentsRequest, protocol::AlterPartitionReassignmentsResponse>>
      reassignments;
};

class TestProducerIds final : public ports::ProducerIdsPort {
 public:
  void next(io::Lane&, ports::ProducerIdDone done) override { done(result); }
  Result<ProducerId> result = ProducerId(4711);
};

class TestConfigs final : public ports::ConfigsPort {
 public:
  const config::Properties& given() const override { return properties; }
  std::vector<ports::LoggerLevel> loggers() const override { return {{"log", "DEBUG"}, {"root", "INFO"}}; }
  bool set_logger(std::string_view name, std::optional<std::string_view> level) override {
    set_loggers.emplace_back(name, level.value_or("(none)"));
    return true;
  }
  std::vector<std::pair<std::string, std::string>> set_loggers;
  config::Properties properties;
};

class TestQuorum final : public ports::QuorumPort {
 public:
  BrokerId leader(const io::Lane&) const override { return id; }
  void describe(io::Lane&, std::function<void(ports::QuorumState)> done) override { done(state); }
  BrokerId id = kNoBroker;
  ports::QuorumState state;
};

class TestMetadataLog final : public ports::MetadataLogPort {
 public:
  void fetch(io::Lane& lane, ports::MetadataFetch fetch, FetchDone done) override {
    fetches.push_back(fetch);
    lane.post([done = std::move(done), this]() mutable { done(fetched); });
  }
  void fetch_snapshot(io::Lane& lane, ports::SnapshotFetch fetch, SnapshotDone done) override {
    snapshot_fetches.push_back(fetch);
    lane.post([done = std::move(done), this]() mutable { done(snapshot); });
  }
  std::vector<ports::MetadataFetch> fetches;
  std::vector<ports::SnapshotFetch> snapshot_fetches;
  ports::MetadataFetched fetched;
  ports::SnapshotFetched snapshot;
};

class TestLogDirs final : public ports::LogDirsPort {
 public:
  void describe(io::Lane&, std::function<void(std::vector<ports::LogDir>)> done) override { done(dirs); }
  std::vector<ports::LogDir> dirs;
};

}  // namespace moldau::api::testing
