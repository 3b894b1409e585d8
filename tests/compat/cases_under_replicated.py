"""Topics with fewer brokers than replicas (KIP-409), as clients, Kafka's tools and Kafka's own controller see them."""
import rdkafka
from cases_admin import metrics
from cases_directories import Handover
from cases_kafka_tools import tool
from harness.cases import case
from harness.client import call
from harness.waiting import wait_until

OPTION = "enable.under.replicated.topic.creation"


def create(broker, name, factor, version=7):
    answer = call(broker.port, "CreateTopics", version, {
        "topics": [{"name": name, "num_partitions": 1, "replication_factor": factor, "assignments": [], "configs": []}],
        "timeout_ms": 30000, "validate_only": False})["topics"][0]
    return answer


def partition(broker, name):
    """Replicas, ISR and offline replicas of its only one."""
    answer = call(broker.port, "Metadata", 12, {"topics": [{"name": name}], "allow_auto_topic_creation": False})["topics"][0]
    found = answer["partitions"][0]
    return found["replica_nodes"], found["isr_nodes"], found["offline_replicas"]


@case()
def s12_it_appears_under_replicated_until_it_has_its_replicas(context):
    broker = context.new_broker({OPTION: "true"}).start()
    name = context.topic()
    assert create(broker, name, 3)["error_code"] == 0
    wait_until(lambda: partition(broker, name) == ([1, -1, -2], [1], [-1, -2]), 30, "the placeholders to be shown")
    def gauges():
        seen = metrics(broker)
        return (seen["kafka_server_replicamanager_underreplicatedpartitions"],
                seen["kafka_server_replicamanager_underminisrpartitioncount"],
                seen["kafka_controller_kafkacontroller_offlinepartitionscount"],
                seen[f'kafka_topic_partition_under_replicated_partition{{topic="{name}",partition="0"}}'])
    wait_until(lambda: gauges() == (1, 0, 0, 1), 30, "the gauges to count it")
    rdkafka.produce_all(broker, name, [{"value": f"value-{n}"} for n in range(50)], enable_idempotence=True)  # acks=all
    assert len(rdkafka.read(broker, name, 50)) == 50
    answer = call(broker.port, "AlterPartitionReassignments", 0, {"timeout_ms": 30000, "topics": [
        {"name": name, "partitions": [{"partition_index": 0, "replicas": [1]}]}]})
    assert answer["responses"][0]["partitions"][0]["error_code"] == 0, answer
    wait_until(lambda: partition(broker, name) == ([1], [1], []), 30, "the placeholders to be gone")
    wait_until(lambda: gauges() == (0, 0, 0, 0), 30, "the gauges to forget it")


@case(full=True, within=400)
def s12_kafka_topics_lists_it(context):
    broker = context.new_broker({OPTION: "true"}).start()
    name, whole = context.topic(), context.topic("whole")
    assert create(broker, name, 3)["error_code"] == 0 and create(broker, whole, 1)["error_code"] == 0
    def listed(which):
        shown = tool("topics", "--bootstrap-server", broker.bootstrap, "--describe", f"--{which}")
        return [topic for topic in (name, whole) if f"Topic: {topic}\t" in shown]
    assert listed("under-replicated-partitions") == [name]
    assert listed("at-min-isr-partitions") == [name, whole]
    assert listed("under-min-isr-partitions") == listed("unavailable-partitions") == []
    shown = tool("topics", "--bootstrap-server", broker.bootstrap, "--describe", "--topic", name)
    assert "ReplicationFactor: 3" in shown and "Leader: 1" in shown and "Isr: 1" in shown, shown


@case(full=True, within=600)
def s18_kafka_takes_over_a_log_with_placeholders(context):
    """Its parser reads the records, its controller goes on from them, and we go on from what it has made of them."""
    handover = Handover(context, [context.options.broker])
    handover.properties[OPTION] = "true"  # Kafka says that it doesn't know it, and starts
    name, messages = context.topic(), [{"value": f"value-{n}"} for n in range(300)]
    broker = handover.node(context.options.broker).start()
    assert create(broker, name, 3)["error_code"] == 0
    rdkafka.produce_all(broker, name, messages)
    broker.stop()
    logs = sorted(str(p) for p in (handover.data / "__cluster_metadata-0").glob("*.log"))
    dumped = tool("dump-log", "--cluster-metadata-decoder", "--files", ",".join(logs))
    assert '"replicas":[1,-1,-2],"isr":[1]' in dumped, dumped[-2000:]

    broker = handover.node("kafka").start()
    wait_until(lambda: partition(broker, name)[:2] == ([1, -1, -2], [1]), 60, "Kafka to show the placeholders")
    rdkafka.produce_all(broker, name, messages)
    assert len(rdkafka.read(broker, name, 600)) == 600
    fresh = context.topic("of-kafka")
    assert create(broker, fresh, 1)["error_code"] == 0
    answer = call(broker.port, "AlterPartitionReassignments", 0, {"timeout_ms": 30000, "topics": [
        {"name": name, "partitions": [{"partition_index": 0, "replicas": [1]}]}]})
    assert answer["responses"][0]["partitions"][0]["error_code"] == 0, answer
    wait_until(lambda: partition(broker, name)[:2] == ([1], [1]), 60, "Kafka to drop the placeholders")
    broker.stop()

    broker = handover.node(context.options.broker).start()
    wait_until(lambda: partition(broker, name) == ([1], [1], []), 30, "us to read what Kafka has made of it")
    assert len(rdkafka.read(broker, name, 600)) == 600
    broker.stop()


@case()
def s20_requests_are_those_of_kafka(context):
    """With the option the same versions are advertised, and the same bytes get an answer of the same shape."""
    hello = {"client_software_name": "raw", "client_software_version": "1"}
    def versions(broker):
        return {k["api_key"]: (k["min_version"], k["max_version"]) for k in call(broker.port, "ApiVersions", 3, hello)["api_keys"]}
    broker = context.new_broker({OPTION: "true"}).start()
    assert versions(broker) == versions(context.broker)
    for version in range(2, 8):
        name = context.topic(f"v{version}")
        mine, usual = create(broker, name, 3, version), create(context.broker, name, 1, version)
        assert mine["error_code"] == usual["error_code"] == 0 and mine.keys() == usual.keys(), (mine, usual)
        if version >= 5:
            assert (mine["num_partitions"], mine["replication_factor"]) == (1, 3), mine
    for version in range(0, 4):
        def grow(node):
            return call(node.port, "CreatePartitions", version, {"topics": [
                {"name": context.topic("v2"), "count": 2 + version, "assignments": None}], "timeout_ms": 30000, "validate_only": False})
        mine, usual = grow(broker), grow(context.broker)
        assert mine["results"] == usual["results"] and mine["results"][0]["error_code"] == 0, (mine, usual)
