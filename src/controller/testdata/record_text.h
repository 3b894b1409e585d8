// For tests: a metadata record as a line that a person reads. `image` is the one that has the record already.
#pragma once
#include <string>

#include "metadata/cluster_image.h"
#include "protocol/metadata_record.h"

namespace moldau::test {

class RecordText {
 public:
  RecordText(const ClusterImage& before, const ClusterImage& after) : before_(before), after_(after) {}

  std::string of(Bytes record) const {
    const auto decoded = protocol::decode_metadata_record(record);
    return decoded ? std::visit([&](const auto& r) { return text(r); }, decoded->record)
                   : decoded.error().message;
  }

 private:
  static std::string ids(const std::vector<int32_t>& list) {
    std::string s;
    for (int32_t id : list) s += (s.empty() ? "" : ",") + std::to_string(id);
    return s.empty() ? "none" : s;
  }
  // The last digits of each; 0 and 1 are those that name none.
  static std::string directories(const std::vector<Uuid>& list) {
    std::string s;
    for (const Uuid& d : list) s += (s.empty() ? "=" : ",") + std::to_string(d.low % 10000);
    return s;
  }
  std::string name(const Uuid& topic) const {
    const TopicImage* t = after_.topic(topic);
    if (!t) t = before_.topic(topic);
    return t ? t->name : topic.text();
  }
  std::string name(const Uuid& topic, int32_t partition) const {
    return name(topic) + "-" + std::to_string(partition);
  }
  std::string epochs(const Uuid& topic, int32_t partition) const {
    const PartitionRegistration* p = after_.partition({topic, PartitionId(partition)});
    return p ? " epochs=" + std::to_string(p->leader_epoch.value) + "/" +
                   std::to_string(p->partition_epoch.value)
             : "";
  }

  std::string text(const protocol::TopicRecord& r) const { return "Topic " + std::string(r.name); }
  std::string text(const protocol::RemoveTopicRecord& r) const { return "RemoveTopic " + name(r.topic_id); }
  std::string text(const protocol::ConfigRecord& r) const {
    const std::string_view kind = r.resource_type == 2    ? ""
                                  : r.resource_type == 16 ? "metrics "
                                  : r.resource_type == 32 ? "group "
                                                          : "broker ";
    const std::string of = std::string(kind) + std::string(r.resource_name);
    return "Config " + of + " " + std::string(r.name) + (r.value ? "=" + std::string(*r.value) : " deleted");
  }
  std::string text(const protocol::PartitionRecord& r) const {
    return "Partition " + name(r.topic_id, r.partition_id) + " replicas=" + ids(r.replicas) +
           " isr=" + ids(r.isr) + " leader=" + std::to_string(r.leader) +
           " epochs=" + std::to_string(r.leader_epoch) + "/" + std::to_string(r.partition_epoch);
  }
  std::string text(const protocol::PartitionChangeRecord& r) const {
    std::string s = "PartitionChange " + name(r.topic_id, r.partition_id);
    if (r.replicas) s += " replicas=" + ids(*r.replicas);
    if (r.removing_replicas) s += " removing=" + ids(*r.removing_replicas);
    if (r.adding_replicas) s += " adding=" + ids(*r.adding_replicas);
    if (r.isr) s += " isr=" + ids(*r.isr);
    if (r.leader != -2) s += " leader=" + std::to_string(r.leader);
    if (r.leader_recovery_state == 1) s += " recovering";
    if (r.leader_recovery_state == 0) s += " recovered";
    if (r.eligible_leader_replicas) s += " elr=" + ids(*r.eligible_leader_replicas);
    if (r.last_known_elr) s += " last_known=" + ids(*r.last_known_elr);
    if (r.directories) s += " directories" + directories(*r.directories);
    return s + epochs(r.topic_id, r.partition_id);
  }
  std::string text(const protocol::RegisterBrokerRecord& r) const {
    return "RegisterBroker " + std::to_string(r.broker_id) + " epoch=" + std::to_string(r.broker_epoch) +
           (r.fenced ? " fenced" : "");
  }
  std::string text(const protocol::UnregisterBrokerRecord& r) const {
    return "UnregisterBroker " + std::to_string(r.broker_id);
  }
  std::string text(const protocol::BrokerRegistrationChangeRecord& r) const {
    std::string s = "BrokerRegistrationChange " + std::to_string(r.broker_id);
    if (r.fenced) s += r.fenced > 0 ? " fenced" : " unfenced";
    if (r.in_controlled_shutdown) s += " in controlled shutdown";
    if (!r.log_dirs.empty()) s += " directories left=" + std::to_string(r.log_dirs.size());
    if (r.cordoned_log_dirs) s += " cordoned=" + std::to_string(r.cordoned_log_dirs->size());
    return s;
  }
  std::string text(const protocol::RegisterControllerRecord& r) const {
    return "RegisterController " + std::to_string(r.controller_id);
  }
  std::string text(const protocol::UnregisterControllerRecord& r) const {
    return "UnregisterController " + std::to_string(r.controller_id);
  }
  std::string text(const protocol::FeatureLevelRecord& r) const {
    return "FeatureLevel " + std::string(r.name) + "=" + std::to_string(r.feature_level);
  }
  std::string text(const protocol::ProducerIdsRecord& r) const {
    return "ProducerIds next=" + std::to_string(r.next_producer_id);
  }
  template <class Other>
  std::string text(const Other&) const {
    return std::string(Other::kName.substr(0, Other::kName.size() - 6));
  }

  const ClusterImage& before_;
  const ClusterImage& after_;
};

}  // namespace moldau::test
