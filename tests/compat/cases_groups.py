"""Groups: real consumers that come, go and come back; directories with groups that go from hand to hand."""
import pathlib
import struct
import time

import rdkafka
from cases_kafka_tools import tool
from cases_kcat import kcat, send
from harness.cases import case
from harness.client import Connection, call
from harness.processes import run
from harness.waiting import wait_until
from kafka import kafka

GROUPS = pathlib.Path(__file__).resolve().parent / "java" / "Groups.java"
QUICK = {"group.initial.rebalance.delay.ms": "0"}


def coordinator(broker, group):
    def there():
        return call(broker.port, "FindCoordinator", 3, {"key": group, "key_type": 0})["error_code"] == 0
    wait_until(there, 60, "the coordinator")


def committed(broker, group, topic, partitions):
    """Offsets by partition, once the coordinator has loaded the group; -1: none."""
    coordinator(broker, group)

    def answer():
        got = call(broker.port, "OffsetFetch", 7, {"group_id": group, "topics": [
            {"name": topic, "partition_indexes": list(range(partitions))}], "require_stable": True})
        assert got["error_code"] in (0, 14, 16), got
        return got if got["error_code"] == 0 else None
    return {p["partition_index"]: p["committed_offset"] for p in wait_until(answer, 60, "the offsets")["topics"][0]["partitions"]}


def consume(context, broker, topic, count, group, **options):
    """Reads `count` messages with kcat as a member of the group; kcat commits when it leaves."""
    settings = [word for k, v in {"auto.offset.reset": "earliest", **options}.items() for word in ("-X", f"{k}={v}")]
    return kcat(broker, "-q", "-c", str(count), *settings, "-f", "%p %o %s\\n", "-G", group, topic).stdout.splitlines()


@case()
def kcat_group_resumes(context):
    broker = context.new_broker(QUICK).start()
    topic = context.topic()
    send(broker, topic, [f"line-{n}" for n in range(100)])
    assert consume(context, broker, topic, 60, "readers") == [f"0 {n} line-{n}" for n in range(60)]
    assert committed(broker, "readers", topic, 1) == {0: 60}
    broker.stop()
    broker.start()
    assert consume(context, broker, topic, 20, "readers") == [f"0 {n} line-{n}" for n in range(60, 80)]
    broker.kill9()
    broker.start()
    assert consume(context, broker, topic, 20, "readers") == [f"0 {n} line-{n}" for n in range(80, 100)]
    assert committed(broker, "readers", topic, 1) == {0: 100}


@case(within=200)
def group_of_500_members(context):
    """From the last JoinGroup to the last SyncGroup's answer: at most a second."""
    broker = context.new_broker({"group.initial.rebalance.delay.ms": "3000"}).start()
    coordinator(broker, "many")
    wait_until(lambda: call(broker.port, "DescribeGroups", 0, {"groups": ["many"]})["groups"][0]["error_code"] == 0, 30, "the group")
    metadata = struct.pack(">hih", 1, 1, 6) + b"orders" + struct.pack(">ii", -1, 0)
    members = [Connection(broker.port, 60) for _ in range(500)]
    body = {"group_id": "many", "session_timeout_ms": 60000, "rebalance_timeout_ms": 60000, "member_id": "", "protocol_type": "consumer",
            "protocols": [{"name": "range", "metadata": metadata}]}
    for m in members:
        m.send("JoinGroup", 3, body)
    joined = [m.receive() for m in members]  # the first generation is of those who came in time; another one takes in all
    began = 0
    while True:
        assert {j["error_code"] for j in joined} == {0}, joined[0]
        generation = max(j["generation_id"] for j in joined)
        leader = joined[0]["leader"]
        if all(j["generation_id"] == generation for j in joined) and any(len(j["members"]) == 500 for j in joined):
            break
        for m, j in zip(members, joined):
            m.send("JoinGroup", 3, {**body, "member_id": j["member_id"]})
        joined = [m.receive() for m in members]
    # A leader that joins anew makes everybody join anew: this is the rebalance that is timed.
    for m, j in sorted(zip(members, joined), key=lambda x: x[1]["member_id"] != leader):
        m.send("JoinGroup", 3, {**body, "member_id": j["member_id"], "protocols": [{"name": "range", "metadata": metadata + b"2"}]})
        began = time.monotonic()
    joined = [m.receive() for m in members]
    leader = joined[0]["leader"]
    for m, j in zip(members, joined):
        assignments = [{"member_id": x["member_id"], "assignment": x["member_id"].encode()} for x in j["members"]]
        m.send("SyncGroup", 3, {"group_id": "many", "generation_id": j["generation_id"], "member_id": j["member_id"], "assignments": assignments})
    for m, j in zip(members, joined):
        assert m.receive()["assignment"] == j["member_id"].encode()
    took = time.monotonic() - began
    print(f"  500 members: {took * 1000:.0f} ms")
    assert took < 1 or broker.kind != "moldau", f"{took} s"


@case(full=True, within=400)
def java_groups_walk(context):
    broker = context.new_broker(QUICK).start()
    done = run(kafka.java(str(GROUPS), ["walk", broker.bootstrap, context.name + "-"]), within=300)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("ok"), (done.stdout + done.stderr)[-3000:]


@case(full=True, within=300)
def tool_consumer_groups(context):
    broker = context.broker
    server = ("--bootstrap-server", broker.bootstrap)
    topic, group = context.topic(), context.name
    rdkafka.create(broker, topic, 1)
    send(broker, topic, [f"line-{n}" for n in range(50)])
    consume(context, broker, topic, 30, group)
    assert group in tool("consumer-groups", *server, "--list").split()
    shown = tool("consumer-groups", *server, "--list", "--state")
    assert any(line.split()[:1] == [group] and "Empty" in line for line in shown.splitlines()), shown
    shown = tool("consumer-groups", *server, "--describe", "--group", group)
    assert any(line.split()[:6] == [group, topic, "0", "30", "50", "20"] for line in shown.splitlines()), shown
    tool("consumer-groups", *server, "--describe", "--group", group, "--state")
    tool("consumer-groups", *server, "--describe", "--group", group, "--members")
    tool("consumer-groups", *server, "--group", group, "--reset-offsets", "--to-offset", 10, "--topic", topic, "--execute")
    assert committed(broker, group, topic, 1) == {0: 10}
    tool("consumer-groups", *server, "--group", group, "--delete-offsets", "--topic", topic)
    assert committed(broker, group, topic, 1) == {0: -1}
    tool("consumer-groups", *server, "--delete", "--group", group)
    assert group not in tool("consumer-groups", *server, "--list").split()


@case(full=True, within=400)
def groups_go_from_hand_to_hand(context):
    """Moldau, Apache Kafka, Moldau, Apache Kafka on one directory: each goes on where the one before stopped."""
    topic, group = context.topic(), context.name
    first = context.new_broker(QUICK, kind="moldau")
    for number, kind in enumerate(("moldau", "kafka", "moldau", "kafka")):
        broker = context.new_broker(kind=kind)
        broker.properties, broker.data, broker.port, broker.controller_port = first.properties, first.data, first.port, first.controller_port
        broker.start()
        if number == 0:
            send(broker, topic, [f"line-{n}" for n in range(400)])
            coordinator(broker, group)
        wait_until(lambda b=broker: call(b.port, "DescribeGroups", 0, {"groups": [group]})["groups"][0]["error_code"] == 0, 60, "the group")
        got = consume(context, broker, topic, 100, group)
        assert got == [f"0 {n} line-{n}" for n in range(number * 100, number * 100 + 100)], (kind, got[:3])
        assert committed(broker, group, topic, 1) == {0: number * 100 + 100}
        broker.stop()
