#include "server/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "controller/driver/controller.h"
#include "coordinator/driver/group_coordinator.h"
#include "metadata/driver/broker_lifecycle_driver.h"
#include "metadata/driver/metadata_follower.h"
#include "metadata/driver/snapshot_maker.h"
#include "ports/configs.h"
#include "replication/driver/assignment.h"
#include "replication/driver/log_cleaner.h"
#include "replication/driver/log_dir_reader.h"
#include "replication/driver/log_retention.h"
#include "server/admin_side.h"
#include "server/client_side.h"
#include "server/coordinator_options.h"
#include "server/make_services.h"
#include "server/node_configs.h"
#include "server/own_quorum.h"
#include "server/storage.h"
#include "server/topic_options.h"

namespace moldau::server {
namespace {

std::vector<RegisteredListener> registered_listeners(const NodeOptions& options,
                                                     const std::vector<io::Endpoint>& bound) {
  std::vector<RegisteredListener> out;
  for (const Listener& advertised : options.advertised) {
    RegisteredListener listener{advertised.name, advertised.address.host, advertised.address.port,
                                static_cast<int16_t>(advertised.protocol)};
    for (size_t i = 0; i < options.listeners.size(); ++i) {
      if (options.listeners[i].name != advertised.name) continue;
      if (listener.port == 0) listener.port = bound[i].port;
    }
    if (listener.host.empty()) listener.host = "localhost";
    out.push_back(std::move(listener));
  }
  return out;
}

ControllerOptions controller_options(io::Runtime& runtime, const NodeOptions& options,
                                     const std::vector<io::Endpoint>& bound, const std::string& cluster_id) {
  ControllerOptions out;
  out.node_id = options.node_id;
  out.cluster_id = cluster_id;
  out.default_partitions = static_cast<int32_t>(options.integer("num.partitions"));
  out.default_replication_factor = static_cast<int16_t>(options.integer("default.replication.factor"));
  out.delete_topic_enable = options.boolean("delete.topic.enable");
  out.session_timeout = std::chrono::milliseconds(options.integer("broker.session.timeout.ms"));
  out.auto_leader_rebalance = options.boolean("auto.leader.rebalance.enable");
  out.leader_imbalance_interval =
      std::chrono::seconds(options.integer("leader.imbalance.check.interval.seconds"));
  out.unclean_election_interval =
      std::chrono::milliseconds(options.integer("unclean.leader.election.interval.ms"));
  out.broker_configs = options.given;
  out.incarnation = runtime.random().uuid();
  for (size_t i = 0; i < options.listeners.size(); ++i) {
    const Listener& listener = options.listeners[i];
    if (std::ranges::find(options.controller_listener_names, listener.name) ==
        options.controller_listener_names.end())
      continue;
    const std::string& host = listener.address.host;
    out.listeners.push_back({listener.name, host.empty() ? "localhost" : host, bound[i].port,
                             static_cast<int16_t>(listener.protocol)});
  }
  return out;
}

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

class Node::Core : public ImageSubscriber, public std::enable_shared_from_this<Node::Core> {
 public:
  Core(io::Runtime& runtime, NodeOptions options, size_t open_files, NodeEvents events)
      : runtime_(runtime),
        home_(*runtime.lanes().front()),
        options_(std::move(options)),
        open_files_(open_files),
        events_(std::move(events)),
        clients_(runtime, options_),
        admin_(runtime, options_) {}

  void start();
  void stop();
  const NodeOptions& options() const { return options_; }
  const std::string& cluster_id() const { return storage_->identity.cluster_id; }
  std::vector<io::Endpoint> bound() const { return clients_.bound(); }
  std::optional<io::Endpoint> admin_bound() const { return admin_.bound(); }

  std::string_view name() const override { return "partitions"; }
  void apply(ImageChange change, io::Task done) override;

 private:
  void on_storage(Result<Storage> opened);
  void build_partitions();
  void on_root_failed(size_t root, const Error& error);
  void build_upkeep();
  void build_lifecycle();
  void on_broker_state(BrokerState state);
  void apply_broker_configs(const ImageChange& change);
  void running();
  void schedule_checkpoint();
  void shut_down();
  void close_partitions();
  void keep_clean_markers(std::function<void()> then);
  void fail(const Error& error);

  io::Runtime& runtime_;
  io::Lane& home_;
  const NodeOptions options_;
  const size_t open_files_;
  NodeEvents events_;
  ClientSide clients_;
  AdminSide admin_;
  std::optional<Storage> storage_;
  std::unique_ptr<MetadataFollower> follower_;
  std::unique_ptr<SnapshotMaker> snapshots_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<DataDirectories> directories_;
  std::unique_ptr<Partitions> partitions_;
  std::unique_ptr<Assignment> assignment_;
  std::unique_ptr<LogRetention> retention_;
  std::unique_ptr<LogCleaner> cleaner_;
  std::unique_ptr<GroupCoordinator> groups_;
  std::unique_ptr<BrokerLifecycleDriver> lifecycle_;
  std::unique_ptr<api::ProducerIdBlocks> producer_ids_;
  std::unique_ptr<NodeConfigs> configs_;
  std::unique_ptr<OwnQuorum> quorum_;
  std::unique_ptr<LogDirReader> log_dirs_;
  std::unique_ptr<api::Services> services_;
  io::Timer checkpoint_timer_;
  bool ready_ = false;
  bool stopping_ = false;
  bool failed_ = false;
};

void Node::Core::start() {
  configs_ = std::make_unique<NodeConfigs>(options_, runtime_.logger().levels());
  for (const auto& [logger, level] : options_.log_levels) configs_->set_logger(logger, level);
  for (const std::string& warning : options_.warnings) runtime_.logger().warn("server", warning);
  if (auto bound = clients_.listen(); !bound) return fail(bound.error());
  if (auto bound = admin_.listen(); !bound) return fail(bound.error());
  auto opened = std::make_shared<std::optional<Result<Storage>>>();
  runtime_.pool().run(
      home_, [this, opened] { opened->emplace(open_storage(runtime_, options_)); },
      [self = shared_from_this(), opened] { self->on_storage(std::move(**opened)); });
}

void Node::Core::on_storage(Result<Storage> opened) {
  if (!opened) return fail(opened.error());
  storage_.emplace(std::move(*opened));
  if (stopping_) return shut_down();
  follower_ = std::make_unique<MetadataFollower>(runtime_);
  const SnapshotOptions snapshots{options_.integer("metadata.log.max.record.bytes.between.snapshots"),
                                  options_.integer("metadata.log.max.snapshot.interval.ms")};
  snapshots_ = std::make_unique<SnapshotMaker>(runtime_, *storage_->raft, *follower_, snapshots);
  controller_ = std::make_unique<Controller>(
      runtime_, *storage_->raft, *follower_,
      controller_options(runtime_, options_, clients_.bound(), cluster_id()), std::move(storage_->bootstrap));
  build_partitions();
  build_upkeep();
  build_lifecycle();
  follower_->add_subscriber(*this);
  follower_->add_subscriber(*groups_);
  storage_->raft->add_listener(*follower_);
  storage_->raft->add_listener(*snapshots_);
  storage_->raft->add_listener(*controller_);
  storage_->raft->add_listener(*lifecycle_);
  storage_->raft->start([this](const Error& error) { fail(error); });
  lifecycle_->start();
}

void Node::Core::build_partitions() {
  const int threads = static_cast<int>(options_.integer("num.recovery.threads.per.data.dir"));
  const size_t missing = options_.log_dirs.size() - storage_->directories.size();
  directories_ = std::make_unique<DataDirectories>(home_, runtime_.pool(), std::move(storage_->directories),
                                                   threads, missing);
  std::vector<std::unique_ptr<PartitionLane>> lanes;
  for (io::Lane* lane : runtime_.lanes()) {
    lanes.push_back(std::make_unique<PartitionLane>(*lane, runtime_.pool(), runtime_.logger(),
                                                    options_.node_id, open_files_ / runtime_.lanes().size()));
  }
  partitions_ = std::make_unique<Partitions>(std::move(lanes));
  assignment_ = std::make_unique<Assignment>(Assignment::Parts{
      home_, runtime_.logger(), runtime_.random(), *directories_, *partitions_, options_.node_id,
      [this](const ClusterImage& image, std::string_view topic) {
        return topic_options(options_, image, topic);
      },
      [this](size_t root, const Error& error) { on_root_failed(root, error); }});
  for (size_t i = 0; i < partitions_->lanes(); ++i)
    partitions_->lane(i).host()->on_broken = [this](const TopicPartition& id, const Error& error) {
      home_.post([this, id, error] { assignment_->on_broken(id, error); });
    };
  groups_ = std::make_unique<GroupCoordinator>(runtime_, *partitions_, follower_->images(), options_.node_id,
                                               coordinator_options(options_));
}

// The other directories go on; without the metadata log, or without any, the node can't.
void Node::Core::on_root_failed(size_t root, const Error& error) {
  size_t failed = 0;
  std::vector<Uuid> directories;
  for (size_t i = 0; i < directories_->roots(); ++i) {
    if (!directories_->failed(i)) continue;
    ++failed;
    directories.push_back(storage_->identity.directory_ids.at(directories_->root(i).root()));
  }
  if (failed == directories_->roots() || directories_->root(root).root() == options_.metadata_log_dir)
    return fail(error);
  lifecycle_->set_offline_dirs(std::move(directories));
}

void Node::Core::build_upkeep() {
  LogCleanerOptions cleaner;
  if (options_.boolean("log.cleaner.enable")) {
    cleaner.threads = static_cast<int>(options_.integer("log.cleaner.threads"));
    cleaner.dedupe_buffer_bytes = options_.integer("log.cleaner.dedupe.buffer.size");
    cleaner.buffer_load_factor = options_.number("log.cleaner.io.buffer.load.factor");
    cleaner.bytes_per_second = options_.number("log.cleaner.io.max.bytes.per.second");
    cleaner.backoff_ms = options_.integer("log.cleaner.backoff.ms");
  } else {
    cleaner.threads = 0;
  }
  retention_ = std::make_unique<LogRetention>(
      home_, *partitions_,
      LogRetentionOptions{options_.integer("log.initial.task.delay.ms"),
                          options_.integer("log.retention.check.interval.ms")});
  cleaner_ = std::make_unique<LogCleaner>(
      LogCleaner::Parts{home_, runtime_.logger(), runtime_.random(), *partitions_,
                        [this] { assignment_->checkpoint([] {}); }},
      cleaner);
}

void Node::Core::build_lifecycle() {
  BrokerLifecycleOptions lifecycle;
  lifecycle.id = options_.node_id;
  lifecycle.cluster_id = cluster_id();
  lifecycle.incarnation = runtime_.random().uuid();
  lifecycle.listeners = registered_listeners(options_, clients_.bound());
  lifecycle.rack = options_.rack;
  for (size_t i = 0; i < directories_->roots(); ++i)
    lifecycle.log_dirs.push_back(storage_->identity.directory_ids.at(directories_->root(i).root()));
  lifecycle.previous_epoch = BrokerEpoch(directories_->root(0).clean_shutdown_broker_epoch().value_or(-1));
  lifecycle.heartbeat_interval = std::chrono::milliseconds(options_.integer("broker.heartbeat.interval.ms"));
  lifecycle.session_timeout = std::chrono::milliseconds(options_.integer("broker.session.timeout.ms"));
  lifecycle.registration_timeout =
      std::chrono::milliseconds(options_.integer("initial.broker.registration.timeout.ms"));
  lifecycle_ =
      std::make_unique<BrokerLifecycleDriver>(runtime_, *controller_, *follower_, std::move(lifecycle),
                                              [this](BrokerState state) { on_broker_state(state); });
}

void Node::Core::on_broker_state(BrokerState state) {
  if (state == BrokerState::kRunning) return running();
  if (state != BrokerState::kShuttingDown) return;
  if (stopping_) return shut_down();
  fail({ErrorCode::kBrokerNotAvailable,
        "the broker could not register with the controller in time; see the lines above"});
}

// Values that changed while the node runs and that no partition has.
void Node::Core::apply_broker_configs(const ImageChange& change) {
  const bool changed = std::ranges::any_of(change.delta->configs, [](const ConfigResource& resource) {
    return resource.type == ConfigType::kBroker;
  });
  if (!changed) return;
  clients_.set_limits(ports::broker_values(options_.given, *change.image, options_.node_id));
}

void Node::Core::apply(ImageChange change, io::Task done) {
  apply_broker_configs(change);
  assignment_->apply(std::move(change.image), std::move(change.delta),
                     [this, done = std::move(done)]() mutable {
                       done();
                       // The first image that knows this broker has all its partitions: their logs are loaded now.
                       if (!std::exchange(ready_, true)) lifecycle_->set_ready();
                     });
}

void Node::Core::running() {
  producer_ids_ =
      std::make_unique<api::ProducerIdBlocks>(runtime_, *controller_, follower_->images(), options_.node_id);
  quorum_ = std::make_unique<OwnQuorum>(runtime_, *storage_->raft, options_.node_id);
  std::vector<LogDirReader::Dir> dirs;
  for (const std::string& dir : options_.log_dirs) {
    auto& [path, root] = dirs.emplace_back(absolute_path(dir));
    for (size_t i = 0; i < directories_->roots(); ++i)
      if (directories_->root(i).root() == dir) root = i;
  }
  log_dirs_ = std::make_unique<LogDirReader>(LogDirReader::Parts{
      home_, runtime_.pool(), runtime_.files(), *directories_, *partitions_, *assignment_, std::move(dirs)});
  services_ = make_services({runtime_, follower_->images(), *partitions_, *controller_, *producer_ids_,
                             *groups_, *configs_, *quorum_, *log_dirs_},
                            options_, cluster_id());
  clients_.open(*services_);
  admin_.serve({clients_, *partitions_, *directories_, *assignment_, follower_->images(), *quorum_,
                services_->fetch_counters, cluster_id()});
  schedule_checkpoint();
  retention_->start();
  cleaner_->start();
  const auto upkeep = std::chrono::milliseconds(options_.integer("producer.id.expiration.check.interval.ms"));
  for (size_t i = 0; i < partitions_->lanes(); ++i) {
    PartitionLane& lane = partitions_->lane(i);
    lane.lane().run([&lane, upkeep] { lane.start_upkeep(upkeep); });
  }
  if (events_.on_running) events_.on_running();
}

// Wakes once a minute, and writes only what changed.
void Node::Core::schedule_checkpoint() {
  const auto interval =
      std::chrono::milliseconds(options_.integer("log.flush.offset.checkpoint.interval.ms"));
  checkpoint_timer_ = home_.after(interval, [this] {
    assignment_->checkpoint([this] {
      if (!stopping_) schedule_checkpoint();
    });
  });
}

// ---- the end

void Node::Core::stop() {
  if (std::exchange(stopping_, true)) return;
  admin_.begin_shutdown();
  if (!lifecycle_) return;  // still opening: on_storage goes on from here
  lifecycle_->begin_shutdown();
}

void Node::Core::shut_down() {
  checkpoint_timer_.cancel();
  if (retention_) retention_->stop();
  if (cleaner_) cleaner_->stop();
  admin_.close();
  clients_.close([self = shared_from_this()] { self->close_partitions(); });
}

void Node::Core::close_partitions() {
  const auto close_metadata = [self = shared_from_this()] {
    self->storage_->raft->stop([self] {
      if (self->events_.on_stopped) self->events_.on_stopped();
    });
  };
  if (!assignment_) return keep_clean_markers(close_metadata);
  groups_->close([self = shared_from_this(), close_metadata] {
    self->assignment_->close(self->lifecycle_->epoch().value, [self, close_metadata](Status closed) {
      if (!closed) self->runtime_.logger().error("log", closed.error().message);
      close_metadata();
    });
  });
}

// Opening the directories has taken the markers of the last clean stop away; nothing has changed since.
void Node::Core::keep_clean_markers(std::function<void()> then) {
  runtime_.pool().run(
      home_,
      [self = shared_from_this()] {
        for (const auto& directory : self->storage_->directories) {
          if (!directory->clean_shutdown()) continue;
          if (const auto written =
                  directory->write_clean_shutdown(directory->clean_shutdown_broker_epoch().value_or(-1));
              !written)
            self->runtime_.logger().error("log", written.error().message);
        }
      },
      std::move(then));
}

void Node::Core::fail(const Error& error) {
  if (std::exchange(failed_, true)) return;
  if (events_.on_failed) events_.on_failed(error);
}

Node::Node(io::Runtime& runtime, NodeOptions options, size_t open_files, NodeEvents events)
    : core_(std::make_shared<Core>(runtime, std::move(options), open_files, std::move(events))) {}
Node::~Node() = default;
void Node::start() {
  core_->start();
}
void Node::stop() {
  core_->stop();
}
const NodeOptions& Node::options() const {
  return core_->options();
}
const std::string& Node::cluster_id() const {
  return core_->cluster_id();
}
std::vector<io::Endpoint> Node::bound() const {
  return core_->bound();
}
std::optional<io::Endpoint> Node::admin_bound() const {
  return core_->admin_bound();
}

}  // namespace moldau::server
