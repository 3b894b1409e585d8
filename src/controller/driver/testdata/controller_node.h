// For tests: a node with everything that this folder and those below it have: identity, raft, follower, snapshots, controller,
// and the broker's life cycle; a subscriber that takes its time stands for the creation of logs.
#pragma once
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "controller/driver/controller.h"
#include "metadata/driver/broker_lifecycle_driver.h"
#include "metadata/driver/node_identity.h"
#include "metadata/driver/snapshot_maker.h"
#include "sim/sim_world.h"

namespace moldau::test {

// Creates a "log" for each partition, some time after it was told to.
class SlowLogs : public ImageSubscriber {
 public:
  SlowLogs(io::Lane& lane, Duration take) : lane_(lane), take_(take) {}
  std::string_view name() const override { return "slow logs"; }
  void apply(ImageChange change, io::Task done) override {
    EXPECT_FALSE(busy_) << "one change at a time";
    busy_ = true;
    EXPECT_TRUE(!last_ || change.delta->before == last_) << "changes follow each other";
    last_ = change.image;
    timer_ = lane_.after(take_, [this, change, done = std::move(done)]() mutable {
      change.image->topics().for_each([&](const Uuid&, const TopicImage& t) { logs_.insert(t.name); });
      busy_ = false;
      ++changes_;
      done();
    });
  }
  bool has(const std::string& topic) const { return logs_.contains(topic); }
  int changes() const { return changes_; }

 private:
  io::Lane& lane_;
  const Duration take_;
  std::set<std::string> logs_;
  std::shared_ptr<const ClusterImage> last_;
  bool busy_ = false;
  int changes_ = 0;
  io::Timer timer_;
};

struct NodeTestOptions {
  SnapshotOptions snapshots;
  ControllerOptions controller;
  bool broker = true;  // with a life cycle
  bool slow_logs = true;
  Duration logs_take = std::chrono::milliseconds(3);
};

class ControllerNode : public sim::Process {
 public:
  ControllerNode(io::Runtime& runtime, NodeTestOptions options, std::vector<std::string>& faults)
      : runtime_(runtime), options_(std::move(options)), faults_(faults), lane_(*runtime.lanes()[0]) {
    lane_.post([this] { start(); });
  }
  ~ControllerNode() override {  // parts refer to earlier ones
    lifecycle_.reset(), controller_.reset(), snapshots_.reset(), follower_.reset(), raft_.reset();
  }

  bool running() const { return lifecycle_ && lifecycle_->state() == BrokerState::kRunning; }
  bool has_started() const { return lifecycle_ != nullptr; }
  bool active() const { return controller_ && controller_->is_active(); }
  Controller& controller() { return *controller_; }
  RaftDriver& raft() { return *raft_; }
  MetadataFollower& follower() { return *follower_; }
  BrokerLifecycleDriver& lifecycle() { return *lifecycle_; }
  SlowLogs& logs() { return logs_; }
  const NodeIdentity& identity() const { return identity_; }
  std::shared_ptr<const ClusterImage> image(int lane = 0) {
    return follower_->images().shared(*runtime_.lanes()[static_cast<size_t>(lane)]);
  }
  io::Lane& lane(int i = 0) { return *runtime_.lanes()[static_cast<size_t>(i)]; }
  const std::vector<BrokerState>& states() const { return states_; }

 private:
  struct Opened {
    Status status;
    NodeIdentity identity;
    RecordBuffer bootstrap;
    std::unique_ptr<RaftDriver> raft;
  };

  Status open(Opened& o) {
    IdentityOptions who{BrokerId(1), true, {"/data"}, "/data"};
    TRY_ASSIGN(o.identity,
               establish_identity(runtime_.files(), runtime_.random(), who, runtime_.clock().wall_ms()));
    TRY_ASSIGN(o.bootstrap, read_bootstrap_records(runtime_.files(), "/data"));
    RaftOptions raft;
    raft.node_id = BrokerId(1);
    raft.voters = {BrokerId(1)};
    raft.metadata_log_dir = "/data";
    TRY_ASSIGN(o.raft, RaftDriver::open(runtime_, raft));
    return {};
  }
  void start() {
    auto opened = std::make_shared<Opened>();
    runtime_.pool().run(
        lane_, [this, opened] { opened->status = open(*opened); },
        [this, opened] {
          if (!opened->status) return fault(opened->status.error());
          run(*opened);
        });
  }
  void run(Opened& o) {
    identity_ = o.identity;
    raft_ = std::move(o.raft);
    follower_ = std::make_unique<MetadataFollower>(runtime_);
    if (options_.slow_logs) follower_->add_subscriber(logs_);
    snapshots_ = std::make_unique<SnapshotMaker>(runtime_, *raft_, *follower_, options_.snapshots);
    options_.controller.node_id = BrokerId(1);
    options_.controller.cluster_id = identity_.cluster_id;
    options_.controller.incarnation = runtime_.random().uuid();
    options_.controller.listeners = {{"CONTROLLER", "localhost", 9093, 0}};
    controller_ = std::make_unique<Controller>(runtime_, *raft_, *follower_, options_.controller,
                                               std::move(o.bootstrap));
    raft_->add_listener(*follower_);
    raft_->add_listener(*snapshots_);
    raft_->add_listener(*controller_);
    if (options_.broker) start_broker();
    raft_->start([this](const Error& e) { fault(e); });
  }
  void start_broker() {
    BrokerLifecycleOptions broker;
    broker.id = BrokerId(1);
    broker.cluster_id = identity_.cluster_id;
    broker.incarnation = runtime_.random().uuid();
    broker.listeners = {{"PLAINTEXT", "localhost", 9092, 0}};
    broker.log_dirs = {identity_.directory_ids.at("/data")};
    lifecycle_ = std::make_unique<BrokerLifecycleDriver>(runtime_, *controller_, *follower_, broker,
                                                         [this](BrokerState s) { states_.push_back(s); });
    raft_->add_listener(*lifecycle_);
    lifecycle_->set_ready();
    lifecycle_->start();
  }
  void fault(const Error& error) {
    if (static_cast<sim::SimRuntime&>(runtime_).alive()) faults_.push_back(error.message);
  }

  io::Runtime& runtime_;
  NodeTestOptions options_;
  std::vector<std::string>& faults_;
  io::Lane& lane_;
  NodeIdentity identity_;
  SlowLogs logs_{lane_, options_.logs_take};
  std::unique_ptr<RaftDriver> raft_;
  std::unique_ptr<MetadataFollower> follower_;
  std::unique_ptr<SnapshotMaker> snapshots_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<BrokerLifecycleDriver> lifecycle_;
  std::vector<BrokerState> states_;
};

// A world with one such node, and the operations that a test asks of it.
class ControllerWorld {
 public:
  explicit ControllerWorld(uint64_t seed, NodeTestOptions options = {}, int lanes = 2)
      : world_({.seed = seed}) {
    node_ = &world_.add_node(
        "n", [this, options](io::Runtime& r) { return std::make_unique<ControllerNode>(r, options, faults); },
        {.lanes = lanes});
    world_.on_log([this](sim::SimNode&, io::Level, std::string_view component, std::string_view line) {
      log.push_back(std::string(component) + ": " + std::string(line));
    });
  }
  sim::SimWorld& world() { return world_; }
  sim::SimNode& node() { return *node_; }
  ControllerNode& process() { return node_->process<ControllerNode>(); }
  bool until(const std::function<bool()>& done, Duration limit = std::chrono::seconds(30)) {
    return world_.run_until(done, limit);
  }
  bool until_running() {
    return until([&] { return node_->running() && process().running(); });
  }

  // Calls an operation of the port from a lane and waits for its answer.
  template <class Request, class Response>
  Result<ports::Kept<Response>> call(
      void (ports::ControllerPort::*operation)(ports::Caller, ports::Kept<Request>, ports::Answer<Response>),
      Request request, int lane = 1, int16_t version = Request::kVersions.last) {
    auto answered = std::make_shared<std::optional<Result<ports::Kept<Response>>>>();
    node_->post(
        [this, operation, request = std::move(request), answered, lane, version]() mutable {
          ports::ControllerPort& port = process().controller();
          ports::Caller caller{.lane = &process().lane(lane), .version = version};
          (port.*operation)(std::move(caller), {std::move(request), {}, {}},
                            [answered](Result<ports::Kept<Response>> a) { *answered = std::move(a); });
        },
        lane);
    if (!until([&] { return !node_->running() || answered->has_value(); }))
      return fail(ErrorCode::kRequestTimedOut, "no answer");
    if (!answered->has_value()) return fail(ErrorCode::kNetworkException, "the node has crashed");
    return std::move(**answered);
  }
  // The topic's error; kRequestTimedOut and the like for the whole request.
  ErrorCode create(std::string_view name, int32_t partitions = 1, int16_t replication_factor = 1,
                   int lane = 1) {
    protocol::CreateTopicsRequest request;
    request.topics.push_back(
        {.name = name, .num_partitions = partitions, .replication_factor = replication_factor});
    auto answer = call(&ports::ControllerPort::create_topics, request, lane);
    return answer ? static_cast<ErrorCode>(answer->message.topics.at(0).error_code) : answer.error().code;
  }
  ErrorCode remove(std::string_view name) {
    protocol::DeleteTopicsRequest request;
    request.topics.push_back({.name = name});
    auto answer = call(&ports::ControllerPort::delete_topics, request);
    return answer ? static_cast<ErrorCode>(answer->message.responses.at(0).error_code) : answer.error().code;
  }

  std::vector<std::string> faults;
  std::vector<std::string> log;

 private:
  sim::SimWorld world_;
  sim::SimNode* node_;
};

}  // namespace moldau::test
