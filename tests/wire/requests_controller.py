"""Right requests of what brokers and administrators ask on the controllers' listener, of a controller that has three brokers. They
are registered once; their sessions last longer than the test."""
import uuid

from bodies_admin import SET, TOPIC, alter, elect, reassign
from fake_brokers import FEATURES, directory
from harness.metadata_log import TOPIC as METADATA, TOPIC_ID as METADATA_ID, MetadataLog
from pair import Row

PROPERTIES = {"broker.session.timeout.ms": "3600000", "metadata.max.idle.interval.ms": "0", "auto.leader.rebalance.enable": "false",
              "metadata.log.max.record.bytes.between.snapshots": "2000"}
BROKERS, SPARE = (1, 2, 3), 4
SHORT = {"timeout_ms": (10000,)}
# Apache Kafka's controller takes others into its log, and stops when it reads them there.
READABLE = {"name": ("A", "metadata.version"), "host": ("a", "::1"), "port": (1, 9092, 65535), "security_protocol": (0, 1, 2, 3), "min_supported_version": (0, 7, 8, 33),
            "max_supported_version": (33, 32, 7)}
EPOCHS = {"broker_epoch"}


def registration(side, number, incarnation=1):
    return {"broker_id": number, "cluster_id": side.known["cluster"], "incarnation_id": uuid.UUID(int=(number << 64) + incarnation),
            "listeners": [{"name": "PLAINTEXT", "host": "127.0.0.1", "port": 9000 + number, "security_protocol": 0}],
            "features": FEATURES, "rack": None, "log_dirs": [directory(1000 + number), directory(2000 + number)], "previous_broker_epoch": -1}


def register(side, number):
    answer = side.prepare("BrokerRegistration", 4, registration(side, number))
    assert answer["error_code"] == 0, answer
    return answer["broker_epoch"]


def heartbeat(side, number):
    return {"broker_id": number, "broker_epoch": side.known["epochs"][number], "current_metadata_offset": 1 << 40}


def create(side, name, *rows):
    answer = side.prepare("CreateTopics", 7, {"timeout_ms": 10000, "topics": [{
        "name": name, "num_partitions": -1, "replication_factor": -1,
        "assignments": [{"partition_index": i, "broker_ids": row} for i, row in enumerate(rows)]}]})
    assert answer["topics"][0]["error_code"] == 0, answer
    return answer["topics"][0]["topic_id"]


def prepare(side):
    side.known["cluster"] = side.prepare("DescribeCluster", 1, {"endpoint_type": 2})["cluster_id"]
    side.known["epochs"] = {b: register(side, b) for b in BROKERS}
    side.known["epochs"][SPARE] = register(side, SPARE)
    for b in BROKERS:
        assert not side.prepare("BrokerHeartbeat", 2, heartbeat(side, b))["is_fenced"]
    side.known["one"] = create(side, "sweep-one", [1, 2, 3], [2, 3, 1])
    side.known["log"] = MetadataLog(side.connect())
    assert image(side).partition("sweep-one", 1), image(side).topics


def image(side):
    side.known["log"].follow()
    return side.known["log"].image


def isr(side, _):
    """With the epochs that the partition has now."""
    p = image(side).partition("sweep-one", 1)
    epochs = side.known["epochs"]
    return {"broker_id": p.leader, "broker_epoch": epochs[p.leader], "topics": [{"topic_id": side.known["one"], "partitions": [{
        "partition_index": 1, "leader_epoch": p.leader_epoch, "new_isr": [2, 3], "leader_recovery_state": 0, "partition_epoch": p.epoch,
        "new_isr_with_epochs": [{"broker_id": b, "broker_epoch": epochs[b]} for b in (2, 3)]}]}]}


def assign(side, _):
    return {"broker_id": 1, "broker_epoch": side.known["epochs"][1], "directories": [{"id": directory(2001), "topics": [
        {"topic_id": side.known["one"], "partitions": [{"partition_index": 0}]}]}]}


def unregistration(side, name):
    side.known["spares"] = side.known.get("spares", 100) + 1
    register(side, side.known["spares"])
    return {"broker_id": side.known["spares"]}


def controller(side, _):
    return {"controller_id": 3001, "incarnation_id": uuid.UUID(int=3001 << 64), "features": FEATURES, "zk_migration_ready": False,
            "listeners": [{"name": "CONTROLLER", "host": "127.0.0.1", "port": 9393, "security_protocol": 0}]}


def fetch(side, _):
    log = image(side) and side.known["log"]
    return {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 1 << 20, "cluster_id": None, "replica_state": {"replica_id": 1}, "topics": [{
        "topic": METADATA, "topic_id": METADATA_ID, "partitions": [{
            "partition": 0, "current_leader_epoch": 1, "fetch_offset": log.next, "last_fetched_epoch": 1, "partition_max_bytes": 1 << 20}]}]}


ROWS = [
    Row("ApiVersions", lambda side, _: {"client_software_name": "raw", "client_software_version": "1"}, plain=True),
    Row("DescribeQuorum", lambda side, _: {"topics": [{"topic_name": METADATA, "partitions": [{"partition_index": 0}]}]}),
    # Before there are snapshots: which one is offered depends on the moment.
    Row("Fetch", fetch, {"max_wait_ms": (-1, 0, 1, 100)}, again=True, unequal={"records", "high_watermark", "end_offset"}),
    Row("BrokerRegistration", lambda side, _: registration(side, SPARE), READABLE, unequal=EPOCHS),
    Row("BrokerHeartbeat", lambda side, _: heartbeat(side, 3)),
    Row("BrokerHeartbeat", lambda side, _: heartbeat(side, SPARE), label="of a spare"),
    Row("BrokerHeartbeat", lambda side, _: heartbeat(side, 3), label="to be unfenced", plain=True),
    Row("AlterPartition", isr, {"leader_recovery_state": (0, 1)}, again=True),  # others stop Kafka
    Row("AssignReplicasToDirs", assign),
    Row("AllocateProducerIds", lambda side, _: {"broker_id": 1, "broker_epoch": side.known["epochs"][1]}),
    Row("DescribeCluster", lambda side, _: {"endpoint_type": 2}),
    Row("ControllerRegistration", controller, READABLE),
    Row("UnregisterController", lambda side, _: {"controller_id": 3001}),
    Row("CreateTopics", lambda side, name: {"timeout_ms": 10000, "topics": [{
        "name": name, "num_partitions": -1, "replication_factor": -1, "assignments": [{"partition_index": 0, "broker_ids": [1, 2]}],
        "configs": [{"name": "retention.ms", "value": "100000"}]}]}, SHORT, again=True),
    Row("ListPartitionReassignments", lambda side, _: {"timeout_ms": 10000, "topics": [{"name": "sweep-one", "partition_indexes": [0, 1]}]}),
    Row("AlterPartitionReassignments", lambda side, _: reassign("sweep-one", (0, [1, 3]), (1, None)), SHORT),
    Row("ListPartitionReassignments", lambda side, _: {"timeout_ms": 10000, "topics": None}, label="one is moving", plain=True),
    Row("ElectLeaders", lambda side, _: elect(0, ("sweep-one", [0, 1])), SHORT),
    Row("CreatePartitions", lambda side, name: create(side, name, [1, 2]) and {"timeout_ms": 10000, "topics": [
        {"name": name, "count": 2, "assignments": [{"broker_ids": [2, 1]}]}]}, SHORT, again=True),
    Row("IncrementalAlterConfigs", lambda side, _: alter(TOPIC, "sweep-one", (SET, "retention.ms", "100000")),
        {"config_operation": (0, 1, 2, 3)}),  # others stop Kafka
    Row("DeleteTopics", lambda side, name: create(side, name, [1]) and {
        "topic_names": [name], "topics": [{"name": name}], "timeout_ms": 10000}, SHORT, again=True),
    Row("UnregisterBroker", unregistration, again=True),
]
