#include "controller/under_replicated.h"

#include <algorithm>

#include "controller/state/topic_configs.h"
#include "controller/topic_assignment.h"

namespace moldau {
namespace {

using Placed = std::vector<std::vector<int32_t>>;

constexpr std::string_view kEnable = "enable.under.replicated.topic.creation";

std::unexpected<Error> unable(int16_t replication_factor, std::string why) {
  return fail(ErrorCode::kInvalidReplicationFactor, "Unable to replicate the partition " +
                                                        std::to_string(replication_factor) +
                                                        " time(s): " + std::move(why));
}

std::vector<UsableBroker> active_among(const ClusterImage& image, const std::vector<UsableBroker>& usable) {
  std::vector<UsableBroker> active;
  for (const UsableBroker& b : usable)
    if (image.is_active(b.id)) active.push_back(b);
  return active;
}

Result<Placed> place(const std::vector<UsableBroker>& brokers, int32_t count, int16_t replication_factor,
                     RandomStream& random) {
  auto placed = place_replicas(brokers, count, replication_factor, random);
  if (!placed) return unable(replication_factor, placed.error().message);
  return placed;
}

bool all_have_active(const ClusterImage& image, const Placed& placed, size_t least) {
  return std::ranges::all_of(placed, [&](const std::vector<int32_t>& replicas) {
    return static_cast<size_t>(std::ranges::count_if(
               replicas, [&](int32_t id) { return image.is_active(BrokerId(id)); })) >= least;
  });
}

}  // namespace

bool creates_under_replicated(const ClusterImage& image, const ControllerOptions& options) {
  static const config::Key& key = *config::find(config::broker_keys(), kEnable);
  return config::broker_value(key, broker_values(image, options)) == "true";
}

Result<Placed> place_new_partitions(const ControllerView& view, int32_t count, int16_t replication_factor,
                                    int32_t min_isr, RandomStream& random) {
  const std::vector<UsableBroker> usable = usable_brokers(view);
  if (!creates_under_replicated(view.image, view.options))
    return place(usable, count, replication_factor, random);
  const std::vector<UsableBroker> active = active_among(view.image, usable);
  if (active.empty())
    return unable(replication_factor, "All brokers are currently fenced or in controlled shutdown.");
  const int32_t least = std::min<int32_t>(min_isr, replication_factor);
  const size_t wanted = static_cast<size_t>(replication_factor);
  if (active.size() >= wanted) {
    TRY_ASSIGN(Placed placed, place(usable, count, replication_factor, random));
    if (all_have_active(view.image, placed, static_cast<size_t>(least))) return placed;
    return place(active, count, replication_factor, random);
  }
  if (active.size() < static_cast<size_t>(least))
    return unable(replication_factor, "Only " + std::to_string(active.size()) +
                                          " broker(s) are active, min.insync.replicas requires " +
                                          std::to_string(least) + ".");
  TRY_ASSIGN(Placed placed, place(active, count, static_cast<int16_t>(active.size()), random));
  for (std::vector<int32_t>& replicas : placed)
    for (int32_t id = -1; replicas.size() < wanted; --id) replicas.push_back(id);
  return placed;
}

}  // namespace moldau
