"""Topics and the cluster: ApiVersions, Metadata, CreateTopics, DeleteTopics, DescribeCluster, DescribeTopicPartitions."""
import uuid

from bodies import create
from recording import scenario

ODD_NAMES = ["", ".", "..", "a" * 249, "b" * 250, "with space", "sla/sh", "colon:x", "ünicode", "dots.and_under", "trailing\n",
             "__consumer_offsets-like", "-dash"]


@scenario()
def api_versions(s):
    for version in range(6):
        answer = s.prepare("ApiVersions", version, {"client_software_name": "raw", "client_software_version": "1"})
        s.note(f"v{version}", {k: v for k, v in answer.items() if k in ("error_code", "throttle_time_ms", "zk_migration_ready")})
    for name in ("", "-dash", "sp ace", "ok.name", "x" * 300):
        for software, number in ((name, "1"), ("raw", name)):
            answer = s.prepare("ApiVersions", 3, {"client_software_name": software, "client_software_version": number})
            s.note(f"software {software[:20]!r} {number[:20]!r}", [answer["error_code"], len(answer["api_keys"]) > 0])
    mine = s.prepare("Metadata", 12, {"topics": []})["cluster_id"]
    for label, cluster, node in (("nobody", None, -1), ("this node", mine, 1), ("another node", mine, 7), ("another cluster", "another", 1),
                                 ("this cluster, no node", mine, -1), ("another cluster, no node", "another", -1), ("no cluster", None, 1)):
        answer = s.prepare("ApiVersions", 5, {"client_software_name": "raw", "client_software_version": "1",
                                              "cluster_id": cluster, "node_id": node})
        s.note(f"meant for {label}", [answer["error_code"], len(answer["api_keys"]) > 0])


@scenario()
def metadata(s):
    topic_id = s.topic("metadata-one", partitions=3)
    for version in range(14):
        s.call("by name", "Metadata", version, {"topics": [{"name": "metadata-one"}]})
        s.call("unknown, no creation", "Metadata", max(version, 4),
               {"topics": [{"name": "metadata-unknown"}], "allow_auto_topic_creation": False})
        if version >= 1:
            s.call("no topics", "Metadata", version, {"topics": []})
        if version >= 8:
            s.call("with authorized operations", "Metadata", version, {
                "topics": [{"name": "metadata-one"}], "include_cluster_authorized_operations": True,
                "include_topic_authorized_operations": True})
        if version >= 10:
            s.call("by id", "Metadata", version, {"topics": [{"name": None, "topic_id": topic_id}]})
            s.call("unknown id", "Metadata", version, {"topics": [{"name": None, "topic_id": uuid.UUID(int=77)}]})
            s.call("neither name nor id", "Metadata", version, {"topics": [{"name": None}]})
            s.call("name and id", "Metadata", version, {"topics": [{"name": "metadata-one", "topic_id": topic_id}]})
    s.call("twice the same", "Metadata", 12, {"topics": [{"name": "metadata-one"}, {"name": "metadata-one"}]})
    for name in ODD_NAMES:
        s.call(f"name {name[:20]!r}, no creation", "Metadata", 12,
               {"topics": [{"name": name}], "allow_auto_topic_creation": False})
        if name not in ("a" * 249, "dots.and_under", "-dash", "__consumer_offsets-like"):
            s.call(f"name {name[:20]!r}, creation", "Metadata", 12, {"topics": [{"name": name}]})


@scenario()
def metadata_of_all_topics(s):
    s.topic("metadata-all-one", partitions=2)
    s.topic("metadata-all-two")
    for version in (0, 1, 5, 9, 12):
        answer = s.prepare("Metadata", version, {"topics": None if version else []})
        answer["topics"] = sorted((t for t in answer["topics"] if t["name"].startswith("metadata-all")), key=lambda t: t["name"])
        for t in answer["topics"]:
            t["partitions"].sort(key=lambda p: p["partition_index"])
        s.note(f"all topics v{version}", answer)


@scenario()
def auto_creation(s):
    for version in (0, 1, 3, 4, 9, 13):
        name = f"auto-created-{version}"
        first = s.prepare("Metadata", version, {"topics": [{"name": name}], "allow_auto_topic_creation": True})
        assert first["topics"][0]["error_code"] in (0, 3, 5), first  # Apache Kafka creates it behind the answer's back
        s.until_led(name)
        answer = s.prepare("Metadata", 12, {"topics": [{"name": name}]})
        s.note(f"{name} afterwards", answer)


@scenario()
def create_topics(s):
    for version in range(2, 8):
        name = f"create-{version}"
        s.call("one", "CreateTopics", version, create(name, 2))
        s.call("again", "CreateTopics", version, create(name, 2))
        s.call("only validated", "CreateTopics", version, create(name + "-v", 2, validate_only=True))
        s.call("no partitions", "CreateTopics", version, create(name + "-0", 0))
        s.call("negative partitions", "CreateTopics", version, create(name + "-n", -2))
        s.call("no replicas", "CreateTopics", version, create(name + "-r0", 1, 0))
        s.call("too many replicas", "CreateTopics", version, create(name + "-r2", 1, 2))
        s.call("with settings", "CreateTopics", version,
               create(name + "-c", 1, 1, [("retention.ms", "1000000"), ("cleanup.policy", "compact")]))
        s.call("assigned", "CreateTopics", version,
               create(name + "-a", -1, -1, assignments=[{"partition_index": 0, "broker_ids": [1]}, {"partition_index": 1, "broker_ids": [1]}]))
        s.call("assigned with a gap", "CreateTopics", version,
               create(name + "-g", -1, -1, assignments=[{"partition_index": 0, "broker_ids": [1]}, {"partition_index": 2, "broker_ids": [1]}]))
        s.call("assigned to an unknown broker", "CreateTopics", version,
               create(name + "-u", -1, -1, assignments=[{"partition_index": 0, "broker_ids": [9]}]))
        s.call("assigned twice to one broker", "CreateTopics", version,
               create(name + "-t", -1, -1, assignments=[{"partition_index": 0, "broker_ids": [1, 1]}]))
        s.call("assigned to nobody", "CreateTopics", version,
               create(name + "-e", -1, -1, assignments=[{"partition_index": 0, "broker_ids": []}]))
        s.call("assigned and counted", "CreateTopics", version,
               create(name + "-ac", 1, 1, assignments=[{"partition_index": 0, "broker_ids": [1]}]))
    for version in (4, 5, 7):
        s.call("default counts", "CreateTopics", version, create(f"create-default-{version}", -1, -1))
    for key, value in (("retention.ms", "abc"), ("no.such.key", "1"), ("cleanup.policy", "delete,unknown"), ("retention.ms", None),
                       ("segment.bytes", "1"), ("compression.type", "brotli"), ("min.insync.replicas", "0"), ("", "1")):
        s.call(f"setting {key}={value}", "CreateTopics", 7, create("create-bad-setting", 1, 1, [(key, value)]))
    s.call("a name twice", "CreateTopics", 7, {"timeout_ms": 30000, "topics": [
        {"name": "create-twice", "num_partitions": 1, "replication_factor": 1}] * 2 + [
        {"name": "create-beside", "num_partitions": 1, "replication_factor": 1}]})
    s.call("none", "CreateTopics", 7, {"topics": [], "timeout_ms": 30000})
    s.call("the cluster's metadata", "CreateTopics", 7, create("__cluster_metadata"))


@scenario()
def create_topics_with_odd_names(s):
    for name in ODD_NAMES:
        s.call(f"name {name[:20]!r}", "CreateTopics", 7, create(name))
    s.call("colliding", "CreateTopics", 7, create("dots_and.under"))


@scenario()
def delete_topics(s):
    for version in range(1, 7):
        name, unknown = f"delete-{version}", f"delete-unknown-{version}"
        s.topic(name, 2)
        s.call("one and an unknown one", "DeleteTopics", version, {
            "topic_names": [name, unknown], "topics": [{"name": name}, {"name": unknown}], "timeout_ms": 30000})
        s.until_gone(name)
        s.call("again", "DeleteTopics", version, {"topic_names": [name], "topics": [{"name": name}], "timeout_ms": 30000})
    topic_id = s.topic("delete-by-id")
    s.call("by id and name", "DeleteTopics", 6, {"topics": [{"name": "delete-by-id", "topic_id": topic_id}], "timeout_ms": 30000})
    s.call("by neither", "DeleteTopics", 6, {"topics": [{"name": None}], "timeout_ms": 30000})
    s.call("by unknown id", "DeleteTopics", 6, {"topics": [{"name": None, "topic_id": uuid.UUID(int=78)}], "timeout_ms": 30000})
    s.call("by id", "DeleteTopics", 6, {"topics": [{"name": None, "topic_id": topic_id}], "timeout_ms": 30000})
    s.until_gone("delete-by-id")
    s.topic("delete-by-id")
    s.call("the id of an earlier one of that name", "DeleteTopics", 6,
           {"topics": [{"name": None, "topic_id": topic_id}], "timeout_ms": 30000})
    s.call("twice in one request", "DeleteTopics", 6, {"topics": [{"name": "delete-by-id"}] * 2, "timeout_ms": 30000})
    s.call("none", "DeleteTopics", 6, {"topics": [], "timeout_ms": 30000})


@scenario()
def describe_cluster(s):
    for version in range(3):
        s.call("brokers", "DescribeCluster", version, {})
        s.call("with operations", "DescribeCluster", version, {"include_cluster_authorized_operations": True})
        s.call("with fenced", "DescribeCluster", version, {"include_fenced_brokers": True})
    s.call("controllers asked of a broker", "DescribeCluster", 1, {"endpoint_type": 2})
    s.call("unknown endpoint type", "DescribeCluster", 1, {"endpoint_type": 9})


@scenario()
def describe_topic_partitions(s):
    s.topic("dtp-a", 3)
    s.topic("dtp-b", 2)
    two = [{"name": "dtp-b"}, {"name": "dtp-a"}]
    s.call("two", "DescribeTopicPartitions", 0, {"topics": two})
    s.call("unknown", "DescribeTopicPartitions", 0, {"topics": [{"name": "dtp-none"}, {"name": ".."}]})
    s.call("limited", "DescribeTopicPartitions", 0, {"topics": two, "response_partition_limit": 2})
    s.call("from a cursor", "DescribeTopicPartitions", 0,
           {"topics": two, "response_partition_limit": 2, "cursor": {"topic_name": "dtp-a", "partition_index": 2}})
    s.call("cursor in a later topic", "DescribeTopicPartitions", 0,
           {"topics": two, "cursor": {"topic_name": "dtp-b", "partition_index": 1}})
    s.call("cursor in an unknown topic", "DescribeTopicPartitions", 0,
           {"topics": two, "cursor": {"topic_name": "dtp-aa", "partition_index": 0}})
    s.call("cursor past the end", "DescribeTopicPartitions", 0,
           {"topics": two, "cursor": {"topic_name": "dtp-a", "partition_index": 10}})
    s.call("negative cursor", "DescribeTopicPartitions", 0,
           {"topics": two, "cursor": {"topic_name": "dtp-a", "partition_index": -1}})
    s.call("no limit", "DescribeTopicPartitions", 0, {"topics": two, "response_partition_limit": 0})
    s.call("twice the same", "DescribeTopicPartitions", 0, {"topics": [{"name": "dtp-a"}, {"name": "dtp-a"}]})
