// GroupMember: a consumer as the classic protocol has it: finds its coordinator, joins, gets its partitions, and commits
// rising offsets for them. Tells the history what it is promised.
// Owner: one lane of a client node.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "io/runtime.h"
#include "protocol/messages/join_group.h"
#include "sim/cluster/client_options.h"
#include "sim/cluster/group_history.h"
#include "sim/cluster/kafka_connection.h"
#include "sim/prng.h"

namespace moldau::sim {

struct GroupMemberOptions {
  ClientTarget target;  // its partition doesn't matter
  std::string group = "group";
  std::string instance;  // of a static member; empty: a dynamic one
  int32_t partitions = 1;
};

class GroupMember : public std::enable_shared_from_this<GroupMember> {
 public:
  GroupMember(io::Runtime& runtime, io::Lane& lane, GroupMemberOptions options, GroupHistory& history,
              Prng& prng);
  void start() { connect(); }
  int64_t commits() const { return commits_; }

 private:
  void connect();
  void again_later();  // from the beginning, on a new connection
  void find_coordinator();
  void join();
  void on_joined(const protocol::JoinGroupResponse& joined);
  void sync(const protocol::JoinGroupResponse& joined);
  void fetch();
  void work_later();
  void work();
  void heartbeat();
  void commit();
  // True: the member goes on. Otherwise it has begun to join again, or over.
  bool is_member(int16_t error);

  // A broker that lost its power doesn't say so: who waits for it gives up, later than any rebalance may take.
  template <class Request, class OnReply>
  void call(const Request& request, int16_t version, OnReply on_reply) {
    patience_ = lane_.after(std::chrono::seconds(15), [weak = weak_from_this(), attempt = attempt_] {
      if (auto self = weak.lock(); self && attempt == self->attempt_) self->again_later();
    });
    connection_->call(request, version,
                      [self = shared_from_this(), attempt = attempt_, on_reply](auto reply) {
                        if (attempt != self->attempt_) return;
                        self->patience_.cancel();
                        if (!reply) return self->again_later();
                        on_reply(*self, reply->message);
                      });
  }

  io::Runtime& runtime_;
  io::Lane& lane_;
  GroupMemberOptions options_;
  GroupHistory& history_;
  Prng& prng_;
  std::shared_ptr<KafkaConnection> connection_;
  uint64_t attempt_ = 0;  // answers of earlier connections don't count
  io::Timer timer_;
  io::Timer patience_;
  std::string member_id_;
  int32_t generation_ = -1;
  std::map<int32_t, int64_t> next_;  // of the partitions that it owns: the offset to commit next
  int64_t commits_ = 0;
};

}  // namespace moldau::sim
