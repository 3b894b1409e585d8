// BrokerSide: what makes a node a broker: its partitions and their upkeep, its coordinators, and its life in the cluster.
//
//   start:  register → the first image that knows this broker: load the partitions' logs → ask to be unfenced → RUNNING
//   end:    announce the shutdown → stop the upkeep → close coordinators and logs
//
// Owner: lane 0.
#pragma once
#include <functional>
#include <memory>

#include "api/data/producer_id_blocks.h"
#include "api/services.h"
#include "coordinator/driver/group_coordinator.h"
#include "metadata/driver/broker_lifecycle_driver.h"
#include "metadata/driver/metadata_follower.h"
#include "replication/driver/assignment.h"
#include "replication/driver/log_cleaner.h"
#include "replication/driver/log_dir_reader.h"
#include "replication/driver/log_retention.h"
#include "server/storage.h"

namespace moldau::server {

class BrokerSide final : public ImageSubscriber {
 public:
  struct Parts {  // all outlive the broker
    io::Runtime& runtime;
    const NodeOptions& options;
    Storage& storage;  // its directories become the broker's
    MetadataFollower& follower;
    ports::ControllerPort& controller;
    std::vector<io::Endpoint> bound;  // in the order of the options' listeners
    size_t open_files;                // how many segment files it may keep open
  };
  struct Events {
    std::function<void()> on_running;
    std::function<void()> on_may_stop;  // after begin_shutdown(): nobody needs this broker any more
    std::function<void(const Error&)> on_failed;
  };

  BrokerSide(Parts parts, Events events);

  // Subscribes and listens; before raft starts.
  void attach(RaftDriver& raft);
  void start() { lifecycle_->start(); }
  // From on_running on: what runs beside requests.
  void start_upkeep();
  api::BrokerPorts ports() { return {*partitions_, producer_ids_, *groups_, *log_dirs_}; }
  Partitions& partitions() { return *partitions_; }
  const DataDirectories& directories() const { return *directories_; }
  const Assignment& assignment() const { return *assignment_; }

  void begin_shutdown();
  void stop_upkeep();
  void close(std::function<void()> done);

  std::string_view name() const override { return "partitions"; }
  void apply(ImageChange change, io::Task done) override;

 private:
  void build_partitions();
  void on_root_failed(size_t root, const Error& error);
  void build_upkeep();
  void build_lifecycle();
  void on_state(BrokerState state);
  void schedule_checkpoint();

  Parts parts_;
  Events events_;
  io::Runtime& runtime_;
  io::Lane& home_;
  const NodeOptions& options_;
  std::unique_ptr<DataDirectories> directories_;
  std::unique_ptr<Partitions> partitions_;
  std::unique_ptr<Assignment> assignment_;
  std::unique_ptr<LogRetention> retention_;
  std::unique_ptr<LogCleaner> cleaner_;
  std::unique_ptr<GroupCoordinator> groups_;
  std::unique_ptr<BrokerLifecycleDriver> lifecycle_;
  api::ProducerIdBlocks producer_ids_;
  std::unique_ptr<LogDirReader> log_dirs_;
  io::Timer checkpoint_timer_;
  bool ready_ = false;
  bool stopping_ = false;
};

}  // namespace moldau::server
