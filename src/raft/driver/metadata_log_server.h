// MetadataLogServer: answers those who follow the metadata log on this node, its leader: with batches as soon as there are some,
// and with snapshots. Records are sent as they are in the files, committed or not: who receives them waits for the high watermark.
// Owner: lane 0; the port's methods may be called anywhere.
//
//   fetch ──► something to tell? ──► answer
//                 │ no                  ▲
//                 └──► wait ────────────┘ more is committed, the leader changes, or the time is up
#pragma once
#include <list>

#include "io/runtime.h"
#include "ports/metadata_log.h"
#include "raft/driver/raft_driver.h"
#include "raft/observers.h"

namespace moldau {

class MetadataLogServer final : public RaftListener, public ports::MetadataLogPort {
 public:
  MetadataLogServer(io::Runtime& runtime, RaftDriver& raft, std::vector<BrokerId> voters);

  // Those who fetched lately and aren't voters. On lane 0.
  const Observers& observers();

  // ports::MetadataLogPort
  void fetch(io::Lane& from, ports::MetadataFetch fetch, FetchDone done) override;
  void fetch_snapshot(io::Lane& from, ports::SnapshotFetch fetch, SnapshotDone done) override;

  // RaftListener
  Status on_commits_delivered() override;
  void on_leader_change(const LeaderAndEpoch& leader) override;

 private:
  struct Request {
    io::Lane* from;
    ports::MetadataFetch fetch;
    FetchDone done;
    io::Timer timer;
    bool may_wait = true;
  };
  using RequestPtr = std::shared_ptr<Request>;

  void serve(const RequestPtr& request);
  void read(const RequestPtr& request, ports::MetadataFetched answer, const std::shared_ptr<ColdRead>& cold);
  void answer_or_wait(const RequestPtr& request, ports::MetadataFetched answer);
  void serve_waiting();
  void answer_snapshot(io::Lane& from, const ports::SnapshotFetch& fetch, SnapshotDone done);
  ports::QuorumLeader leader() const { return {raft_.leader().leader, raft_.leader().epoch}; }

  io::Runtime& runtime_;
  io::Lane& lane_;
  RaftDriver& raft_;
  const std::vector<BrokerId> voters_;
  Observers observers_;
  std::list<RequestPtr> waiting_;
  std::shared_ptr<char> life_ = std::make_shared<char>();
};

}  // namespace moldau
