#include "server/admin_side.h"

#include <fmt/format.h>

#include <algorithm>

#include "admin/metrics_text.h"
#include "metrics/prometheus_text.h"
#include "server/process_sample.h"

namespace moldau::server {
namespace {

constexpr Duration kLiveWithin = std::chrono::seconds(5);

admin::HttpAnswer json(int status, std::string body) {
  return {status, "application/json", std::move(body)};
}

}  // namespace

// One look at the node. Each lane writes its own part.
struct AdminSide::Collection {
  admin::NodeSample sample;
  std::vector<std::vector<std::shared_ptr<Partition>>> partitions;  // by lane
  size_t missing;                                                   // lanes
  Instant at;
  std::string text;
};

AdminSide::AdminSide(io::Runtime& runtime, const NodeOptions& options)
    : runtime_(runtime),
      home_(*runtime.lanes().front()),
      options_(options),
      start_time_s_(static_cast<double>(runtime.clock().wall_ms()) / 1000),
      sampled_at_(runtime.clock().now()),
      server_(home_, *this) {}

AdminSide::~AdminSide() = default;

Status AdminSide::listen() {
  if (!options_.admin_listener) return {};
  auto bound = server_.listen(runtime_.transport(), *options_.admin_listener);
  if (bound) {
    bound_ = *bound;
    return {};
  }
  const std::string at = options_.admin_listener->text();
  if (options_.is_set(kAdminListenerKey))
    return fail(ErrorCode::kInvalidConfig,
                fmt::format("{}: {}. Stop what uses the address, or give another one, or none.",
                            kAdminListenerKey, bound.error().message));
  runtime_.logger().warn(
      "server", fmt::format("no metrics: {} is taken; {} names another address", at, kAdminListenerKey));
  return {};
}

void AdminSide::serve(Parts parts) {
  parts_.emplace(std::move(parts));
}

void AdminSide::close() {
  server_.close();
}

void AdminSide::get(std::string_view path, Done done) {
  if (path == "/metrics") return scrape(std::move(done));
  if (path == "/ready") return answer_ready(std::move(done));
  if (path == "/live") return answer_live(std::move(done));
  done({404, "text/plain; charset=utf-8", "there are /metrics, /ready and /live\n"});
}

void AdminSide::answer_ready(Done done) const {
  if (shutting_down_) return done(json(503, "{\"ready\":false,\"reason\":\"the node is shutting down\"}\n"));
  if (!parts_) return done(json(503, "{\"ready\":false,\"reason\":\"the node is starting\"}\n"));
  done({204, {}, {}});
}

// Every lane has to run a task.
void AdminSide::answer_live(Done done) {
  struct Round {
    Done done;
    size_t missing;
    io::Timer timer;
  };
  auto round = std::make_shared<Round>(std::move(done), runtime_.lanes().size());
  round->timer = home_.after(kLiveWithin, [weak = std::weak_ptr(round)] {
    const auto alive = weak.lock();
    if (alive && std::exchange(alive->missing, 0) > 0)
      alive->done(json(503, "{\"live\":false,\"reason\":\"a lane is stuck\"}\n"));
  });
  for (io::Lane* lane : runtime_.lanes()) {
    lane->post([round, &home = home_]() mutable {
      home.post([round = std::move(round)] {
        if (round->missing == 0 || --round->missing > 0) return;
        round->timer.cancel();
        round->done({204, {}, {}});
      });
    });
  }
}

// ---- metrics

void AdminSide::scrape(Done done) {
  waiting_.push_back(std::move(done));
  if (collecting_) return;
  collecting_ = std::make_shared<Collection>();
  admin::NodeSample& sample = collecting_->sample;
  sample.node_id = options_.node_id;
  sample.version = options_.version;
  sample.start_time_s = start_time_s_;
  sample.running = parts_.has_value() && !shutting_down_;
  sample.min_insync_replicas = static_cast<int32_t>(options_.integer("min.insync.replicas"));
  if (!parts_) return render(collecting_);
  sample.cluster_id = parts_->cluster_id;
  sample.quorum_leader = parts_->quorum.leader(home_);
  sample.image = parts_->images.shared(home_);
  if (parts_->broker) {
    sample.offline_directories = parts_->broker->directories().offline();
    sample.offline_replicas = parts_->broker->assignment().offline();
  }
  const size_t lanes = runtime_.lanes().size();
  sample.lanes.resize(lanes);
  collecting_->partitions.resize(lanes);
  collecting_->missing = lanes;
  for (size_t i = 0; i < lanes; ++i)
    runtime_.lanes()[i]->post([this, collection = collecting_, i] { sample_lane(collection, i); });
}

void AdminSide::sample_lane(const std::shared_ptr<Collection>& collection, size_t lane) {
  admin::LaneSample& sample = collection->sample.lanes[lane];
  parts_->clients.sample(lane, sample);
  metrics::FetchCounters& fetched = parts_->fetch_counters[lane];
  fetched.keep_only([&](const Uuid& id) { return collection->sample.image->topic(id) != nullptr; });
  sample.fetched = fetched.total();
  sample.fetched_by_topic = fetched.by_topic();
  auto& list = collection->partitions[lane];
  if (parts_->broker) {
    PartitionLane& partitions = parts_->broker->partitions().lane(lane);
    sample.produced = partitions.host()->traffic;
    list.reserve(partitions.size());
    partitions.for_each([&](const std::shared_ptr<Partition>& partition) { list.push_back(partition); });
  }
  sample.partitions.reserve(list.size());
  slice(collection, lane, 0);
}

void AdminSide::slice(const std::shared_ptr<Collection>& collection, size_t lane, size_t from) {
  auto& list = collection->partitions[lane];
  auto& samples = collection->sample.lanes[lane].partitions;
  const size_t to = std::min(list.size(), from + kSlice);
  for (size_t i = from; i < to; ++i) {
    Partition& partition = *list[i];
    if (!partition.has_log()) continue;  // it went meanwhile
    const Log& log = partition.log();
    samples.push_back({partition.identity().id, log.log_start(), log.log_end(), partition.high_watermark(),
                       log.size(), partition.traffic()});
  }
  if (to < list.size())
    return runtime_.lanes()[lane]->post([this, collection, lane, to] { slice(collection, lane, to); });
  list.clear();  // on its lane: one may be the last to hold a partition
  home_.post([this, collection] {
    if (--collection->missing == 0) render(collection);
  });
}

// The first time since the process began, about.
void AdminSide::note_idle(Collection& collection) {
  if (!collection.sample.process.cpu_seconds) return;
  const double used = *collection.sample.process.cpu_seconds - cpu_seconds_;
  const double passed = std::chrono::duration<double>(collection.at - sampled_at_).count();
  const double lanes = static_cast<double>(runtime_.lanes().size());
  if (passed > 0) collection.sample.idle = std::clamp(1 - used / (passed * lanes), 0.0, 1.0);
  cpu_seconds_ += used;
  sampled_at_ = collection.at;
}

void AdminSide::render(const std::shared_ptr<Collection>& collection) {
  collection->at = home_.clock().now();
  runtime_.pool().run(
      home_,
      [this, collection] {
        collection->sample.process = sample_process(runtime_.files());
        note_idle(*collection);
        requests_.update(collection->sample.lanes, collection->at);
        collection->text = admin::metrics_text(collection->sample, requests_);
        collection->sample.lanes.clear();
      },
      [this, collection] {
        collecting_.reset();
        auto waiting = std::exchange(waiting_, {});
        for (size_t i = 0; i < waiting.size(); ++i) {
          const bool last = i + 1 == waiting.size();
          waiting[i]({200, std::string(metrics::PrometheusText::kContentType),
                      last ? std::move(collection->text) : collection->text});
        }
      });
}

}  // namespace moldau::server
