"""IncrementalAlterConfigs, AlterConfigs, ListConfigResources, and what DescribeConfigs shows of what they did."""
from bodies import produce
from bodies_admin import APPEND, BROKER, DELETE, GROUP, LOGGER, METRICS, SET, SUBTRACT, TOPIC, alter, describe, replace
from harness.batches import batch
from recording import scenario


def change(s, label, kind, name, *ops, version=1, validate_only=False):
    return s.call(label, "IncrementalAlterConfigs", version, alter(kind, name, *ops, validate_only=validate_only))


def shown(s, label, kind, name, *keys):
    s.call(label, "DescribeConfigs", 4, describe(kind, name, list(keys)))


@scenario()
def alter_topic_configs(s):
    name = "alter-topic"
    s.topic(name, retention_ms=1000000)
    for version in (0, 1):
        change(s, "set", TOPIC, name, (SET, "retention.ms", f"200000{version}"), (SET, "segment.bytes", "2097152"), version=version)
        change(s, "set to what it is", TOPIC, name, (SET, "segment.bytes", "2097152"), version=version)
        change(s, "unset", TOPIC, name, (DELETE, "segment.bytes", None), version=version)
        change(s, "unset what isn't set", TOPIC, name, (DELETE, "segment.ms", ""), version=version)
        change(s, "only validated", TOPIC, name, (SET, "segment.bytes", "3145728"), version=version, validate_only=True)
        s.until_configured(TOPIC, name, retention_ms=f"200000{version}", segment_bytes="1073741824")
    change(s, "append", TOPIC, name, (APPEND, "cleanup.policy", "compact"))
    s.until_configured(TOPIC, name, cleanup_policy="delete,compact")
    change(s, "append what is there", TOPIC, name, (APPEND, "cleanup.policy", "compact,delete"))
    change(s, "subtract", TOPIC, name, (SUBTRACT, "cleanup.policy", "delete"))
    s.until_configured(TOPIC, name, cleanup_policy="compact")
    change(s, "subtract what isn't there", TOPIC, name, (SUBTRACT, "cleanup.policy", "delete"))
    change(s, "subtract the last", TOPIC, name, (SUBTRACT, "cleanup.policy", "compact"))
    change(s, "append to a list of none", TOPIC, name, (APPEND, "leader.replication.throttled.replicas", "0:1,1:1"))
    change(s, "append to a number", TOPIC, name, (APPEND, "retention.ms", "1"))
    change(s, "subtract from text", TOPIC, name, (SUBTRACT, "compression.type", "gzip"))
    change(s, "append to an unknown key", TOPIC, name, (APPEND, "no.such.key", "1"))
    for key, value in (("retention.ms", "abc"), ("retention.ms", ""), ("retention.ms", " 5 "), ("retention.ms", "-2"), ("no.such.key", "1"),
                       ("", "1"), ("cleanup.policy", ""), ("cleanup.policy", "delete,unknown"), ("cleanup.policy", "delete,delete"),
                       ("segment.bytes", "1"), ("compression.type", "brotli"), ("compression.type", "gzip"), ("min.insync.replicas", "0"),
                       ("min.insync.replicas", "9"), ("unclean.leader.election.enable", "maybe"), ("unclean.leader.election.enable", "TRUE"),
                       ("max.message.bytes", "-1"), ("min.cleanable.dirty.ratio", "1.5"), ("message.timestamp.type", "Never"),
                       ("remote.storage.enable", "true"), ("follower.replication.throttled.replicas", "x"), ("preallocate", "true"),
                       ("message.format.version", "3.0-IV1"), ("segment.jitter.ms", "-1"), ("file.delete.delay.ms", "100")):
        change(s, f"{key}={value}", TOPIC, name, (SET, key, value))
    change(s, "lags that contradict", TOPIC, name, (SET, "min.compaction.lag.ms", "100"), (SET, "max.compaction.lag.ms", "50"))
    change(s, "a null value", TOPIC, name, (SET, "retention.ms", None))
    change(s, "a null value, appended", TOPIC, name, (APPEND, "cleanup.policy", None))
    change(s, "a key twice", TOPIC, name, (SET, "retention.ms", "1"), (SET, "retention.ms", "2"))
    change(s, "an unknown operation", TOPIC, name, (4, "retention.ms", "1"))
    change(s, "a negative operation", TOPIC, name, (-1, "retention.ms", "1"))
    change(s, "no settings", TOPIC, name)
    change(s, "an unknown topic", TOPIC, name + "-none", (SET, "retention.ms", "1"))
    change(s, "an unknown topic and key", TOPIC, name + "-none", (SET, "no.such.key", "1"))
    change(s, "no topic", TOPIC, "", (SET, "retention.ms", "1"))
    change(s, "an illegal topic", TOPIC, "..", (SET, "retention.ms", "1"))
    one = alter(TOPIC, name, (SET, "flush.ms", "100000"))["resources"]
    other = alter(TOPIC, name + "-none", (SET, "flush.ms", "100000"))["resources"]
    for label, resources in (("one good, one bad", one + other), ("a resource twice", one + other + one), ("none", [])):
        s.call(label, "IncrementalAlterConfigs", 1, {"resources": resources})
    s.until_configured(TOPIC, name, flush_ms="100000")
    shown(s, "in the end", TOPIC, name, "retention.ms", "cleanup.policy", "flush.ms", "compression.type", "unclean.leader.election.enable",
          "leader.replication.throttled.replicas", "min.insync.replicas", "preallocate", "file.delete.delay.ms")


@scenario()
def replace_topic_configs(s):
    name = "replace-topic"
    s.topic(name, retention_ms=1000000, segment_bytes=2097152)
    for version in range(3):
        s.call("all but one", "AlterConfigs", version, replace(TOPIC, name, ("retention.ms", f"50{version}"), ("flush.ms", "9")))
        s.until_configured(TOPIC, name, retention_ms=f"50{version}", segment_bytes="1073741824", flush_ms="9")
        s.call("only validated", "AlterConfigs", version, replace(TOPIC, name, validate_only=True))
        s.call("a bad value", "AlterConfigs", version, replace(TOPIC, name, ("retention.ms", "x")))
        s.call("an unknown key", "AlterConfigs", version, replace(TOPIC, name, ("no.such.key", "x")))
        s.call("a null value", "AlterConfigs", version, replace(TOPIC, name, ("retention.ms", None)))
        s.call("a key twice", "AlterConfigs", version, replace(TOPIC, name, ("retention.ms", "1"), ("retention.ms", "2")))
        s.call("an unknown topic", "AlterConfigs", version, replace(TOPIC, name + "-none", ("retention.ms", "1")))
        s.call("an unknown kind of resource", "AlterConfigs", version, replace(77, name))
        s.call("a logger", "AlterConfigs", version, replace(LOGGER, "1", ("root", "INFO")))
        s.call("all away", "AlterConfigs", version, replace(TOPIC, name))
        s.until_configured(TOPIC, name, retention_ms="604800000", flush_ms="9223372036854775807")
    s.call("a broker", "AlterConfigs", 2, replace(BROKER, "1", ("log.cleaner.backoff.ms", "14000")))
    s.until_configured(BROKER, "1", log_cleaner_backoff_ms="14000")
    s.call("another broker", "AlterConfigs", 2, replace(BROKER, "7", ("log.cleaner.backoff.ms", "14000")))
    s.call("a read-only key", "AlterConfigs", 2, replace(BROKER, "1", ("num.partitions", "3")))
    s.call("a broker, all away", "AlterConfigs", 2, replace(BROKER, "1"))
    s.until_configured(BROKER, "1", log_cleaner_backoff_ms="15000")


@scenario()
def alter_broker_configs(s):
    change(s, "all brokers", BROKER, "", (SET, "log.retention.ms", "3600000"), (SET, "message.max.bytes", "2000000"))
    s.until_configured(BROKER, "1", log_retention_ms="3600000")
    change(s, "this broker", BROKER, "1", (SET, "log.retention.ms", "7200000"))
    s.until_configured(BROKER, "1", log_retention_ms="7200000")
    s.topic("alter-broker", max_message_bytes="3000000")
    shown(s, "the broker's", BROKER, "1", "log.retention.ms", "log.retention.hours", "log.retention.minutes", "message.max.bytes")
    shown(s, "the default of all", BROKER, "")
    shown(s, "a topic's", TOPIC, "alter-broker", "retention.ms", "max.message.bytes", "segment.bytes")
    for key, value in (("num.partitions", "3"), ("no.such.key", "1"), ("node.id", "5"), ("log.dirs", "/tmp/x"), ("", "1"),
                       ("message.max.bytes", "-1"), ("message.max.bytes", "x"), ("compression.type", "brotli"), ("log.cleaner.threads", "0"),
                       ("log.cleaner.threads", "9"), ("num.io.threads", "0"), ("num.io.threads", "1000"), ("num.io.threads", "9"),
                       ("num.network.threads", "4"), ("log.cleanup.policy", "compact,delete"), ("log.cleanup.policy", ""), ("ssl.keystore.type", "JKS"),
                       ("listener.name.plaintext.max.connections", "100"), ("listener.name.plaintext.num.network.threads", "4"),
                       ("max.connections.per.ip", "50"), ("max.connections.per.ip.overrides", "127.0.0.1:10"),
                       ("max.connections.per.ip.overrides", "nonsense"), ("max.connections", "0"), ("max.connections", "500"),
                       ("log.retention.hours", "1"), ("log.flush.interval.ms", "1000"), ("unclean.leader.election.enable", "true"),
                       ("min.insync.replicas", "1"), ("producer.id.expiration.ms", "900000"), ("transaction.partition.verification.enable", "false"),
                       ("metric.reporters", ""), ("log.segment.bytes", "20000000"), ("log.roll.ms", "100000"), ("log.retention.bytes", "-5"),
                       ("leader.replication.throttled.rate", "1000"), ("background.threads", "11"), ("remote.log.reader.threads", "5"),
                       ("auto.create.topics.enable", "false"), ("log.retention.check.interval.ms", "1000"), ("principal.builder.class", "x.Y"),
                       ("log.local.retention.ms", "5"), ("cordoned.log.dirs", ""), ("cordoned.log.dirs", "/nowhere")):
        for name in ("1", ""):
            change(s, f"{key}={value} of '{name}'", BROKER, name, (SET, key, value), validate_only=True)
    change(s, "another broker", BROKER, "7", (SET, "log.retention.ms", "1"))
    change(s, "no number", BROKER, "one", (SET, "log.retention.ms", "1"))
    change(s, "a negative broker", BROKER, "-1", (SET, "log.retention.ms", "1"))
    change(s, "an unknown operation", BROKER, "1", (9, "log.retention.ms", "1"))
    change(s, "a key twice", BROKER, "1", (SET, "log.retention.ms", "1"), (DELETE, "log.retention.ms", None))
    change(s, "append", BROKER, "1", (APPEND, "log.cleanup.policy", "compact"))
    s.until_configured(BROKER, "1", log_cleanup_policy="delete,compact")
    change(s, "append to a number", BROKER, "1", (APPEND, "log.retention.ms", "1"))
    change(s, "an unknown key, really", BROKER, "1", (SET, "no.such.key", "1"))
    s.until_configured(BROKER, "1", no_such_key=None)
    shown(s, "the broker's", BROKER, "1", "no.such.key", "log.cleanup.policy")
    change(s, "this broker, away", BROKER, "1", (DELETE, "log.retention.ms", None), (DELETE, "log.cleanup.policy", ""), (DELETE, "no.such.key", None))
    s.until_configured(BROKER, "1", log_retention_ms="3600000", log_cleanup_policy="delete")
    change(s, "all brokers, away", BROKER, "", (DELETE, "log.retention.ms", None), (DELETE, "message.max.bytes", None))
    s.until_configured(BROKER, "1", message_max_bytes="1048588")
    shown(s, "the default of all", BROKER, "")


@scenario()
def changed_configs_take_effect(s):
    """What a topic and a broker refuse follows their settings."""
    def produced(label, size):
        s.call(label, "Produce", 9, produce("effects", batch([b"x" * size], s.base_time)))
    s.topic("effects")
    produced("small", 100)
    change(s, "the topic's limit", TOPIC, "effects", (SET, "max.message.bytes", "500"))
    s.until_configured(TOPIC, "effects", max_message_bytes="500")
    produced("too large now", 1000)
    change(s, "the broker's limit", BROKER, "1", (SET, "message.max.bytes", "300"))
    change(s, "no limit of the topic", TOPIC, "effects", (DELETE, "max.message.bytes", None))
    s.until_configured(BROKER, "1", message_max_bytes="300")
    s.until_configured(TOPIC, "effects", max_message_bytes="300")
    produced("too large for the broker", 400)
    change(s, "no limit of the broker", BROKER, "1", (DELETE, "message.max.bytes", None))
    s.until_configured(TOPIC, "effects", max_message_bytes="1048588")
    produced("small enough", 400)
    change(s, "more replicas than there are", TOPIC, "effects", (SET, "min.insync.replicas", "2"))
    s.until_configured(TOPIC, "effects", min_insync_replicas="2")
    produced("not enough replicas", 100)


@scenario()
def alter_group_and_metrics_configs(s):
    for key, value in (("consumer.session.timeout.ms", "50000"), ("consumer.session.timeout.ms", "1"), ("consumer.session.timeout.ms", "99999999"),
                       ("consumer.heartbeat.interval.ms", "6000"), ("consumer.heartbeat.interval.ms", "1"), ("consumer.heartbeat.interval.ms", "60000"),
                       ("no.such.key", "1"), ("consumer.session.timeout.ms", "x"), ("share.auto.offset.reset", "earliest"),
                       ("share.auto.offset.reset", "never"), ("share.record.lock.duration.ms", "20000"), ("share.record.lock.duration.ms", "1"),
                       ("share.isolation.level", "read_committed"), ("share.isolation.level", "other"), ("streams.num.standby.replicas", "1"),
                       ("streams.num.standby.replicas", "100"), ("streams.session.timeout.ms", "50000"), ("share.session.timeout.ms", "1")):
        change(s, f"{key}={value}", GROUP, "alter-group", (SET, key, value))
    change(s, "no group", GROUP, "", (SET, "consumer.session.timeout.ms", "50000"))
    s.until_configured(GROUP, "alter-group", consumer_session_timeout_ms="50000")
    shown(s, "a group", GROUP, "alter-group")
    shown(s, "another group", GROUP, "alter-group-none", "consumer.session.timeout.ms")
    for key, value in (("interval.ms", "1000"), ("interval.ms", "99"), ("interval.ms", "x"), ("interval.ms", "3600001"), ("metrics", "org.apache.kafka."),
                       ("metrics", ""), ("metrics", "*"), ("match", "client_id=abc"), ("match", "client_id=["), ("match", "who=abc"), ("match", "abc"),
                       ("match", ""), ("no.such.key", "1")):
        change(s, f"{key}={value}", METRICS, "alter-metrics", (SET, key, value))
    change(s, "a list grows", METRICS, "alter-metrics", (APPEND, "match", "client_software_name=java"))
    change(s, "no subscription", METRICS, "", (SET, "interval.ms", "1000"))
    s.until_configured(METRICS, "alter-metrics", interval_ms="1000")
    shown(s, "a subscription", METRICS, "alter-metrics")
    s.topic("listed-topic")
    for version, types in ((0, []), (1, []), (1, [TOPIC]), (1, [METRICS]), (1, [GROUP]), (1, [BROKER, LOGGER]), (1, [METRICS, METRICS]), (1, [77]), (1, [0])):
        answer = s.prepare("ListConfigResources", version, {"resource_types": types})
        answer["config_resources"] = sorted(
            (r for r in answer["config_resources"] if r.get("resource_type", METRICS) != TOPIC or r["resource_name"] == "listed-topic"),
            key=lambda r: (r.get("resource_type"), r["resource_name"]))
        s.note(f"list of {types} v{version}", answer)
    s.call("the subscription, away", "AlterConfigs", 2, replace(METRICS, "alter-metrics"))
    s.call("the group, away", "AlterConfigs", 2, replace(GROUP, "alter-group"))
    s.until_configured(GROUP, "alter-group", consumer_session_timeout_ms="45000")


@scenario()
def alter_loggers(s):
    for label, name, *ops in (
            ("an unknown logger", "1", (SET, "no.such.logger.at.all", "INFO")), ("an unknown level", "1", (SET, "root", "LOUD")),
            ("a lower-case level", "1", (SET, "root", "info")), ("the root away", "1", (DELETE, "root", None)),
            ("append", "1", (APPEND, "root", "INFO")), ("subtract", "1", (SUBTRACT, "root", "INFO")), ("an unknown operation", "1", (7, "root", "INFO")),
            ("another broker", "7", (SET, "root", "INFO")), ("no number", "x", (SET, "root", "INFO")), ("no broker", "", (SET, "root", "INFO")),
            ("no value", "1", (SET, "root", None)), ("a logger twice", "1", (SET, "root", "INFO"), (SET, "root", "WARN"))):
        change(s, label, LOGGER, name, *ops)
    change(s, "only validated", LOGGER, "1", (SET, "root", "ERROR"), validate_only=True)
    change(s, "the root", LOGGER, "1", (SET, "root", "ERROR"))
    s.until_configured(LOGGER, "1", root="ERROR")
    shown(s, "the root", LOGGER, "1", "root")
    change(s, "the root, back", LOGGER, "1", (SET, "root", "WARN"))
    change(s, "an unknown kind of resource", 77, "1", (SET, "root", "INFO"))
    change(s, "another unknown kind of resource", 0, "1", (SET, "root", "INFO"))
