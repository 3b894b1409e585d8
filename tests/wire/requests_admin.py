"""Right requests of the APIs that change topics, partitions and settings."""
from bodies import create
from bodies_admin import APPEND, BROKER, SET, TOPIC, alter, delete_records, describe, elect, grow, reassign, replace
from pair import Row

SHORT = (-1, 0, 1, 10000)


def prepare(side):
    side.known["fixed"] = side.topic("sweep-fixed", 2)


def fresh(make, partitions=2):
    """The body on a topic of its own."""
    def body(side, name):
        side.topic(name, partitions)
        return make(name)
    return body


def shown(side, name):
    return {"topics": [{"name": name}], "allow_auto_topic_creation": False}


LOOK = ("Metadata", 12, shown)
ROWS = [
    Row("CreateTopics", lambda side, name: create(name, 2, 1, [("retention.ms", "100000")]), {"timeout_ms": (10000,)}, again=True, then=(LOOK,)),
    Row("CreateTopics", lambda side, name: create(name, -1, -1, assignments=[{"partition_index": 0, "broker_ids": [1]}]),
        {"timeout_ms": (10000,)}, again=True, label="assigned", only=(2, 7), then=(LOOK,)),
    Row("DeleteTopics", fresh(lambda name: {"topic_names": [name], "topics": [{"name": name}], "timeout_ms": 10000}),
        {"timeout_ms": (10000,)}, again=True),
    Row("CreatePartitions", fresh(lambda name: grow(name, 3)), {"timeout_ms": (10000,)}, again=True, then=(LOOK,)),
    Row("CreatePartitions", fresh(lambda name: grow(name, 3, [[1]])), {"timeout_ms": (10000,)}, again=True, label="assigned", only=(0, 3)),
    Row("DeleteRecords", fresh(lambda name: delete_records(name, (0, 0), (1, -1))), {"timeout_ms": (10000,)}, again=True),
    Row("ElectLeaders", lambda side, _: elect(0, ("sweep-fixed", [0, 1])), {"timeout_ms": (10000,)}),
    Row("AlterPartitionReassignments", lambda side, _: reassign("sweep-fixed", (0, [1]), (1, None)), {"timeout_ms": (10000,)}),
    Row("AlterReplicaLogDirs", lambda side, _: {"dirs": [{"path": "/nowhere", "topics": [{"name": "sweep-fixed", "partitions": [0]}]}]}),
    Row("DescribeConfigs", lambda side, _: describe(TOPIC, "sweep-fixed", ["retention.ms", "cleanup.policy"])),
    Row("DescribeConfigs", lambda side, _: describe(BROKER, "1", ["log.retention.ms", "num.partitions"]), label="a broker"),
    Row("AlterConfigs", lambda side, _: replace(TOPIC, "sweep-fixed", ("retention.ms", "100000"), validate_only=True), {
        "validate_only": (True,)}),
    Row("IncrementalAlterConfigs", lambda side, _: alter(TOPIC, "sweep-fixed", (SET, "retention.ms", "100000"), validate_only=True), {
        "validate_only": (True,)}),
    Row("IncrementalAlterConfigs", lambda side, _: alter(TOPIC, "sweep-fixed", (APPEND, "cleanup.policy", "compact"), validate_only=True), {
        "validate_only": (True,)}, label="a list"),
    Row("ListConfigResources", lambda side, _: {"resource_types": [2]}, {"resource_types": ([1], [2, 2], [4], [8], [16], [32], [-1], [127], [0])}),
]
