#include "sim/cluster/single_node_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "protocol/messages/create_topics.h"
#include "sim/cluster/consumer.h"
#include "sim/cluster/node_process.h"
#include "sim/cluster/producer.h"

namespace moldau::sim {
namespace {

constexpr const char* kTopic = "t";

// What this seed's run is like.
struct Plan {
  int lanes = 1;
  int partitions = 1;
  bool power_losses = false;  // only where every acknowledgement is durable
  std::map<std::string, std::string> topic_configs;
  Duration between_faults{};
};

Plan draw_plan(Prng& prng) {
  Plan plan;
  plan.lanes = 1 + static_cast<int>(prng.below(3));
  plan.partitions = 1 + static_cast<int>(prng.below(3));
  plan.power_losses = prng.chance(50);
  if (plan.power_losses) plan.topic_configs["flush.messages"] = "1";
  plan.topic_configs["internal.segment.bytes"] = std::to_string(2000 + prng.below(30'000));
  plan.topic_configs["index.interval.bytes"] = std::to_string(prng.below(2000));
  if (prng.chance(20)) plan.topic_configs["message.timestamp.type"] = "LogAppendTime";
  if (prng.chance(20)) plan.topic_configs["compression.type"] = prng.chance(50) ? "zstd" : "gzip";
  plan.between_faults = std::chrono::milliseconds(200 + prng.below(4000));
  return plan;
}

class SingleNodeRun {
 public:
  explicit SingleNodeRun(const RunOptions& options)
      : options_(options), world_(WorldOptions{.seed = options.seed}), plan_(draw_plan(world_.workload())) {}

  RunResult run();

 private:
  NodeProcess& process() { return node_->process<NodeProcess>(); }
  void build();
  bool create_topic();
  void start_clients();
  void schedule_fault();
  void inject_fault();
  void fail_a_sync();
  void start_node();  // with a disk that works
  void heal();
  void make_progress();
  bool read_everything();
  void violate(std::string what) { result_.violations.push_back(std::move(what)); }

  RunOptions options_;
  SimWorld world_;
  Plan plan_;
  SimNode* node_ = nullptr;
  SimNode* client_ = nullptr;
  std::vector<std::unique_ptr<History>> histories_;  // by partition
  std::vector<std::shared_ptr<Producer>> producers_;
  std::vector<std::shared_ptr<Consumer>> consumers_;
  bool faults_on_ = true;
  bool sync_failed_ = false;
  RunResult result_;
};

void SingleNodeRun::build() {
  if (options_.print_log) {
    world_.on_log([](SimNode& node, io::Level, std::string_view component, std::string_view line) {
      std::fputs(fmt::format("{} {}: {}\n", node.name(), component, line).c_str(), stdout);
    });
  }
  NodeOptions machine;
  machine.lanes = plan_.lanes;
  node_ = &world_.add_node(
      "broker",
      [](io::Runtime& runtime) {
        return std::make_unique<NodeProcess>(runtime, single_node_properties("broker"));
      },
      machine);
  client_ = &world_.add_node("client");
}

bool SingleNodeRun::create_topic() {
  if (!world_.run_until([this] { return process().is_running(); }, std::chrono::seconds(30))) return false;
  bool created = false;
  client_->post([&] {
    io::Lane& lane = *client_->runtime().lanes().front();
    KafkaConnection::open(client_->runtime(), lane, {"broker", 9092},
                          [&](std::shared_ptr<KafkaConnection> connection) {
                            if (!connection) return;
                            protocol::CreateTopicsRequest request;
                            request.timeout_ms = 30000;
                            auto& topic = request.topics.emplace_back();
                            topic.name = kTopic;
                            topic.num_partitions = plan_.partitions;
                            topic.replication_factor = 1;
                            for (const auto& [key, value] : plan_.topic_configs)
                              topic.configs.push_back({key, value});
                            connection->call(request, 7, [&, connection](auto reply) {
                              created = reply && reply->message.topics[0].error_code == 0;
                              if (reply && !created)
                                violate(fmt::format("the topic wasn't created: {}",
                                                    reply->message.topics[0].error_message.value_or("")));
                            });
                          });
  });
  return world_.run_until([&] { return created || !result_.violations.empty(); }, std::chrono::seconds(30)) &&
         created;
}

void SingleNodeRun::start_clients() {
  Prng& prng = world_.workload();
  io::Runtime& runtime = client_->runtime();
  io::Lane& lane = *runtime.lanes().front();
  constexpr int16_t kVersions[] = {3, 7, 8, 9, 12};
  for (int p = 0; p < plan_.partitions; ++p) {
    histories_.push_back(std::make_unique<History>());
    const ClientTarget target{{"broker", 9092}, kTopic, p};
    const int producers = 1 + static_cast<int>(prng.below(2));
    for (int i = 0; i < producers; ++i) {
      ProducerOptions options{.target = target, .number = i};
      options.in_flight = 1 + static_cast<int>(prng.below(5));
      options.version = kVersions[prng.below(std::size(kVersions))];
      producers_.push_back(std::make_shared<Producer>(runtime, lane, options, *histories_.back(), prng));
    }
    ConsumerOptions options{.target = target};
    options.max_bytes = 200 + static_cast<int32_t>(prng.below(20'000));
    options.min_bytes = 1 + static_cast<int32_t>(prng.below(3000));
    consumers_.push_back(std::make_shared<Consumer>(runtime, lane, options, *histories_.back(), prng));
  }
  client_->post([this] {
    for (auto& producer : producers_) producer->start();
    for (auto& consumer : consumers_) consumer->start();
  });
}

void SingleNodeRun::schedule_fault() {
  world_.after(plan_.between_faults, [this] {
    if (!faults_on_) return;
    inject_fault();
    schedule_fault();
  });
}

void SingleNodeRun::inject_fault() {
  Prng& prng = world_.faults();
  const auto restart_later = [this, &prng] {
    world_.after(std::chrono::milliseconds(prng.below(2000)), [this] { start_node(); });
  };
  switch (prng.below(7)) {
    case 0:
    case 1: {
      if (!node_->running()) return;
      const bool power = plan_.power_losses && prng.chance(50);
      ++result_.counters[power ? "power loss" : "process kill"];
      if (!process().is_running()) ++result_.counters["crash while starting"];
      world_.crash(*node_, power ? Crash::kPowerLoss : Crash::kProcessKill);
      return restart_later();
    }
    case 2:
      ++result_.counters["crash at a disk call"];
      if (node_->running())
        world_.crash_at_disk_call(
            *node_, 1 + static_cast<int64_t>(prng.below(200)),
            plan_.power_losses && prng.chance(50) ? Crash::kPowerLoss : Crash::kProcessKill);
      return;
    case 3:
      ++result_.counters["pause"];
      if (node_->running()) world_.pause(*node_, std::chrono::milliseconds(prng.below(3000)));
      return;
    case 4:
      ++result_.counters["dropped connections"];
      world_.network().drop_connections(node_->host(), client_->host());
      return;
    case 5: return fail_a_sync();
    default: {
      ++result_.counters["clogged link"];
      const bool to_client = prng.chance(50);
      world_.network().clog(to_client ? node_->host() : client_->host(),
                            to_client ? client_->host() : node_->host(),
                            std::chrono::milliseconds(prng.below(3000)));
    }
  }
}

// The partition is fenced: it acknowledges nothing more until its node begins anew.
void SingleNodeRun::fail_a_sync() {
  if (!plan_.power_losses || !node_->running()) return;
  ++result_.counters["sync fails"];
  sync_failed_ = true;
  node_->disk().inject({.call = DiskCall::kSync, .path_part = fmt::format("/{}-", kTopic)});
  world_.after(std::chrono::milliseconds(world_.faults().below(2000)), [this] {
    if (node_->running()) world_.crash(*node_, Crash::kPowerLoss);
  });
}

void SingleNodeRun::start_node() {
  if (node_->running()) return;
  node_->disk().clear_faults();
  // What a failed sync has dropped is still in the page cache, and no later sync writes it: only a machine that begins
  // anew can be believed.
  if (std::exchange(sync_failed_, false)) world_.crash(*node_, Crash::kPowerLoss);
  world_.start(*node_);
}

void SingleNodeRun::heal() {
  faults_on_ = false;
  world_.network().heal_all();
}

// After everything has healed, every producer gets on.
void SingleNodeRun::make_progress() {
  std::vector<int64_t> before;
  for (const auto& producer : producers_) before.push_back(producer->acknowledged_batches());
  const bool all = world_.run_until(
      [&] {
        start_node();
        for (size_t i = 0; i < producers_.size(); ++i) {
          if (producers_[i]->acknowledged_batches() == before[i]) return false;
        }
        return true;
      },
      options_.healthy);
  if (!all) violate("liveness: after everything had healed, a producer got no acknowledgement");
}

// Once producers are done: consumers have come to an end that they were told afterwards.
bool SingleNodeRun::read_everything() {
  const auto keep_up = [&](auto&& done) {
    return world_.run_until(
        [&] {
          start_node();
          return done();
        },
        options_.healthy);
  };
  if (!keep_up([this] { return std::ranges::all_of(producers_, [](const auto& p) { return p->idle(); }); }))
    return false;
  std::vector<int64_t> answers;
  for (const auto& consumer : consumers_) answers.push_back(consumer->answers());
  return keep_up([&] {
    for (size_t i = 0; i < consumers_.size(); ++i) {
      const Consumer& consumer = *consumers_[i];
      // Two more answers: the first may have been on its way.
      if (consumer.answers() < answers[i] + 2 || consumer.position() < consumer.high_watermark())
        return false;
    }
    return true;
  });
}

RunResult SingleNodeRun::run() {
  build();
  if (!create_topic()) {
    violate("liveness: the node didn't start, or no topic could be created, without any fault");
    return std::move(result_);
  }
  start_clients();
  schedule_fault();
  // A crash at a disk call may come any time: whoever finds the node down starts it again, and a clean stop now and then.
  const Instant end = world_.now() + options_.faulty;
  while (world_.now() < end) {
    world_.run_for(std::chrono::milliseconds(500));
    if (!node_->running() && world_.faults().chance(50)) start_node();
    if (node_->running() && process().failure()) {
      violate("the node gave up: " + process().failure()->message);
      break;
    }
    if (node_->running() && world_.faults().chance(process().is_running() ? 3 : 20)) {
      const bool all_open = process().is_running();
      ++result_.counters[all_open ? "clean stop" : "stop while starting"];
      node_->post([this] { process().stop(); });
      if (!world_.run_until([this] { return !node_->running() || process().has_stopped(); },
                            std::chrono::seconds(60)))
        violate("liveness: a clean stop didn't end");
      // After a clean stop nothing is at risk; one that came while it started hasn't closed all logs.
      if (node_->running())
        world_.crash(*node_, all_open || plan_.power_losses ? Crash::kPowerLoss : Crash::kProcessKill);
    }
  }
  heal();
  world_.run_for(std::chrono::seconds(4));  // until pauses and clogs are over
  start_node();
  make_progress();
  for (auto& producer : producers_) producer->stop_sending();
  const bool all = read_everything();
  if (!all)
    violate(
        "liveness: after everything had healed, producers didn't finish or consumers didn't reach the end");
  for (size_t p = 0; p < histories_.size(); ++p) {
    History& history = *histories_[p];
    if (all) history.complete(consumers_[p]->position());
    for (const auto& violation : history.violations())
      violate(fmt::format("{}-{}: {}", kTopic, p, violation));
    result_.counters["acknowledged"] += history.acknowledged_count();
  }
  result_.trace_hash = world_.trace().hash();
  return std::move(result_);
}

}  // namespace

RunResult run_single_node(const RunOptions& options) {
  return SingleNodeRun(options).run();
}

}  // namespace moldau::sim
