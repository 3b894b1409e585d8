#include "api/cluster/metadata.h"

#include <algorithm>
#include <set>

#include "api/cluster/authorized_operations.h"
#include "api/cluster/partition_view.h"
#include "api/services.h"
#include "metadata/topic_names.h"
#include "protocol/messages/metadata.h"

namespace moldau::api {
namespace {

using protocol::MetadataRequest;
using protocol::MetadataResponse;
using Partition = MetadataResponse::MetadataResponsePartition;
using Topic = MetadataResponse::MetadataResponseTopic;

// The topics that a request asks for, each once, in its order.
struct Wanted {
  bool all = false;
  std::vector<std::string_view> names;  // views into the frame
  std::vector<Uuid> ids;                // if there is any, the names don't count
};

// How one request wants to be answered.
struct Manner {
  Manner(const Call& call, const MetadataRequest& request)
      : version(call.version()),
        listener(call.peer().listener),
        topic_operations(version >= 8 && request.include_topic_authorized_operations),
        cluster_operations(version >= 8 && version <= 10 && request.include_cluster_authorized_operations) {}

  int16_t version;
  std::string listener;  // the one that the client came through
  bool topic_operations;
  bool cluster_operations;
};

bool asks_for_all(const MetadataRequest& request, int16_t version) {
  return !request.topics || (version == 0 && request.topics->empty());
}

// Names are null, and ids not zero, from version 12 on only, and one of the two is there.
bool is_valid(const MetadataRequest& request, int16_t version) {
  if (!request.topics) return true;
  const bool by_id = version >= 12 && std::ranges::any_of(*request.topics, [](const auto& topic) {
                       return !topic.topic_id.is_zero();
                     });
  return by_id || std::ranges::all_of(*request.topics, [](const auto& topic) {
           return topic.name && topic.topic_id.is_zero();
         });
}

Wanted wanted(const MetadataRequest& request, int16_t version) {
  Wanted wanted;
  wanted.all = asks_for_all(request, version);
  if (wanted.all) return wanted;
  std::set<std::string_view> names;
  std::set<Uuid> ids;
  for (const auto& topic : *request.topics) {
    if (!topic.topic_id.is_zero() && ids.insert(topic.topic_id).second) wanted.ids.push_back(topic.topic_id);
    if (topic.name && names.insert(*topic.name).second) wanted.names.push_back(*topic.name);
  }
  return wanted;
}

std::vector<std::string_view> missing(const Wanted& wanted, const ClusterImage& image) {
  std::vector<std::string_view> missing;
  if (!wanted.ids.empty()) return missing;
  std::ranges::copy_if(wanted.names, std::back_inserter(missing),
                       [&](std::string_view name) { return !image.topic(name); });
  return missing;
}

// Version 0 knows no replicas that are down: they are left out, and the partition says so.
std::vector<int32_t> available(const ClusterImage& image, const ReplicaList& replicas,
                               std::string_view listener) {
  std::vector<int32_t> available;
  std::ranges::copy_if(replicas.raw(), std::back_inserter(available),
                       [&](int32_t id) { return is_available(image, BrokerId(id), listener); });
  return available;
}

ErrorCode error_of(const ClusterImage& image, const PartitionRegistration& registered,
                   const Partition& partition, int16_t version) {
  if (partition.leader_id < 0) {
    const bool listener_missing = image.broker(registered.leader) && version >= 6;
    return listener_missing ? ErrorCode::kListenerNotFound : ErrorCode::kLeaderNotAvailable;
  }
  const bool complete = partition.replica_nodes.size() == registered.replicas.size() &&
                        partition.isr_nodes.size() == registered.isr.size();
  return complete ? ErrorCode::kNone : ErrorCode::kReplicaNotAvailable;
}

Partition describe(const ClusterImage& image, PartitionId index, const PartitionRegistration& registered,
                   const Manner& manner) {
  Partition partition;
  partition.partition_index = index.value;
  partition.leader_id = visible_leader(image, registered, manner.listener).value;
  partition.leader_epoch = registered.leader_epoch.value;
  if (manner.version == 0) {
    partition.replica_nodes = available(image, registered.replicas, manner.listener);
    partition.isr_nodes = available(image, registered.isr, manner.listener);
  } else {
    partition.replica_nodes = registered.replicas.to_vector();
    partition.isr_nodes = registered.isr.to_vector();
  }
  if (manner.version >= 5) partition.offline_replicas = offline_replicas(image, registered, manner.listener);
  partition.error_code = static_cast<int16_t>(error_of(image, registered, partition, manner.version));
  return partition;
}

void add_topic(MetadataResponse& response, const ClusterImage& image, const TopicImage& known,
               const Manner& manner) {
  Topic& topic = response.topics.emplace_back();
  topic.name = known.name;
  topic.topic_id = known.id;
  topic.is_internal = is_internal_topic(known.name);
  if (manner.topic_operations) topic.topic_authorized_operations = kTopicOperations;
  topic.partitions.reserve(known.partitions.size());
  known.partitions.for_each([&](PartitionId index, const PartitionRegistration& registered) {
    topic.partitions.push_back(describe(image, index, registered, manner));
  });
}

void add_missing(MetadataResponse& response, std::string_view name, const Manner& manner) {
  Topic& topic = response.topics.emplace_back();
  topic.name = name;
  topic.is_internal = is_internal_topic(name);
  if (manner.topic_operations) topic.topic_authorized_operations = kTopicOperations;
  topic.error_code = static_cast<int16_t>(is_legal_topic_name(name) ? ErrorCode::kUnknownTopicOrPartition
                                                                    : ErrorCode::kInvalidTopicException);
}

// Kafka's order: unknown ids, then what exists, then what doesn't.
void add_topics(MetadataResponse& response, const ClusterImage& image, const Wanted& wanted,
                const Manner& manner) {
  if (wanted.all) {
    image.topic_ids().for_each(
        [&](const std::string&, const Uuid& id) { add_topic(response, image, *image.topic(id), manner); });
    return;
  }
  for (const Uuid& id : wanted.ids) {
    if (image.topic(id)) continue;
    Topic& topic = response.topics.emplace_back();
    topic.error_code = static_cast<int16_t>(ErrorCode::kUnknownTopicId);
    topic.name.reset();
    topic.topic_id = id;
  }
  for (const Uuid& id : wanted.ids) {
    if (const TopicImage* known = image.topic(id)) add_topic(response, image, *known, manner);
  }
  if (!wanted.ids.empty()) return;
  for (std::string_view name : wanted.names) {
    if (const TopicImage* known = image.topic(name)) add_topic(response, image, *known, manner);
  }
  for (std::string_view name : wanted.names) {
    if (!image.topic(name)) add_missing(response, name, manner);
  }
}

// Brokers that are fenced, or that the client's listener doesn't lead to, are left out. Any unfenced broker
// passes as the controller: requests for it may be sent to all of them.
void add_brokers(MetadataResponse& response, const ClusterImage& image, std::string_view listener,
                 io::Random& random) {
  std::vector<int32_t> unfenced;
  image.brokers().for_each([&](BrokerId id, const BrokerRegistration& broker) {
    if (broker.fenced) return;
    unfenced.push_back(id.value);
    const RegisteredListener* at = broker.listener(listener);
    if (!at) return;
    auto& node = response.brokers.emplace_back();
    node.node_id = id.value;
    node.host = at->host;
    node.port = at->port;
    if (broker.rack) node.rack = *broker.rack;
  });
  if (!unfenced.empty()) response.controller_id = unfenced[random.below(unfenced.size())];
}

void answer(Services& services, Call& call, const Wanted& wanted, const Manner& manner) {
  const ClusterImage& image = services.image(call.lane());
  MetadataResponse response;
  response.cluster_id = services.node.cluster_id;
  add_brokers(response, image, manner.listener, services.runtime.random());
  add_topics(response, image, wanted, manner);
  if (manner.cluster_operations) response.cluster_authorized_operations = kClusterOperations;
  call.reply(response);
}

// From version 12 on, where a null name as such is legal, Kafka trips over one without an id.
void refuse(Call& call, const MetadataRequest& request) {
  MetadataResponse response;
  response.error_code =
      static_cast<int16_t>(call.version() < 12 ? ErrorCode::kInvalidRequest : ErrorCode::kUnknownServerError);
  for (const auto& asked : *request.topics) {
    Topic& topic = response.topics.emplace_back();
    topic.error_code = response.error_code;
    topic.name = asked.name.value_or(std::string_view{});
    topic.topic_id = asked.topic_id;
  }
  call.reply(response);
}

// Each topic once, however many clients ask for it meanwhile.
void create_behind(Services& services, io::Lane& lane, const std::vector<std::string_view>& absent) {
  auto& underway = services.being_created[static_cast<size_t>(lane.index())];
  std::vector<std::string> names;
  for (std::string_view name : absent) {
    if (is_legal_topic_name(name) && underway.emplace(name).second) names.emplace_back(name);
  }
  if (names.empty()) return;
  const std::vector<std::string_view> views(names.begin(), names.end());
  create_missing_topics(services, lane, views, [&underway, names = std::move(names)] {
    for (const std::string& name : names) underway.erase(name);
  });
}

}  // namespace

void handle_metadata(Services& services, Call call) {
  const auto request = call.decode<MetadataRequest>();
  if (!request) return;
  if (!is_valid(*request, call.version())) return refuse(call, *request);
  const Wanted asked = wanted(*request, call.version());
  io::Lane& lane = call.lane();
  if (services.auto_create.enabled && request->allow_auto_topic_creation)
    create_behind(services, lane, missing(asked, services.image(lane)));
  answer(services, call, asked, Manner(call, *request));
}

}  // namespace moldau::api
