#include "controller/state/broker_sessions.h"

#include <limits>

namespace moldau {

const BrokerSessions::Broker* BrokerSessions::find(BrokerId id) const {
  const auto it = brokers_.find(id);
  return it == brokers_.end() ? nullptr : &it->second;
}

void BrokerSessions::touch(BrokerId id, BrokerEpoch epoch, Instant now) {
  Broker& broker = brokers_[id];
  if (broker.heard) by_contact_.erase({*broker.heard, id});
  broker.heard = now;
  broker.epoch = epoch;
  by_contact_.insert({now, id});
}

void BrokerSessions::forget(BrokerId id) {
  const auto it = brokers_.find(id);
  if (it == brokers_.end()) return;
  if (it->second.heard) by_contact_.erase({*it->second.heard, id});
  brokers_.erase(it);
}

bool BrokerSessions::is_valid(BrokerId id, BrokerEpoch epoch, Instant now) const {
  const Broker* broker = find(id);
  return broker && broker->heard && broker->epoch == epoch && *broker->heard + timeout_ >= now;
}

std::optional<BrokerSessions::Expired> BrokerSessions::take_expired(Instant now) {
  if (by_contact_.empty() || by_contact_.begin()->first + timeout_ >= now) return std::nullopt;
  const BrokerId id = by_contact_.begin()->second;
  by_contact_.erase(by_contact_.begin());
  Broker& broker = brokers_[id];
  broker.heard.reset();
  return Expired{id, broker.epoch};
}

std::optional<Instant> BrokerSessions::next_expiry() const {
  if (by_contact_.empty()) return std::nullopt;
  return by_contact_.begin()->first + timeout_ + Duration(1);
}

Offset BrokerSessions::lowest_active_offset(const ClusterImage& image) const {
  Offset lowest{std::numeric_limits<int64_t>::max()};
  image.brokers().for_each([&](BrokerId id, const BrokerRegistration& registration) {
    const Broker* broker = find(id);
    if (registration.fenced || (broker && broker->shutdown_offset)) return;
    lowest = std::min(lowest, broker ? broker->offset : Offset(-1));
  });
  return lowest;
}

void BrokerSessions::begin_shutdown(BrokerId id, Offset until) {
  Broker& broker = brokers_[id];
  if (!broker.shutdown_offset) broker.shutdown_offset = until;
}

std::optional<Offset> BrokerSessions::shutdown_offset(BrokerId id) const {
  const Broker* broker = find(id);
  return broker ? broker->shutdown_offset : std::nullopt;
}

void BrokerSessions::end_leaving(BrokerId id) {
  if (const auto it = brokers_.find(id); it != brokers_.end()) it->second.leaving = false;
}

bool BrokerSessions::is_leaving(BrokerId id) const {
  const Broker* broker = find(id);
  return broker && broker->leaving;
}

}  // namespace moldau
