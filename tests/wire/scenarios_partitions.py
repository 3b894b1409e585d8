"""Partitions and their replicas: CreatePartitions, ElectLeaders, reassignments, DeleteRecords, log directories."""
from bodies import list_offsets, produce
from bodies_admin import delete_records, elect, grow, reassign
from harness.batches import batch
from recording import scenario


@scenario()
def create_partitions(s):
    for version in range(4):
        name = f"grow-{version}"
        s.topic(name, 2)
        s.call("more", "CreatePartitions", version, grow(name, 3))
        s.until_led(name, 3)
        s.call("as many", "CreatePartitions", version, grow(name, 3))
        s.call("fewer", "CreatePartitions", version, grow(name, 2))
        s.call("none", "CreatePartitions", version, grow(name, 0))
        s.call("negative", "CreatePartitions", version, grow(name, -1))
        s.call("only validated", "CreatePartitions", version, grow(name, 5, validate_only=True))
        s.call("assigned", "CreatePartitions", version, grow(name, 5, [[1], [1]]))
        s.until_led(name, 5)
        s.call("too few assignments", "CreatePartitions", version, grow(name, 7, [[1]]))
        s.call("no assignments", "CreatePartitions", version, grow(name, 7, []))
        s.call("assigned to nobody", "CreatePartitions", version, grow(name, 6, [[]]))
        s.call("assigned to an unknown broker", "CreatePartitions", version, grow(name, 6, [[9]]))
        s.call("assigned twice", "CreatePartitions", version, grow(name, 6, [[1, 1]]))
        s.call("an unknown topic", "CreatePartitions", version, grow(name + "-none", 6))
        s.call("what is there", "Metadata", 12, {"topics": [{"name": name}]})
    s.topic("grow-a")
    for name in ("", "..", "b" * 250):
        s.call(f"name {name[:20]!r}", "CreatePartitions", 3, grow(name, 3))
    two = grow("grow-a", 2)
    two["topics"] = two["topics"] * 2 + grow("grow-3", 6, validate_only=True)["topics"]
    s.call("a topic twice", "CreatePartitions", 3, {**two, "validate_only": True})
    s.call("no topics", "CreatePartitions", 3, {"topics": [], "timeout_ms": 30000})
    s.call("no time", "CreatePartitions", 3, grow("grow-a", 3, timeout_ms=0))
    s.call("less than no time", "CreatePartitions", 3, grow("grow-a", 3, timeout_ms=-1))
    s.call("very many", "CreatePartitions", 3, grow("grow-a", 20000))
    s.call("more than a number can be", "CreatePartitions", 3, grow("grow-a", 2147483647))


@scenario()
def elect_leaders(s):
    s.topic("elect", 2)
    for version in range(3):
        for kind in (0, 1, 2, -1):
            s.call(f"kind {kind}", "ElectLeaders", version, elect(kind, ("elect", [0, 1])))
        s.call("an unknown partition", "ElectLeaders", version, elect(0, ("elect", [2, -1, 0])))
        s.call("an unknown topic", "ElectLeaders", version, elect(0, ("elect-none", [0])))
        s.call("an illegal topic", "ElectLeaders", version, elect(0, ("..", [0]), ("", [0])))
        s.call("a topic without partitions", "ElectLeaders", version, elect(0, ("elect", [])))
        s.call("no topics", "ElectLeaders", version, {"election_type": 0, "timeout_ms": 30000, "topic_partitions": []})
        for kind in (0, 1):
            answer = s.prepare("ElectLeaders", version, elect(kind))
            answer["replica_election_results"] = [r for r in answer["replica_election_results"] if r["topic"] == "elect"]
            s.note(f"all of the cluster, kind {kind} v{version}", answer)
        s.call("a partition twice", "ElectLeaders", version, elect(0, ("elect", [0, 0])))
        s.call("no time", "ElectLeaders", version, elect(0, ("elect", [0]), timeout_ms=0))
        s.call("less than no time", "ElectLeaders", version, elect(0, ("elect", [0]), timeout_ms=-1))


@scenario()
def reassignments(s):
    s.topic("reassign", 2)
    for version in range(2):
        s.call("to where it is", "AlterPartitionReassignments", version, reassign("reassign", (0, [1])))
        s.call("nowhere: cancel", "AlterPartitionReassignments", version, reassign("reassign", (0, None)))
        s.call("to nobody", "AlterPartitionReassignments", version, reassign("reassign", (0, [])))
        s.call("to an unknown broker", "AlterPartitionReassignments", version, reassign("reassign", (0, [7])))
        s.call("to one more, unknown", "AlterPartitionReassignments", version, reassign("reassign", (0, [1, 7])))
        s.call("to one more, the number fixed", "AlterPartitionReassignments", version,
               reassign("reassign", (0, [1, 7]), (1, [1]), change_factor=False))
        s.call("to nobody, the number fixed", "AlterPartitionReassignments", version, reassign("reassign", (0, []), change_factor=False))
        s.call("twice to one", "AlterPartitionReassignments", version, reassign("reassign", (0, [1, 1])))
        s.call("to a negative broker", "AlterPartitionReassignments", version, reassign("reassign", (0, [-1])))
        s.call("unknown partitions", "AlterPartitionReassignments", version, reassign("reassign", (2, [1]), (-1, [1]), (0, [1])))
        s.call("an unknown topic", "AlterPartitionReassignments", version, reassign("reassign-none", (0, [1]), (1, None)))
        s.call("an illegal topic", "AlterPartitionReassignments", version, reassign("..", (0, [1])))
        s.call("a topic without partitions", "AlterPartitionReassignments", version, reassign("reassign"))
        s.call("a partition twice", "AlterPartitionReassignments", version, reassign("reassign", (0, [1]), (0, None)))
        s.call("no topics", "AlterPartitionReassignments", version, {"timeout_ms": 30000, "topics": []})
        s.call("no time", "AlterPartitionReassignments", version, reassign("reassign", (0, [1]), timeout_ms=0))
    for label, topics in (("all", None), ("none", []), ("one", [{"name": "reassign", "partition_indexes": [0, 1]}]),
                          ("unknown ones", [{"name": "reassign-none", "partition_indexes": [0]}, {"name": "reassign", "partition_indexes": [7]}]),
                          ("no partitions", [{"name": "reassign", "partition_indexes": []}])):
        s.call(f"listed: {label}", "ListPartitionReassignments", 0, {"timeout_ms": 30000, "topics": topics})
    s.call("listed in no time", "ListPartitionReassignments", 0, {"timeout_ms": 0, "topics": None})


@scenario()
def delete_some_records(s):
    s.topic("delete-records", 2)
    for _ in range(3):
        s.prepare("Produce", 9, produce("delete-records", batch([b"a"] * 4, s.base_time)))
    offset = 1
    for version in range(3):
        s.call("one", "DeleteRecords", version, delete_records("delete-records", (0, offset)))
        s.call("the same", "DeleteRecords", version, delete_records("delete-records", (0, offset)))
        s.call("below the start", "DeleteRecords", version, delete_records("delete-records", (0, offset - 1)))
        s.call("beyond the end", "DeleteRecords", version, delete_records("delete-records", (0, 13)))
        s.call("negative", "DeleteRecords", version, delete_records("delete-records", (0, -2)))
        s.call("of an empty partition", "DeleteRecords", version, delete_records("delete-records", (1, 0), (1, -1)))
        s.call("unknown partitions", "DeleteRecords", version, delete_records("delete-records", (2, 0), (-1, 0)))
        s.call("an unknown topic", "DeleteRecords", version, delete_records("delete-records-none", (0, 0)))
        s.call("an illegal topic", "DeleteRecords", version, delete_records("..", (0, 0)))
        s.call("no partitions", "DeleteRecords", version, delete_records("delete-records"))
        s.call("no topics", "DeleteRecords", version, {"timeout_ms": 30000, "topics": []})
        s.call("in no time", "DeleteRecords", version, delete_records("delete-records", (0, offset + 1), timeout_ms=0))
        s.call("in less than no time", "DeleteRecords", version, delete_records("delete-records", (0, offset + 1), timeout_ms=-1))
        for label, timestamp in (("the start", -2), ("the end", -1), ("the first by time", 0)):
            s.call(label, "ListOffsets", 7, list_offsets("delete-records", timestamp))
        offset += 3
    s.call("a topic twice", "DeleteRecords", 2, {"timeout_ms": 30000, "topics": [
        {"name": "delete-records", "partitions": [{"partition_index": 0, "offset": 9}]},
        {"name": "delete-records", "partitions": [{"partition_index": 0, "offset": 10}]}]})
    s.call("all", "DeleteRecords", 2, delete_records("delete-records", (0, -1)))
    s.call("the start", "ListOffsets", 7, list_offsets("delete-records", -2))
    s.topic("delete-records-compacted", cleanup_policy="compact")
    s.prepare("Produce", 9, produce("delete-records-compacted", batch([b"a"] * 4, s.base_time, key=b"k")))
    s.call("of a compacted topic", "DeleteRecords", 2, delete_records("delete-records-compacted", (0, 2)))
    s.topic("delete-records-both", cleanup_policy="compact,delete")
    s.prepare("Produce", 9, produce("delete-records-both", batch([b"a"] * 4, s.base_time, key=b"k")))
    s.call("of one that is compacted and deleted", "DeleteRecords", 2, delete_records("delete-records-both", (0, 2)))
    s.call("where a batch begins after the start", "Produce", 9, produce("delete-records", batch([b"b"], s.base_time)))


@scenario()
def log_directories(s):
    s.topic("log-dirs", 2)
    s.prepare("Produce", 9, produce("log-dirs", batch([b"a"] * 4, s.base_time)))

    def asked(label, version, topics):
        answer = s.prepare("DescribeLogDirs", version, {"topics": topics})
        for row in answer["results"]:
            for key in ("total_bytes", "usable_bytes"):
                if row.get(key, -1) > 0:
                    row[key] = 1
            row["topics"] = sorted((t for t in row["topics"] if t["name"].startswith("log-dirs")), key=lambda t: t["name"])
            for t in row["topics"]:
                t["partitions"].sort(key=lambda p: p["partition_index"])
        s.note(f"{label} v{version}", answer)
    for version in range(1, 6):
        asked("all", version, None)
        asked("none", version, [])
        asked("some", version, [{"topic": "log-dirs", "partitions": [0]}])
        asked("unknown ones", version, [{"topic": "log-dirs-none", "partitions": [0]}, {"topic": "log-dirs", "partitions": [7, -1]}])
        asked("no partitions", version, [{"topic": "log-dirs", "partitions": []}])
    data = str(s.broker.data)
    for version in (1, 2):
        for label, path, topic, partitions in (
                ("where it is", data, "log-dirs", [0, 1]), ("to an unknown directory", data + "-none", "log-dirs", [0]),
                ("to a relative path", "data", "log-dirs", [0]), ("to nowhere", "", "log-dirs", [0]),
                ("an unknown partition", data, "log-dirs", [7, -1]), ("an unknown topic", data, "log-dirs-none", [0]),
                ("an illegal topic", data, "..", [0]), ("no partitions", data, "log-dirs", [])):
            s.call(f"moved: {label}", "AlterReplicaLogDirs", version,
                   {"dirs": [{"path": path, "topics": [{"name": topic, "partitions": partitions}]}]})
        s.call("moved: nothing", "AlterReplicaLogDirs", version, {"dirs": []})


@scenario()
def describe_producers(s):
    s.topic("producers", 2)
    producer = s.producer_id()
    s.prepare("Produce", 9, produce("producers", batch([b"a", b"b"], s.base_time, producer_id=producer, producer_epoch=0, base_sequence=0)))
    s.prepare("Produce", 9, produce("producers", batch([b"c"], s.base_time, producer_id=producer, producer_epoch=0, base_sequence=2)))

    def asked(label, *topics):
        s.call(label, "DescribeProducers", 0, {"topics": [{"name": t, "partition_indexes": p} for t, p in topics]})
    asked("one", ("producers", [0]))
    asked("none yet", ("producers", [1]))
    asked("unknown partitions", ("producers", [2, -1]))
    asked("an unknown topic", ("producers-none", [0]))
    asked("an illegal topic", ("..", [0]))
    asked("no partitions", ("producers", []))
    asked("no topics")
