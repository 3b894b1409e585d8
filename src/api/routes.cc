#include <algorithm>
#include <array>

#include "api/admin/acls.h"
#include "api/admin/alter_configs.h"
#include "api/admin/client_quotas.h"
#include "api/admin/create_partitions.h"
#include "api/admin/create_topics.h"
#include "api/admin/delete_records.h"
#include "api/admin/delete_topics.h"
#include "api/admin/describe_configs.h"
#include "api/admin/describe_log_dirs.h"
#include "api/admin/describe_producers.h"
#include "api/admin/describe_scram.h"
#include "api/admin/elect_leaders.h"
#include "api/admin/list_config_resources.h"
#include "api/admin/reassignments.h"
#include "api/admin/unregistration.h"
#include "api/cluster/api_versions.h"
#include "api/cluster/describe_cluster.h"
#include "api/cluster/describe_quorum.h"
#include "api/cluster/describe_topic_partitions.h"
#include "api/cluster/metadata.h"
#include "api/cluster/metadata_fetch.h"
#include "api/cluster/node_requests.h"
#include "api/data/fetch.h"
#include "api/data/init_producer_id.h"
#include "api/data/offsets.h"
#include "api/data/produce.h"
#include "api/dispatcher.h"
#include "api/groups/consumer_groups.h"
#include "api/groups/find_coordinator.h"
#include "api/groups/group_admin.h"
#include "api/groups/membership.h"
#include "api/groups/offset_commit.h"
#include "api/groups/offset_delete.h"
#include "api/groups/offset_fetch.h"

namespace moldau::api {
namespace {

using protocol::ApiKey;

constexpr auto kBroker = std::to_array<Route>({
    {ApiKey::kProduce, handle_produce, true},
    {ApiKey::kFetch, handle_fetch},
    {ApiKey::kListOffsets, handle_list_offsets},
    {ApiKey::kMetadata, handle_metadata},
    {ApiKey::kOffsetCommit, handle_offset_commit},
    {ApiKey::kOffsetFetch, handle_offset_fetch},
    {ApiKey::kFindCoordinator, handle_find_coordinator},
    {ApiKey::kJoinGroup, handle_join_group},
    {ApiKey::kHeartbeat, handle_heartbeat},
    {ApiKey::kLeaveGroup, handle_leave_group},
    {ApiKey::kSyncGroup, handle_sync_group},
    {ApiKey::kDescribeGroups, handle_describe_groups},
    {ApiKey::kListGroups, handle_list_groups},
    {ApiKey::kApiVersions, handle_broker_api_versions},
    {ApiKey::kCreateTopics, handle_create_topics},
    {ApiKey::kDeleteTopics, handle_delete_topics},
    {ApiKey::kDeleteRecords, handle_delete_records},
    {ApiKey::kInitProducerId, handle_init_producer_id},
    {ApiKey::kOffsetForLeaderEpoch, handle_offset_for_leader_epoch},
    {ApiKey::kDescribeAcls, handle_describe_acls},
    {ApiKey::kCreateAcls, handle_create_acls},
    {ApiKey::kDeleteAcls, handle_delete_acls},
    {ApiKey::kDescribeConfigs, handle_describe_configs},
    {ApiKey::kAlterConfigs, handle_alter_configs},
    {ApiKey::kAlterReplicaLogDirs, handle_alter_replica_log_dirs},
    {ApiKey::kDescribeLogDirs, handle_describe_log_dirs},
    {ApiKey::kCreatePartitions, handle_create_partitions},
    {ApiKey::kDeleteGroups, handle_delete_groups},
    {ApiKey::kElectLeaders, handle_elect_leaders},
    {ApiKey::kIncrementalAlterConfigs, handle_incremental_alter_configs},
    {ApiKey::kAlterPartitionReassignments, handle_alter_partition_reassignments},
    {ApiKey::kListPartitionReassignments, handle_list_partition_reassignments},
    {ApiKey::kOffsetDelete, handle_offset_delete},
    {ApiKey::kDescribeClientQuotas, handle_describe_client_quotas},
    {ApiKey::kAlterClientQuotas, handle_alter_client_quotas},
    {ApiKey::kDescribeUserScramCredentials, handle_describe_user_scram_credentials},
    {ApiKey::kDescribeQuorum, handle_describe_quorum},
    {ApiKey::kDescribeCluster, handle_broker_describe_cluster},
    {ApiKey::kDescribeProducers, handle_describe_producers},
    {ApiKey::kUnregisterBroker, handle_unregister_broker},
    {ApiKey::kConsumerGroupHeartbeat, handle_consumer_group_heartbeat},
    {ApiKey::kConsumerGroupDescribe, handle_consumer_group_describe},
    {ApiKey::kListConfigResources, handle_list_config_resources},
    {ApiKey::kDescribeTopicPartitions, handle_describe_topic_partitions},
    {ApiKey::kUnregisterController, handle_unregister_controller},
});

constexpr auto kController = std::to_array<Route>({
    {ApiKey::kFetch, handle_metadata_fetch},
    {ApiKey::kApiVersions, handle_controller_api_versions},
    {ApiKey::kCreateTopics, handle_create_topics},
    {ApiKey::kDeleteTopics, handle_delete_topics},
    {ApiKey::kDescribeAcls, handle_describe_acls},
    {ApiKey::kCreateAcls, handle_create_acls},
    {ApiKey::kDeleteAcls, handle_delete_acls},
    {ApiKey::kDescribeConfigs, handle_describe_configs},
    {ApiKey::kAlterConfigs, handle_alter_configs},
    {ApiKey::kCreatePartitions, handle_create_partitions},
    {ApiKey::kElectLeaders, handle_elect_leaders},
    {ApiKey::kIncrementalAlterConfigs, handle_incremental_alter_configs},
    {ApiKey::kAlterPartitionReassignments, handle_alter_partition_reassignments},
    {ApiKey::kListPartitionReassignments, handle_list_partition_reassignments},
    {ApiKey::kAlterClientQuotas, handle_alter_client_quotas},
    {ApiKey::kDescribeQuorum, handle_describe_quorum},
    {ApiKey::kAlterPartition, handle_alter_partition},
    {ApiKey::kFetchSnapshot, handle_fetch_snapshot},
    {ApiKey::kDescribeCluster, handle_controller_describe_cluster},
    {ApiKey::kBrokerRegistration, handle_broker_registration},
    {ApiKey::kBrokerHeartbeat, handle_broker_heartbeat},
    {ApiKey::kUnregisterBroker, handle_unregister_broker},
    {ApiKey::kAllocateProducerIds, handle_allocate_producer_ids},
    {ApiKey::kControllerRegistration, handle_controller_registration},
    {ApiKey::kAssignReplicasToDirs, handle_assign_replicas_to_dirs},
    {ApiKey::kUnregisterController, handle_unregister_controller},
});

static_assert(std::ranges::is_sorted(kBroker, {}, &Route::key));
static_assert(std::ranges::is_sorted(kController, {}, &Route::key));

}  // namespace

std::span<const Route> routes(protocol::ListenerKind kind) {
  if (kind == protocol::ListenerKind::kBroker) return kBroker;
  return kController;
}

}  // namespace moldau::api
