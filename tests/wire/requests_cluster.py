"""Right requests of the APIs that tell about the cluster."""
from pair import Row

SOFTWARE = {"client_software_name": "raw", "client_software_version": "1"}


def prepare(side):
    side.known["one"] = side.topic("sweep-one", 3)
    side.known["two"] = side.topic("sweep-two", 1)


ROWS = [
    Row("ApiVersions", lambda side, _: SOFTWARE),
    Row("Metadata", lambda side, _: {"topics": [{"name": "sweep-one"}, {"name": "sweep-two"}], "allow_auto_topic_creation": False}),
    Row("Metadata", lambda side, _: {"topics": [{"name": None, "topic_id": side.known["one"]}]}, label="by id", only=(10, 11, 12, 13)),
    Row("DescribeCluster", lambda side, _: {}),
    Row("DescribeTopicPartitions", lambda side, _: {
        "topics": [{"name": "sweep-one"}, {"name": "sweep-two"}], "response_partition_limit": 2,
        "cursor": {"topic_name": "sweep-one", "partition_index": 1}}),
    Row("DescribeLogDirs", lambda side, _: {"topics": [{"topic": "sweep-one", "partitions": [0, 1]}]}),
    Row("DescribeQuorum", lambda side, _: {"topics": [{"topic_name": "__cluster_metadata", "partitions": [{"partition_index": 0}]}]}),
    Row("ListPartitionReassignments", lambda side, _: {"timeout_ms": 10000, "topics": [{"name": "sweep-one", "partition_indexes": [0, 1]}]}),
    Row("DescribeUserScramCredentials", lambda side, _: {"users": [{"name": "u"}]}),
    Row("DescribeClientQuotas", lambda side, _: {"strict": False, "components": [
        {"entity_type": "user", "match_type": 0, "match": "u"}]}),
    Row("AlterClientQuotas", lambda side, name: {"validate_only": False, "entries": [{
        "entity": [{"entity_type": "user", "entity_name": "u"}],
        "ops": [{"key": "producer_byte_rate", "value": 1000.0, "remove": False}]}]}, {"validate_only": (True,)}),
    Row("DescribeAcls", lambda side, _: {"resource_type_filter": 2, "resource_name_filter": "t", "pattern_type_filter": 3,
                                         "principal_filter": "User:a", "host_filter": "*", "operation": 3, "permission_type": 3}),
    Row("CreateAcls", lambda side, _: {"creations": [{"resource_type": 2, "resource_name": "t", "resource_pattern_type": 3,
                                                      "principal": "User:a", "host": "*", "operation": 3, "permission_type": 3}]}),
    Row("DeleteAcls", lambda side, _: {"filters": [{
        "resource_type_filter": 2, "resource_name_filter": "t", "pattern_type_filter": 3, "principal_filter": "User:a",
        "host_filter": "*", "operation": 3, "permission_type": 3}]}),
]
