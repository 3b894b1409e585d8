"""Kafka's own tools against the node under test, and over the files that it wrote. (--all)"""
import re

import rdkafka
from harness.cases import case
from harness.processes import run
from kafka import kafka

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
# What DumpLogSegments prints when something is wrong with a file.
COMPLAINTS = re.compile(r"mismatch|missing|out of order|isvalid: false|non-consecutive|exception|error|corrupt|could not|not valid", re.I)


def tool(name, *arguments, input=None, within=120):
    done = run(kafka.tool_command(name, arguments), within=within, input=input)
    assert done.returncode == 0, f"{name}: {(done.stdout + done.stderr)[-2000:]}"
    return done.stdout


@case(full=True, within=200)
def tool_topics(context):
    server = ("--bootstrap-server", context.broker.bootstrap)
    name = context.topic()
    tool("topics", *server, "--create", "--topic", name, "--partitions", 3, "--replication-factor", 1, "--config", "retention.ms=1000000")
    assert name in tool("topics", *server, "--list").split()
    shown = tool("topics", *server, "--describe", "--topic", name)
    assert re.search(rf"Topic: {name}\s+TopicId: \S+\s+PartitionCount: 3\s+ReplicationFactor: 1\s+Configs: .*retention.ms=1000000", shown), shown
    assert len(re.findall(r"Leader: 1\s+Replicas: 1\s+Isr: 1", shown)) == 3, shown
    again = run(kafka.tool_command("topics", [*server, "--create", "--topic", name]), within=60)
    assert again.returncode != 0 and "already exists" in again.stdout + again.stderr
    tool("topics", *server, "--delete", "--topic", name)
    assert name not in tool("topics", *server, "--list").split()


@case(full=True, within=300)
def tool_producer_perf_test_and_get_offsets(context):
    name = context.topic()
    rdkafka.create(context.broker, name, 2)
    shown = tool("producer-perf-test", "--topic", name, "--num-records", 200_000, "--record-size", 100, "--throughput", -1,
                 "--bootstrap-server", context.broker.bootstrap, within=240)
    assert re.search(r"200000 records sent, .* records/sec", shown), shown
    def offsets(time):
        rows = tool("get-offsets", "--bootstrap-server", context.broker.bootstrap, "--topic", name, "--time", time).split()
        return {row.rsplit(":", 1)[0]: int(row.rsplit(":", 1)[1]) for row in rows}
    assert sum(offsets("latest").values()) == 200_000 and set(offsets("earliest").values()) == {0}
    assert sum(offsets("-1").values()) == 200_000 and all(0 <= o < 200_000 for o in offsets("max-timestamp").values())


@case(full=True, within=200)
def tool_console_clients(context):
    name = context.topic()
    rdkafka.create(context.broker, name)
    lines = [f"key-{n}:value-{n}" for n in range(500)]
    tool("console-producer", "--bootstrap-server", context.broker.bootstrap, "--topic", name, "--reader-property", "parse.key=true",
         "--reader-property", "key.separator=:", input="".join(f"{line}\n" for line in lines).encode())
    for offset, first in (("earliest", 0), ("123", 123)):
        got = tool("console-consumer", "--bootstrap-server", context.broker.bootstrap, "--topic", name, "--partition", 0, "--offset", offset,
                   "--max-messages", 500 - first, "--timeout-ms", 60000, "--formatter-property", "print.key=true", "--formatter-property",
                   "key.separator=:")
        assert got.splitlines() == lines[first:], got[-500:]


@case(full=True, within=200)
def tool_broker_api_versions(context):
    shown = tool("broker-api-versions", "--bootstrap-server", context.broker.bootstrap)
    for api in ("Produce(0): 0 to 13", "Fetch(1): 4 to 18", "Metadata(3): 0 to 13", "ApiVersions(18): 0 to 5", "CreateTopics(19): 2 to 7"):
        assert api in shown, f"{api} is missing in {shown}"


@case(full=True, within=200)
def tool_configs(context):
    name = context.topic()
    rdkafka.create(context.broker, name, config={"retention.ms": "424242"})
    server = ("--bootstrap-server", context.broker.bootstrap, "--describe")
    shown = tool("configs", *server, "--entity-type", "topics", "--entity-name", name)
    assert "retention.ms=424242" in shown and "DYNAMIC_TOPIC_CONFIG" in shown, shown
    shown = tool("configs", *server, "--entity-type", "topics", "--entity-name", name, "--all")
    assert "segment.bytes=1073741824" in shown and "DEFAULT_CONFIG:log.segment.bytes=1073741824" in shown, shown
    shown = tool("configs", *server, "--entity-type", "brokers", "--entity-name", "1", "--all")
    assert "node.id=1" in shown and shown.count("\n") > 200, shown


def fill(broker, topic, rounds=4):
    """Segments of 1 MiB with every codec, producers with and without ids; the number of records."""
    count = 0
    for n in range(rounds):
        for codec in CODECS:
            for idempotent in (False, True):
                messages = [{"key": f"{n}-{i}", "value": f"{codec} {i} " * 40, "headers": [("h", b"v")]} for i in range(600)]
                rdkafka.produce_all(broker, topic, messages, compression_type=codec, enable_idempotence=idempotent, linger_ms=5)
                count += 600
    return count


def records_in(folder, gaps=False):
    """Dumps every file of a partition's folder with all checks of DumpLogSegments; the number of records in its logs.
    `gaps`: the log is compacted, so offsets may be missing."""
    def files(*suffixes):
        return sorted(str(p) for p in folder.iterdir() if p.suffix in suffixes)
    logs = files(".log")
    metadata = ["--cluster-metadata-decoder"] if folder.name.startswith("__cluster_metadata") else []
    shown = tool("dump-log", "--deep-iteration", *metadata, "--files", ",".join(logs))
    if gaps:
        shown = re.sub(r"Non-consecutive offsets in .*\n(?:.* is followed by .*\n)*", "", shown)
    complaint = COMPLAINTS.search(re.sub(r"payload: .*", "", shown))
    assert not complaint, f"{folder}: {shown[max(0, complaint.start() - 300):complaint.end() + 300]}"
    others = files(".index", ".timeindex", ".snapshot", ".txnindex", ".checkpoint")
    indexes = [f for f in others if f.endswith("index")]
    shown = tool("dump-log", *metadata, "--files", ",".join(others))
    if not metadata:  # Apache Kafka leaves the metadata log's time index longer than its entries
        shown += tool("dump-log", "--index-sanity-check", "--files", ",".join(indexes))
    complaint = COMPLAINTS.search(re.sub(r"payload: .*", "", shown))
    assert not complaint, f"{folder}: {shown[max(0, complaint.start() - 300):complaint.end() + 300]}"
    offsets = [int(o) for o in re.findall(r"\| offset: (\d+)", "".join(
        tool("dump-log", "--print-data-log", *metadata, "--files", ",".join(logs))))]
    assert gaps or offsets == list(range(offsets[0], offsets[0] + len(offsets))) if offsets else True, f"{folder}: offsets with gaps"
    return len(offsets)


@case(full=True, within=600)
def tool_dump_log_reads_every_file(context):
    """After a clean stop, and after a kill and the recovery."""
    broker = context.new_broker().start()
    rdkafka.create(broker, context.topic(), config={"segment.bytes": "1048576"})
    count = fill(broker, context.topic())
    folder = broker.data / f"{context.topic()}-0"
    broker.stop()
    assert len(list(folder.glob("*.log"))) >= 3, "too few segments to say much"
    assert records_in(folder) == count
    records_in(broker.data / "__cluster_metadata-0")
    broker.start()
    count += fill(broker, context.topic(), 1)
    broker.kill9()
    broker.start()
    broker.stop()
    assert records_in(folder) == count
    records_in(broker.data / "__cluster_metadata-0")
