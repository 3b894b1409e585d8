"""DescribeConfigs: every key of a topic and of a broker, with value, source, synonyms and type."""
from recording import scenario

TOPIC, BROKER, LOGGER, GROUP = 2, 4, 8, 32


def described(s, label, version, kind, name, keys=None, synonyms=True, documentation=False):
    answer = s.call(label, "DescribeConfigs", version, {
        "resources": [{"resource_type": kind, "resource_name": name, "configuration_keys": keys}],
        "include_synonyms": synonyms, "include_documentation": documentation})
    return answer


@scenario()
def describe_topic_configs(s):
    s.topic("described", retention_ms=1234567, cleanup_policy="compact,delete")
    for version in (1, 2, 3, 4):
        described(s, "every key", version, TOPIC, "described")
    described(s, "every key, no synonyms", 4, TOPIC, "described", synonyms=False)
    described(s, "some keys", 4, TOPIC, "described", ["retention.ms", "no.such.key", "segment.bytes"])
    described(s, "no keys", 4, TOPIC, "described", [])
    described(s, "an unknown topic", 4, TOPIC, "described-none")
    described(s, "an illegal topic", 4, TOPIC, "..")
    described(s, "an empty topic", 4, TOPIC, "")


@scenario()
def describe_broker_configs(s):
    for version in (1, 4):
        described(s, "every key", version, BROKER, "1")
    described(s, "some keys", 4, BROKER, "1", ["log.retention.ms", "log.retention.hours", "node.id", "no.such.key"])
    described(s, "the cluster's default", 4, BROKER, "")
    described(s, "another broker", 4, BROKER, "7")
    described(s, "no number", 4, BROKER, "one")
    described(s, "an unknown kind of resource", 4, 77, "x")


@scenario()
def describe_two_resources(s):
    s.topic("described-too")
    s.call("a topic twice and a broker", "DescribeConfigs", 4, {"resources": [
        {"resource_type": TOPIC, "resource_name": "described-too", "configuration_keys": ["retention.ms"]},
        {"resource_type": BROKER, "resource_name": "1", "configuration_keys": ["node.id"]},
        {"resource_type": TOPIC, "resource_name": "described-too", "configuration_keys": ["segment.bytes"]}]})
    s.call("none", "DescribeConfigs", 4, {"resources": []})
