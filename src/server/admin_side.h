// AdminSide: the node's HTTP port for those who watch it: /metrics, /ready, /live. Listens from the beginning, so that
// it can say what the node still waits for. Figures are collected from the lanes in slices, and put into text in the pool;
// scrapes that come meanwhile share the result.
// Owner: lane 0. Outlives what it is shown by serve(), as far as tasks are under way.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/http_server.h"
#include "admin/node_sample.h"
#include "admin/request_window.h"
#include "metadata/driver/metadata_follower.h"
#include "ports/quorum.h"
#include "server/broker_side.h"
#include "server/client_side.h"

namespace moldau::server {

class AdminSide final : public admin::HttpHandler {
 public:
  static constexpr size_t kSlice = 256;  // partitions that a lane looks at before others get their turn

  struct Parts {
    ClientSide& clients;
    BrokerSide* broker;  // null: the node is only a controller
    LaneImages& images;
    ports::QuorumPort& quorum;
    std::vector<metrics::FetchCounters>& fetch_counters;  // by lane
    std::string cluster_id;
  };

  AdminSide(io::Runtime& runtime, const NodeOptions& options);
  ~AdminSide() override;

  // An address that was asked for and can't be had is an error; the default one is done without.
  Status listen();
  std::optional<io::Endpoint> bound() const { return bound_; }
  void serve(Parts parts);  // the node is running
  void begin_shutdown() { shutting_down_ = true; }
  void close();

  void get(std::string_view path, Done done) override;

 private:
  struct Collection;

  void answer_ready(Done done) const;
  void answer_live(Done done);
  void scrape(Done done);
  void sample_lane(const std::shared_ptr<Collection>& collection, size_t lane);
  void slice(const std::shared_ptr<Collection>& collection, size_t lane, size_t from);
  void note_idle(Collection& collection);
  void render(const std::shared_ptr<Collection>& collection);

  io::Runtime& runtime_;
  io::Lane& home_;
  const NodeOptions& options_;
  const double start_time_s_;
  Instant sampled_at_;  // the pool's while it renders, as the next two
  double cpu_seconds_ = 0;
  admin::RequestWindow requests_;
  admin::HttpServer server_;
  std::optional<io::Endpoint> bound_;
  std::optional<Parts> parts_;
  bool shutting_down_ = false;
  std::vector<Done> waiting_;               // for the collection under way, or the next
  std::shared_ptr<Collection> collecting_;  // null: none
};

}  // namespace moldau::server
