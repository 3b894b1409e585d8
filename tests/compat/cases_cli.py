"""The native commands, against the broker under test; what Moldau doesn't serve yet, against Apache Kafka."""
import json
import time

from harness.broker import MOLDAU
from harness.cases import case
from harness.processes import run
from harness.waiting import wait_until
from rdkafka import library


def moldau(broker, *arguments, input=None, check=True):
    return run([MOLDAU, *arguments, "--bootstrap-server", broker.bootstrap], input=input, check=check, within=60)


def answer(broker, *arguments, input=None):
    return json.loads(moldau(broker, *arguments, "--format", "json", input=input).stdout)


def lines(broker, *arguments):
    """Records, one JSON object each."""
    return [json.loads(line) for line in moldau(broker, "consume", *arguments, "--format", "json").stdout.splitlines()]


@case()
def cli_topics(context):
    broker, topic = context.broker, context.topic()
    assert answer(broker, "topic", "create", topic, "-p", "2", "-c", "retention.ms=12345")[0]["partitions"] == 2
    assert topic in [t["topic"] for t in answer(broker, "topic", "list")]
    described = answer(broker, "topic", "describe", topic)[0]
    assert described["configs"] == ["retention.ms=12345"], described
    assert [(p["partition"], p["leader"], p["isr"], p["end_offset"]) for p in described["partitions"]] == [(0, 1, [1], 0), (1, 1, [1], 0)]
    again = moldau(broker, "topic", "create", topic, check=False)
    assert again.returncode == 1 and "TOPIC_ALREADY_EXISTS" in again.stderr, again
    configs = answer(broker, "config", "describe", "topic", topic)
    assert [(c["key"], c["value"], c["source"]) for c in configs] == [("retention.ms", "12345", "DYNAMIC_TOPIC_CONFIG")]
    assert answer(broker, "topic", "delete", topic) == [{"topic": topic}]
    gone = moldau(broker, "topic", "describe", topic, check=False)
    assert gone.returncode == 1 and "does not exist" in gone.stderr, gone


@case()
def cli_records(context):
    broker, topic = context.broker, context.topic()
    moldau(broker, "topic", "create", topic, "-p", "3")
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        text = "".join(f"key-{n}:{codec}-{n}\n" for n in range(200))
        sent = answer(broker, "produce", topic, "-k", ":", "-z", codec, "-H", "codec=" + codec, input=text.encode())
        assert sum(part["records"] for part in sent) == 200, sent
    records = lines(broker, topic, "--exit")
    assert len(records) == 1000
    assert {r["value"] for r in records} == {f"{c}-{n}" for c in ("none", "gzip", "snappy", "lz4", "zstd") for n in range(200)}
    assert len({(r["partition"], r["key"]) for r in records}) == 200, "a key is always in the same partition"
    assert all(r["headers"][0]["value"] == r["value"].split("-")[0] for r in records)
    assert [r["value"] for r in lines(broker, f"{topic}:1", "--from", "-2", "--exit")] == [r["value"] for r in records if r["partition"] == 1][-2:]
    assert lines(broker, topic, "--from", "2100-01-01", "--exit") == []
    copy = context.topic("copy")
    moldau(broker, "topic", "create", copy, "-p", "3")
    moldau(broker, "produce", copy, "--input", "json", input="".join(json.dumps(r) + "\n" for r in records).encode())

    def in_order(some):  # partitions come as their leaders answer
        return sorted(({**r, "topic": ""} for r in some), key=lambda r: (r["partition"], r["offset"]))
    assert in_order(lines(broker, copy, "--exit")) == in_order(records)
    too_large = moldau(broker, "produce", topic, input=b"x" * (2 << 20), check=False)
    assert too_large.returncode == 1 and "MESSAGE_TOO_LARGE" in too_large.stderr, too_large


@case()
def cli_cluster(context):
    broker = context.broker
    brokers = answer(broker, "cluster", "brokers")
    assert [(b["id"], f"{b['host']}:{b['port']}", b["fenced"]) for b in brokers] == [(1, broker.bootstrap, False)], brokers
    described = answer(broker, "cluster", "describe")
    assert len(described["cluster_id"]) == 22 and described["partitions_without_leader"] == 0, described
    assert {"metadata.version"} <= {f["feature"] for f in described["features"]}, described
    apis = {a["api"]: a for a in answer(broker, "cluster", "api-versions", "--broker", "1")}
    assert apis["Produce"]["usable"] == apis["Produce"]["last"], apis["Produce"]


@case()
def cli_says_why_there_is_no_answer(context):
    broker = context.new_broker()
    refused = moldau(broker, "topic", "list", check=False)
    assert refused.returncode == 1 and "Start a broker there" in refused.stderr, refused
    wrong = moldau(broker, "topic", "lst", check=False)
    assert wrong.returncode == 2, wrong


@case()
def cli_answers_at_once(context):
    moldau(context.broker, "topic", "list")
    started = time.monotonic()
    for _ in range(10):
        moldau(context.broker, "topic", "list")
    took = (time.monotonic() - started) / 10
    assert took < 0.5, f"`moldau topic list` took {took:.3f} s"


# ---- what needs groups and changing configurations

@case(full=True)
def cli_partitions_and_configs(context):
    broker, topic = context.new_broker().start(), context.topic()
    moldau(broker, "topic", "create", topic)
    assert answer(broker, "topic", "alter", topic, "-p", "4") == [{"topic": topic, "partitions": 4}]
    wait_until(lambda: len(answer(broker, "topic", "describe", topic)[0]["partitions"]) == 4, 30, "four partitions")
    fewer = moldau(broker, "topic", "alter", topic, "-p", "2", check=False)
    assert fewer.returncode == 1 and "INVALID_PARTITIONS" in fewer.stderr, fewer
    moldau(broker, "config", "alter", "topic", topic, "--set", "retention.ms=1000", "--set", "cleanup.policy=compact")
    moldau(broker, "config", "alter", "topic", topic, "--append", "cleanup.policy=delete", "--delete", "retention.ms")

    def configs():
        return {c["key"]: c["value"] for c in answer(broker, "config", "describe", "topic", topic)}
    wait_until(lambda: configs() == {"cleanup.policy": "compact,delete"}, 30, configs)
    moldau(broker, "config", "alter", "topic", topic, "--set", "retention.ms=5", "--dry-run")
    assert len(answer(broker, "config", "describe", "topic", topic)) == 1
    wrong = moldau(broker, "config", "alter", "topic", topic, "--set", "retention.ms=soon", check=False)
    assert wrong.returncode == 1 and "INVALID_CONFIG" in wrong.stderr, wrong
    for name in ("default", "1"):
        moldau(broker, "config", "alter", "broker", name, "--set", "log.cleaner.threads=2")

    def sources():
        return {c["source"] for c in answer(broker, "config", "describe", "broker", "1") if c["key"] == "log.cleaner.threads"}
    wait_until(lambda: sources() == {"DYNAMIC_BROKER_CONFIG"}, 30, sources)


@case(full=True, within=240)
def cli_groups(context):
    """A group with a member, then without; its lag; where it goes on."""
    broker, topic, group = context.new_broker().start(), context.topic(), context.topic("group")
    moldau(broker, "topic", "create", topic, "-p", "2")
    moldau(broker, "produce", topic, "-p", "0", input=b"a\nb\nc\n")
    consumer = library().Consumer({"bootstrap.servers": broker.bootstrap, "group.id": group, "auto.offset.reset": "earliest",
                         "enable.auto.commit": False, "client.id": "walker"})
    consumer.subscribe([topic])
    seen = []

    def two():
        seen.extend(consumer.consume(1, 1))
        return len(seen) >= 2
    wait_until(two, 60, "two records")
    consumer.commit(message=seen[1], asynchronous=False)
    assert group in [g["group"] for g in answer(broker, "group", "list", "--state", "stable")]
    described = answer(broker, "group", "describe", group)[0]
    assert (described["state"], described["type"], described["lag"]) == ("Stable", "classic", 1), described
    assert [(o["partition"], o["committed_offset"], o["end_offset"], o["lag"]) for o in described["offsets"]] == \
        [(0, 2, 3, 1), (1, None, 0, None)], described
    assert described["members"][0]["client"] == "walker"
    assert sorted(described["members"][0]["partitions"]) == [f"{topic}-0", f"{topic}-1"], described
    for arguments in (("delete", group), ("reset-offsets", group, "--topic", topic, "--to-earliest", "--execute")):
        busy = moldau(broker, "group", *arguments, check=False)
        assert busy.returncode == 1 and "stop them first" in busy.stderr, busy
    consumer.close()

    def reset(*how):
        rows = answer(broker, "group", "reset-offsets", group, "--topic", f"{topic}:0", *how)
        return rows[0]["before"], rows[0]["after"]
    assert reset("--to-earliest") == (2, 0)
    assert reset("--to-latest") == (2, 3), "the first was only shown"
    assert reset("--shift-by", "-1") == (2, 1)
    assert reset("--shift-by", "-10") == (2, 0)
    assert reset("--to-offset", "100") == (2, 3)
    assert reset("--to-datetime", "2000-01-01T00:00:00.000") == (2, 0)
    assert reset("--by-duration", "PT0S") == (2, 3)
    assert reset("--to-current") == (2, 2)
    assert reset("--to-earliest", "--execute") == (2, 0)
    assert answer(broker, "group", "describe", group)[0]["lag"] == 3
    assert answer(broker, "group", "delete-offsets", group, "--topic", f"{topic}:0") == [{"topic": topic, "partition": 0}]
    assert answer(broker, "group", "delete", group) == [{"group": group}]
    gone = moldau(broker, "group", "describe", group, check=False)
    assert gone.returncode == 1 and "GROUP_ID_NOT_FOUND" in gone.stderr, gone
