// OwnQuorum: the quorum of a node that is its only voter: nobody else can lead it.
#pragma once
#include "io/runtime.h"
#include "ports/quorum.h"
#include "raft/driver/metadata_log_server.h"
#include "raft/driver/raft_driver.h"

namespace moldau::server {

class OwnQuorum final : public ports::QuorumPort {
 public:
  OwnQuorum(io::Runtime& runtime, const RaftDriver& raft, MetadataLogServer& followers, BrokerId id)
      : runtime_(runtime), raft_(raft), followers_(followers), id_(id) {}
  BrokerId leader(const io::Lane&) const override { return id_; }
  void describe(io::Lane& from, std::function<void(ports::QuorumState)> done) override;

 private:
  io::Runtime& runtime_;
  const RaftDriver& raft_;  // used on lane 0, as the next
  MetadataLogServer& followers_;
  BrokerId id_;
};

}  // namespace moldau::server
