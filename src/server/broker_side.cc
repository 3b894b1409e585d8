#include "server/broker_side.h"

#include <filesystem>
#include <utility>

#include "server/coordinator_options.h"
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

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

BrokerSide::BrokerSide(Parts parts, Events events)
    : parts_(std::move(parts)),
      events_(std::move(events)),
      runtime_(parts_.runtime),
      home_(*runtime_.lanes().front()),
      options_(parts_.options),
      producer_ids_(runtime_, parts_.controller, parts_.follower.images(), options_.node_id) {
  build_partitions();
  build_upkeep();
  build_lifecycle();
}

void BrokerSide::attach(RaftDriver& raft) {
  parts_.follower.add_subscriber(*this);
  parts_.follower.add_subscriber(*groups_);
  raft.add_listener(*lifecycle_);
}

void BrokerSide::build_partitions() {
  const int threads = static_cast<int>(options_.integer("num.recovery.threads.per.data.dir"));
  const size_t missing = options_.log_dirs.size() - parts_.storage.directories.size();
  directories_ = std::make_unique<DataDirectories>(home_, runtime_.pool(),
                                                   std::move(parts_.storage.directories), threads, missing);
  std::vector<std::unique_ptr<PartitionLane>> lanes;
  for (io::Lane* lane : runtime_.lanes()) {
    lanes.push_back(std::make_unique<PartitionLane>(*lane, runtime_.pool(), runtime_.logger(),
                                                    options_.node_id,
                                                    parts_.open_files / runtime_.lanes().size()));
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
  groups_ = std::make_unique<GroupCoordinator>(runtime_, *partitions_, parts_.follower.images(),
                                               options_.node_id, coordinator_options(options_));
  std::vector<LogDirReader::Dir> dirs;
  for (const std::string& dir : options_.log_dirs) {
    auto& [path, root] = dirs.emplace_back(absolute_path(dir));
    for (size_t i = 0; i < directories_->roots(); ++i)
      if (directories_->root(i).root() == dir) root = i;
  }
  log_dirs_ = std::make_unique<LogDirReader>(LogDirReader::Parts{
      home_, runtime_.pool(), runtime_.files(), *directories_, *partitions_, *assignment_, std::move(dirs)});
}

// The other directories go on; without the metadata log, or without any, the node can't.
void BrokerSide::on_root_failed(size_t root, const Error& error) {
  size_t failed = 0;
  std::vector<Uuid> directories;
  for (size_t i = 0; i < directories_->roots(); ++i) {
    if (!directories_->failed(i)) continue;
    ++failed;
    directories.push_back(parts_.storage.identity.directory_ids.at(directories_->root(i).root()));
  }
  if (failed == directories_->roots() || directories_->root(root).root() == options_.metadata_log_dir)
    return events_.on_failed(error);
  lifecycle_->set_offline_dirs(std::move(directories));
}

void BrokerSide::build_upkeep() {
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

void BrokerSide::build_lifecycle() {
  BrokerLifecycleOptions lifecycle;
  lifecycle.id = options_.node_id;
  lifecycle.cluster_id = parts_.storage.identity.cluster_id;
  lifecycle.incarnation = runtime_.random().uuid();
  lifecycle.listeners = registered_listeners(options_, parts_.bound);
  lifecycle.rack = options_.rack;
  for (size_t i = 0; i < directories_->roots(); ++i)
    lifecycle.log_dirs.push_back(parts_.storage.identity.directory_ids.at(directories_->root(i).root()));
  lifecycle.previous_epoch = BrokerEpoch(directories_->root(0).clean_shutdown_broker_epoch().value_or(-1));
  lifecycle.heartbeat_interval = std::chrono::milliseconds(options_.integer("broker.heartbeat.interval.ms"));
  lifecycle.session_timeout = std::chrono::milliseconds(options_.integer("broker.session.timeout.ms"));
  lifecycle.registration_timeout =
      std::chrono::milliseconds(options_.integer("initial.broker.registration.timeout.ms"));
  lifecycle_ = std::make_unique<BrokerLifecycleDriver>(runtime_, parts_.controller, parts_.follower,
                                                       std::move(lifecycle),
                                                       [this](BrokerState state) { on_state(state); });
}

void BrokerSide::on_state(BrokerState state) {
  if (state == BrokerState::kRunning) return events_.on_running();
  if (state != BrokerState::kShuttingDown) return;
  if (stopping_) return events_.on_may_stop();
  events_.on_failed({ErrorCode::kBrokerNotAvailable,
                     "the broker could not register with the controller in time; see the lines above"});
}

void BrokerSide::apply(ImageChange change, io::Task done) {
  assignment_->apply(std::move(change.image), std::move(change.delta),
                     [this, done = std::move(done)]() mutable {
                       done();
                       // The first image that knows this broker has all its partitions: their logs are loaded now.
                       if (!std::exchange(ready_, true)) lifecycle_->set_ready();
                     });
}

void BrokerSide::start_upkeep() {
  schedule_checkpoint();
  retention_->start();
  cleaner_->start();
  const auto upkeep = std::chrono::milliseconds(options_.integer("producer.id.expiration.check.interval.ms"));
  for (size_t i = 0; i < partitions_->lanes(); ++i) {
    PartitionLane& lane = partitions_->lane(i);
    lane.lane().run([&lane, upkeep] { lane.start_upkeep(upkeep); });
  }
}

// Wakes once a minute, and writes only what changed.
void BrokerSide::schedule_checkpoint() {
  const auto interval =
      std::chrono::milliseconds(options_.integer("log.flush.offset.checkpoint.interval.ms"));
  checkpoint_timer_ = home_.after(interval, [this] {
    assignment_->checkpoint([this] {
      if (!stopping_) schedule_checkpoint();
    });
  });
}

// ---- the end

void BrokerSide::begin_shutdown() {
  stopping_ = true;
  lifecycle_->begin_shutdown();
}

void BrokerSide::stop_upkeep() {
  checkpoint_timer_.cancel();
  retention_->stop();
  cleaner_->stop();
}

void BrokerSide::close(std::function<void()> done) {
  groups_->close([this, done = std::move(done)] {
    assignment_->close(lifecycle_->epoch().value, [this, done](Status closed) {
      if (!closed) runtime_.logger().error("log", closed.error().message);
      done();
    });
  });
}

}  // namespace moldau::server
