"""Kafka's administrative tools against the node under test. (--all)"""
import json
import re

import rdkafka
from cases_kafka_tools import tool
from harness.cases import case
from harness.client import call
from harness.processes import run
from kafka import kafka


def server(context):
    return "--bootstrap-server", context.broker.bootstrap


def refused(name, *arguments):
    """What the tool prints where it has to fail."""
    done = run(kafka.tool_command(name, arguments), within=120)
    return done.stdout + done.stderr


def written(context, name, value):
    context.folder.mkdir(parents=True, exist_ok=True)
    path = context.folder / name
    path.write_text(json.dumps(value))
    return path


@case(full=True, within=300)
def tool_topics_alter(context):
    name = context.topic()
    rdkafka.create(context.broker, name, 2)
    tool("topics", *server(context), "--alter", "--topic", name, "--partitions", 5)
    shown = tool("topics", *server(context), "--describe", "--topic", name)
    assert "PartitionCount: 5" in shown and len(re.findall(r"Leader: 1\s", shown)) == 5, shown
    assert "would not be an increase" in refused("topics", *server(context), "--alter", "--topic", name, "--partitions", 3)
    tool("topics", *server(context), "--alter", "--topic", name, "--partitions", 6, "--replica-assignment", "1,1,1,1,1,1")
    for question in ("--under-replicated-partitions", "--unavailable-partitions", "--under-min-isr-partitions"):
        assert tool("topics", *server(context), "--describe", "--topic", name, question).strip() == ""


@case(full=True, within=600)
def tool_configs_alter(context):
    name = context.topic()
    rdkafka.create(context.broker, name)
    topic = ("configs", *server(context), "--entity-type", "topics", "--entity-name", name)
    tool(*topic, "--alter", "--add-config", "retention.ms=123456,cleanup.policy=[compact,delete]")
    shown = tool(*topic, "--describe")
    assert "retention.ms=123456 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=123456}" in shown, shown
    assert "cleanup.policy=compact,delete" in shown, shown
    tool(*topic, "--alter", "--delete-config", "cleanup.policy")
    assert "cleanup.policy" not in tool(*topic, "--describe")
    assert "Unknown topic config name" in refused(*topic, "--alter", "--add-config", "no.such.key=1")

    broker = ("configs", *server(context), "--entity-type", "brokers")
    tool(*broker, "--entity-default", "--alter", "--add-config", "log.retention.ms=7200000")
    tool(*broker, "--entity-name", "1", "--alter", "--add-config", "log.retention.ms=3600000")
    shown = tool(*broker, "--entity-name", "1", "--describe")
    assert "DYNAMIC_BROKER_CONFIG:log.retention.ms=3600000, DYNAMIC_DEFAULT_BROKER_CONFIG:log.retention.ms=7200000, DEFAULT_CONFIG:log.retention.hours=168" in shown, shown
    assert "log.retention.ms=7200000" in tool(*broker, "--entity-default", "--describe")
    assert "Cannot update these configs dynamically" in refused(*broker, "--entity-name", "1", "--alter", "--add-config", "num.partitions=3")
    tool(*broker, "--entity-name", "1", "--alter", "--delete-config", "log.retention.ms")
    tool(*broker, "--entity-default", "--alter", "--delete-config", "log.retention.ms")

    loggers = ("configs", *server(context), "--entity-type", "broker-loggers", "--entity-name", "1")
    tool(*loggers, "--alter", "--add-config", "root=WARN")
    assert "root=WARN" in tool(*loggers, "--describe")

    group = ("configs", *server(context), "--entity-type", "groups", "--entity-name", context.name)
    tool(*group, "--alter", "--add-config", "consumer.session.timeout.ms=50000")
    shown = call(context.broker.port, "DescribeConfigs", 4, {"resources": [
        {"resource_type": 32, "resource_name": context.name, "configuration_keys": ["consumer.session.timeout.ms"]}]})
    assert shown["results"][0]["configs"][0]["value"] == "50000", shown  # the tool's own --describe asks for the groups too

    for kind, key in (("users", "producer_byte_rate=1000000.0"), ("clients", "request_percentage=50.0"), ("ips", "connection_creation_rate=100.0")):
        entity = ("configs", *server(context), "--entity-type", kind, "--entity-name", "127.0.0.9" if kind == "ips" else "somebody")
        tool(*entity, "--alter", "--add-config", key)
        assert key in tool(*entity, "--describe"), kind
        tool(*entity, "--alter", "--delete-config", key.split("=")[0])
        assert key not in tool(*entity, "--describe"), kind


@case(full=True, within=300)
def tool_delete_records(context):
    name = context.topic()
    rdkafka.create(context.broker, name)
    rdkafka.produce_all(context.broker, name, [{"value": f"{n}"} for n in range(100)])
    wish = written(context, "offsets.json", {"partitions": [{"topic": name, "partition": 0, "offset": 40}], "version": 1})
    assert f"partition: {name}-0\tlow_watermark: 40" in tool("delete-records", *server(context), "--offset-json-file", wish)
    assert tool("get-offsets", *server(context), "--topic", name, "--time", "earliest").strip() == f"{name}:0:40"
    assert [m.value() for m in rdkafka.read(context.broker, name, 60, offset=40)] == [f"{n}".encode() for n in range(40, 100)]


@case(full=True, within=300)
def tool_log_dirs(context):
    name = context.topic()
    rdkafka.create(context.broker, name, 2)
    rdkafka.produce_all(context.broker, name, [{"value": "x" * 1000}] * 10)
    shown = tool("log-dirs", *server(context), "--describe", "--topic-list", name)
    dirs = json.loads(shown.splitlines()[-1])["brokers"][0]["logDirs"]
    assert [d["logDir"] for d in dirs] == [str(context.broker.data)] and dirs[0]["error"] is None, shown
    sizes = {p["partition"]: p["size"] for p in dirs[0]["partitions"]}
    assert sizes[f"{name}-0"] > 10_000 and sizes[f"{name}-1"] == 0, shown


@case(full=True, within=300)
def tool_leader_election_and_reassignment(context):
    name = context.topic()
    rdkafka.create(context.broker, name, 2)
    shown = tool("leader-election", *server(context), "--election-type", "preferred", "--topic", name, "--partition", 0)
    assert "Valid replica already elected for partitions" in shown, shown
    plan = written(context, "plan.json", {"version": 1, "partitions": [{"topic": name, "partition": p, "replicas": [1]} for p in (0, 1)]})
    shown = tool("reassign-partitions", *server(context), "--execute", "--reassignment-json-file", plan)
    assert "Successfully started partition reassignments" in shown, shown
    assert "is completed" in tool("reassign-partitions", *server(context), "--verify", "--reassignment-json-file", plan)
    assert "No partition reassignments found" in tool("reassign-partitions", *server(context), "--list")
    elsewhere = written(context, "elsewhere.json", {"version": 1, "partitions": [{"topic": name, "partition": 0, "replicas": [7]}]})
    assert "7" in refused("reassign-partitions", *server(context), "--execute", "--reassignment-json-file", elsewhere)


@case(full=True, within=300)
def tool_quorum_features_and_acls(context):
    shown = tool("metadata-quorum", *server(context), "describe", "--status")
    assert re.search(r"LeaderId:\s+1\b", shown) and re.search(r"MaxFollowerLag:\s+0\b", shown), shown
    shown = tool("metadata-quorum", *server(context), "describe", "--replication")
    assert re.search(r"^1\s+\S+\s+\d+\s+0\s.*Leader", shown, re.M), shown
    shown = tool("features", *server(context), "describe")
    assert re.search(r"Feature: metadata.version\s+SupportedMinVersion: 3.3-IV3\s+SupportedMaxVersion: 4.4-IV2\s+FinalizedVersionLevel: 4.4-IV2", shown), shown
    assert "No Authorizer is configured" in refused("acls", *server(context), "--list")
    assert "No Authorizer is configured" in refused("acls", *server(context), "--add", "--allow-principal", "User:a", "--operation", "read", "--topic", "t")


@case(full=True, within=300)
def tool_client_metrics(context):
    metrics = ("client-metrics", *server(context))
    tool(*metrics, "--alter", "--name", context.name, "--metrics", "org.apache.kafka.", "--interval", 30000)
    assert context.name in tool(*metrics, "--list").split()
    shown = tool(*metrics, "--describe", "--name", context.name)
    assert "interval.ms=30000" in shown and "metrics=org.apache.kafka." in shown, shown
    tool(*metrics, "--delete", "--name", context.name)
    assert context.name not in tool(*metrics, "--list").split()
