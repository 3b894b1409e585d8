// The first registrations of new partitions, from a manual assignment or from the placer.
#pragma once
#include <span>
#include <vector>

#include "controller/state/controller_view.h"
#include "controller/state/placement.h"
#include "controller/state/topic_configs.h"
#include "protocol/messages/create_partitions.h"
#include "protocol/messages/create_topics.h"

namespace moldau {

// By partition index, from 0; `configs` are the topic's. INVALID_REQUEST, INVALID_REPLICA_ASSIGNMENT, INVALID_REPLICATION_FACTOR or
// INVALID_PARTITIONS.
Result<std::vector<PartitionRegistration>> assign_new_topic(
    const ControllerView& view, const protocol::CreateTopicsRequest::CreatableTopic& topic,
    const TopicConfigs& configs, RandomStream& random);

// `count` more for a topic, likewise, with as many replicas as its first partition has. INVALID_REPLICA_ASSIGNMENT
// or INVALID_REPLICATION_FACTOR.
Result<std::vector<PartitionRegistration>> assign_more_partitions(
    const ControllerView& view, const TopicImage& topic,
    const protocol::CreatePartitionsRequest::CreatePartitionsTopic& wish, int32_t count,
    RandomStream& random);

// Ids given by a person: not empty, registered, with a directory that isn't cordoned, each once, as many as
// before.
Status validate_manual_assignment(const ClusterImage& image, std::span<const int32_t> brokers,
                                  std::optional<size_t> replication_factor);
// Brokers that the placer may use: registered, not about to shut down, with a directory that isn't cordoned;
// fenced ones too.
std::vector<UsableBroker> usable_brokers(const ControllerView& view);

}  // namespace moldau
