#include "controller/state/placement.h"

#include <algorithm>
#include <map>

namespace moldau {
namespace {

// Brokers of one kind in one rack, handed out in turn; each partition (round) begins one further.
class BrokerRing {
 public:
  void add(int32_t id) { ids_.push_back(id); }
  void start(RandomStream& random) {
    std::ranges::sort(ids_);
    if (!ids_.empty()) offset_ = random.below(ids_.size());
  }
  void shuffle(RandomStream& random) { random.shuffle(ids_); }
  std::optional<int32_t> next(uint64_t round) {
    if (ids_.empty()) return std::nullopt;
    if (round_ != round) {
      round_ = round;
      given_ = 0;
      offset_ = (offset_ + 1) % ids_.size();
    }
    if (given_ == ids_.size()) return std::nullopt;
    return ids_[(given_++ + offset_) % ids_.size()];
  }

 private:
  std::vector<int32_t> ids_;
  uint64_t round_ = 0;
  size_t given_ = 0;
  size_t offset_ = 0;
};

struct Rack {
  BrokerRing unfenced;
  BrokerRing fenced;

  std::optional<int32_t> next(uint64_t round) {
    if (const auto id = unfenced.next(round)) return id;
    return fenced.next(round);
  }
};

class Racks {
 public:
  Racks(const std::vector<UsableBroker>& brokers, RandomStream& random) : random_(random) {
    std::map<std::optional<std::string>, Rack> by_name;  // no rack comes first
    for (const UsableBroker& b : brokers) {
      Rack& rack = by_name[b.rack];
      (b.fenced ? rack.fenced : rack.unfenced).add(b.id.value);
      unfenced_ += b.fenced ? 0 : 1;
    }
    for (auto& [name, rack] : by_name) {
      rack.fenced.start(random);
      rack.unfenced.start(random);
      racks_.push_back(std::move(rack));
    }
    if (!racks_.empty()) first_ = random.below(racks_.size());
  }

  size_t unfenced() const { return unfenced_; }

  // There are enough brokers.
  std::vector<int32_t> place(size_t replicas) {
    if (turn_ == unfenced_ && unfenced_ > 1) {
      random_.shuffle(racks_);
      for (Rack& rack : racks_) rack.fenced.shuffle(random_), rack.unfenced.shuffle(random_);
      turn_ = 0;
    }
    std::vector<int32_t> chosen;
    size_t leader_rack = choose_leader(chosen);
    for (size_t at = first_; chosen.size() < replicas; at = (at + 1) % racks_.size()) {
      if (at == leader_rack)
        leader_rack = racks_.size();  // it has given one; its turn comes again in the next circle
      else if (const auto id = racks_[at].next(round_))
        chosen.push_back(*id);
    }
    ++turn_, ++round_;
    first_ = (first_ + 1) % racks_.size();
    return chosen;
  }

 private:
  size_t choose_leader(std::vector<int32_t>& chosen) {
    for (size_t at = first_;; at = (at + 1) % racks_.size()) {
      if (const auto id = racks_[at].unfenced.next(round_)) return chosen.push_back(*id), at;
    }
  }

  RandomStream& random_;
  std::vector<Rack> racks_;
  size_t unfenced_ = 0;
  size_t first_ = 0;
  uint64_t round_ = 0;  // of all
  size_t turn_ = 0;     // since the last shuffle
};

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::kInvalidReplicationFactor, std::move(why));
}

}  // namespace

Result<std::vector<std::vector<int32_t>>> place_replicas(const std::vector<UsableBroker>& brokers,
                                                         int32_t partitions, int16_t replication_factor,
                                                         RandomStream& random) {
  Racks racks(brokers, random);
  if (replication_factor <= 0)
    return refuse("Invalid replication factor " + std::to_string(replication_factor) +
                  ": the replication factor must be positive.");
  if (racks.unfenced() == 0)
    return refuse("All brokers are currently fenced, or have all their log directories cordoned.");
  if (static_cast<size_t>(replication_factor) > brokers.size())
    return refuse("The target replication factor of " + std::to_string(replication_factor) +
                  " cannot be reached because only " + std::to_string(brokers.size()) +
                  " broker(s) are registered or some brokers have all their log directories cordoned.");
  std::vector<std::vector<int32_t>> placed;
  placed.reserve(static_cast<size_t>(partitions));
  for (int32_t p = 0; p < partitions; ++p)
    placed.push_back(racks.place(static_cast<size_t>(replication_factor)));
  return placed;
}

}  // namespace moldau
