// BrokerSessions: what the active controller remembers of its brokers that isn't in the log: when each was
// last heard, how far it has the metadata, from which offset on it may shut down. Pure. Begins anew with each
// term. Owner: the controller's lane.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "metadata/cluster_image.h"

namespace moldau {

class BrokerSessions {
 public:
  explicit BrokerSessions(Duration timeout) : timeout_(timeout) {}

  // The broker was heard: its session begins anew.
  void touch(BrokerId id, BrokerEpoch epoch, Instant now);
  void forget(BrokerId id);
  bool is_valid(BrokerId id, BrokerEpoch epoch, Instant now) const;

  // The longest silent session that has run out; it is forgotten by this.
  struct Expired {
    BrokerId id;
    BrokerEpoch epoch;
  };
  std::optional<Expired> take_expired(Instant now);
  std::optional<Instant> next_expiry() const;

  // How far the broker has the metadata, by its heartbeats.
  void heard_offset(BrokerId id, Offset offset) { brokers_[id].offset = offset; }
  // Of all active brokers that don't shut down; the largest offset of all if there is none.
  Offset lowest_active_offset(const ClusterImage& image) const;

  // Controlled shutdown is complete when every active broker has the metadata up to here. The first call
  // counts.
  void begin_shutdown(BrokerId id, Offset until);
  void end_shutdown(BrokerId id) { brokers_[id].shutdown_offset.reset(); }
  std::optional<Offset> shutdown_offset(BrokerId id) const;

  // An operation that takes several passes takes it out of its ISRs: no leader takes it back meanwhile. Else a broker that
  // is cut off from the controller alone, and follows on, could keep that from ever coming to its end.
  void begin_leaving(BrokerId id) { brokers_[id].leaving = true; }
  void end_leaving(BrokerId id);
  bool is_leaving(BrokerId id) const;
  bool is_shutting_down(BrokerId id) const { return shutdown_offset(id).has_value(); }

 private:
  struct Broker {
    BrokerEpoch epoch{-1};
    std::optional<Instant> heard;
    Offset offset{-1};
    std::optional<Offset> shutdown_offset;
    bool leaving = false;
  };
  const Broker* find(BrokerId id) const;

  Duration timeout_;
  std::map<BrokerId, Broker> brokers_;
  std::set<std::pair<Instant, BrokerId>> by_contact_;
};

}  // namespace moldau
