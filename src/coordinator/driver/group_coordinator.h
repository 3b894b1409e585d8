// GroupCoordinator: the groups of all partitions of __consumer_offsets that this broker leads. Sends each request to the lane
// that owns its group's partition; loads and unloads as the metadata log says who leads.
// Owner: lane 0; the port's methods may be called anywhere, and each lane owns its table of shards.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "coordinator/driver/shard_host.h"
#include "io/runtime.h"
#include "metadata/driver/image_subscriber.h"
#include "ports/groups.h"
#include "ports/images.h"
#include "replication/driver/partitions.h"

namespace moldau {

class GroupCoordinator final : public ports::GroupsPort, public ImageSubscriber {
 public:
  // Add it to the follower behind those who open the partitions' logs.
  GroupCoordinator(io::Runtime& runtime, Partitions& partitions, const ports::ImagesPort& images,
                   BrokerId self, CoordinatorOptions options);
  ~GroupCoordinator() override;

  // No request is served after that; `done` on lane 0.
  void close(io::Task done);

  // ports::GroupsPort
  void join(ports::GroupCaller, ports::Kept<protocol::JoinGroupRequest>,
            ports::Answer<protocol::JoinGroupResponse>) override;
  void sync(ports::GroupCaller, ports::Kept<protocol::SyncGroupRequest>,
            ports::Answer<protocol::SyncGroupResponse>) override;
  void heartbeat(ports::GroupCaller, ports::Kept<protocol::HeartbeatRequest>,
                 ports::Answer<protocol::HeartbeatResponse>) override;
  void leave(ports::GroupCaller, ports::Kept<protocol::LeaveGroupRequest>,
             ports::Answer<protocol::LeaveGroupResponse>) override;
  void commit(ports::GroupCaller, ports::Kept<protocol::OffsetCommitRequest>,
              ports::Answer<protocol::OffsetCommitResponse>) override;
  void delete_offsets(ports::GroupCaller, ports::Kept<protocol::OffsetDeleteRequest>,
                      ports::Answer<protocol::OffsetDeleteResponse>) override;
  void fetch(ports::GroupCaller, ports::Kept<protocol::OffsetFetchRequest>,
             ports::Answer<protocol::OffsetFetchResponse>) override;
  void describe(ports::GroupCaller, ports::Kept<protocol::DescribeGroupsRequest>,
                ports::Answer<protocol::DescribeGroupsResponse>) override;
  void remove(ports::GroupCaller, ports::Kept<protocol::DeleteGroupsRequest>,
              ports::Answer<protocol::DeleteGroupsResponse>) override;
  void list(ports::GroupCaller, ports::Kept<protocol::ListGroupsRequest>,
            ports::Answer<protocol::ListGroupsResponse>) override;

  // ImageSubscriber
  std::string_view name() const override { return "groups"; }
  void apply(ImageChange change, io::Task done) override;

 private:
  struct alignas(64) Shards {  // of one lane; touched there only
    std::map<PartitionId, std::shared_ptr<ShardHost>> hosts;
    std::map<PartitionId, io::Timer> waiting;  // for their logs, which can't be made just now
  };
  struct Place {  // where a group is
    size_t lane = 0;
    PartitionId partition;
  };

  std::optional<Place> place_of(const io::Lane& from, std::string_view group) const;
  // Runs visit(host) on the group's lane; host is null if this broker isn't its coordinator.
  template <class Visit>
  void at_shard(const io::Lane& from, std::string_view group, Visit visit);
  template <class Response, class Request, class Plan>
  void operate(ports::GroupCaller caller, std::string_view group, ports::Kept<Request> request,
               ports::Answer<Response> answer, Plan plan);
  template <class Response, class Request, class Park>
  void park(ports::GroupCaller caller, std::string_view group, ports::Kept<Request> request,
            ports::Answer<Response> answer, Park park);
  template <class Gather, class Plan>
  void each_group(std::shared_ptr<Gather> gather, const std::vector<std::string_view>& groups, Plan plan);

  void begin(const TopicPartition& id);
  void host(size_t lane, TopicPartition id);
  void end(PartitionId partition);
  void forget_topics(std::vector<std::string> topics);

  io::Runtime& runtime_;
  Partitions& partitions_;
  const ports::ImagesPort& images_;
  const BrokerId self_;
  const CoordinatorOptions options_;
  std::vector<Shards> shards_;  // by lane
  // Lane 0: what is led, and since when.
  Uuid topic_id_;
  std::map<PartitionId, LeaderEpoch> led_;
};

}  // namespace moldau
