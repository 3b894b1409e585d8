#include "server/node.h"

#include <algorithm>
#include <utility>

#include "controller/driver/controller.h"
#include "metadata/driver/metadata_follower.h"
#include "metadata/driver/snapshot_maker.h"
#include "raft/driver/metadata_log_server.h"
#include "server/admin_side.h"
#include "server/broker_side.h"
#include "server/client_side.h"
#include "server/make_services.h"
#include "server/node_configs.h"
#include "server/own_quorum.h"
#include "server/storage.h"

namespace moldau::server {
namespace {

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

  std::string_view name() const override { return "limits"; }
  void apply(ImageChange change, io::Task done) override;

 private:
  void on_storage(Result<Storage> opened);
  void build_broker();
  void serve();
  void running();
  void shut_down();
  void close_logs();
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
  std::unique_ptr<MetadataLogServer> log_server_;
  std::unique_ptr<BrokerSide> broker_;  // null: the node is only a controller
  std::unique_ptr<NodeConfigs> configs_;
  std::unique_ptr<OwnQuorum> quorum_;
  std::unique_ptr<api::Services> services_;
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
  std::vector<BrokerId> voters;
  for (const Voter& voter : options_.voters) voters.push_back(voter.id);
  log_server_ = std::make_unique<MetadataLogServer>(runtime_, *storage_->raft, std::move(voters));
  quorum_ = std::make_unique<OwnQuorum>(runtime_, *storage_->raft, *log_server_, options_.node_id);
  follower_->add_subscriber(*this);
  storage_->raft->add_listener(*follower_);
  storage_->raft->add_listener(*snapshots_);
  storage_->raft->add_listener(*controller_);
  if (options_.is_broker) build_broker();
  storage_->raft->add_listener(*log_server_);
  storage_->raft->start([this](const Error& error) { fail(error); });
  if (broker_) return broker_->start();
  serve();
  follower_->when_published(Offset(1), [this] { running(); });
}

void Node::Core::build_broker() {
  BrokerSide::Events events;
  events.on_running = [this] {
    serve();
    running();
  };
  events.on_may_stop = [this] { shut_down(); };
  events.on_failed = [this](const Error& error) { fail(error); };
  broker_ = std::make_unique<BrokerSide>(BrokerSide::Parts{runtime_, options_, *storage_, *follower_,
                                                           *controller_, clients_.bound(), open_files_},
                                         std::move(events));
  broker_->attach(*storage_->raft);
}

// Values that changed while the node runs and that no partition has.
void Node::Core::apply(ImageChange change, io::Task done) {
  const bool changed = std::ranges::any_of(change.delta->configs, [](const ConfigResource& resource) {
    return resource.type == ConfigType::kBroker;
  });
  if (changed) clients_.set_limits(ports::broker_values(options_.given, *change.image, options_.node_id));
  done();
}

// Requests are answered from here on.
void Node::Core::serve() {
  services_ = make_services({runtime_, follower_->images(), *controller_, *configs_, *quorum_, *log_server_,
                             broker_ ? std::optional(broker_->ports()) : std::nullopt},
                            options_, cluster_id());
  clients_.open(*services_);
}

void Node::Core::running() {
  if (stopping_) return;
  admin_.serve(
      {clients_, broker_.get(), follower_->images(), *quorum_, services_->fetch_counters, cluster_id()});
  if (broker_) broker_->start_upkeep();
  if (events_.on_running) events_.on_running();
}

// ---- the end

void Node::Core::stop() {
  if (std::exchange(stopping_, true)) return;
  admin_.begin_shutdown();
  if (!storage_) return;  // still opening: on_storage goes on from here
  if (broker_) return broker_->begin_shutdown();
  shut_down();
}

void Node::Core::shut_down() {
  if (broker_) broker_->stop_upkeep();
  admin_.close();
  clients_.close([self = shared_from_this()] { self->close_logs(); });
}

void Node::Core::close_logs() {
  const auto close_metadata = [self = shared_from_this()] {
    self->storage_->raft->stop([self] {
      if (self->events_.on_stopped) self->events_.on_stopped();
    });
  };
  if (!broker_) return keep_clean_markers(close_metadata);
  broker_->close(close_metadata);
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
