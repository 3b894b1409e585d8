"""Compaction and retention: what is left of a topic, and whether Apache Kafka and its tools can read it."""
import random

import rdkafka
from cases_kafka_tools import CODECS, records_in
from harness.cases import case
from harness.waiting import wait_until

EAGER = {"log.cleaner.backoff.ms": "500", "log.retention.check.interval.ms": "1000", "log.initial.task.delay.ms": "500"}
COMPACTED = {"cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.01", "file.delete.delay.ms": "500"}
KEYS = 50


def read_to_end(broker, topic):
    """Every message up to the high watermark: a compacted topic has fewer than its offsets."""
    c = rdkafka.consumer(broker, enable_partition_eof=True)
    try:
        c.assign([rdkafka.library().TopicPartition(topic, 0, 0)])
        out, ended = [], False

        def at_end():
            nonlocal ended
            for message in c.consume(1000, 0.2):
                if message.error() and message.error().code() == rdkafka.library().KafkaError._PARTITION_EOF:
                    ended = True
                elif message.error():
                    raise rdkafka.library().KafkaException(message.error())
                else:
                    out.append(message)
            return ended
        wait_until(at_end, 60, f"the end of {topic}")
        return out
    finally:
        c.close()


def latest(messages):
    """Key to (offset, value) of its last message; a key whose last message is a tombstone has none."""
    found = {}
    for m in messages:
        found[m.key()] = (m.offset(), m.value(), m.headers())
    return {key: last for key, last in found.items() if last[1] is not None}


def fill(broker, topic, number):
    """Some segments, each key in every batch; returns (offset, message) in order. Three keys end as tombstones."""
    written, chance = [], random.Random(number)
    for codec in CODECS:
        messages = [{"key": f"key-{n % KEYS}", "value": chance.randbytes(400), "headers": [("n", str(n).encode())]} for n in range(3000)]
        messages += [{"key": f"key-{n}", "value": None} for n in range(3)] if codec == CODECS[-1] else []
        offsets = rdkafka.produce_all(broker, topic, messages, compression_type=codec, enable_idempotence=codec != "gzip")
        written += zip(offsets, messages)
    return written


def expected(written):
    found = {}
    for offset, m in written:
        found[m["key"].encode()] = (offset, m["value"], m.get("headers"))
    return {key: last for key, last in found.items() if last[1] is not None}


def wait_until_compacted(broker, topic, written):
    """Few of the messages outside of the active segment are left, and the old files are gone."""
    folder = broker.data / f"{topic}-0"
    wait_until(lambda: len(read_to_end(broker, topic)) < len(written) / 3, 60, f"compaction of {topic}")
    wait_until(lambda: not list(folder.glob("*.deleted")), 30, "the old segments' files to be removed")


def check(broker, topic, written):
    got = read_to_end(broker, topic)
    assert latest(got) == expected(written), "the latest values differ"
    originals = dict(written)
    for m in got:
        original = originals[m.offset()]
        assert (m.key(), m.value()) == (original["key"].encode(), original["value"]), m.offset()


@case(within=240)
def compaction_keeps_the_latest_of_each_key(context):
    broker = context.new_broker(EAGER).start()
    topic = context.topic()
    rdkafka.create(broker, topic, config=COMPACTED)
    written = fill(broker, topic, 1)
    wait_until_compacted(broker, topic, written)
    check(broker, topic, written)
    broker.kill9()
    broker.start()
    check(broker, topic, written)
    written += fill(broker, topic, 2)
    wait_until_compacted(broker, topic, written)
    check(broker, topic, written)
    broker.stop()
    assert f"{topic} 0 " in (broker.data / "cleaner-offset-checkpoint").read_text()


@case(full=True, within=600)
def compacted_directory_goes_to_kafka_and_back(context):
    first = context.new_broker(EAGER).start()
    topic = context.topic()
    rdkafka.create(first, topic, config=COMPACTED)
    written = fill(first, topic, 1)
    wait_until_compacted(first, topic, written)
    first.stop()
    assert records_in(first.data / f"{topic}-0", gaps=True) < len(written) / 3  # Kafka's tool finds nothing wrong
    for number, kind in enumerate(("kafka", context.options.broker), 2):
        broker = context.new_broker(EAGER, kind=kind)
        broker.properties, broker.data, broker.port, broker.controller_port = first.properties, first.data, first.port, first.controller_port
        broker.start()
        check(broker, topic, written)
        written += fill(broker, topic, number)
        wait_until_compacted(broker, topic, written)
        check(broker, topic, written)
        broker.stop()
        records_in(first.data / f"{topic}-0", gaps=True)


@case(within=120)
def retention_by_size_and_time(context):
    broker = context.new_broker(EAGER).start()
    large, old = context.topic("large"), context.topic("old")
    small_segments = {"segment.bytes": "1048576", "file.delete.delay.ms": "500"}
    rdkafka.create(broker, large, config={"retention.bytes": "2000000", **small_segments})
    rdkafka.create(broker, old, config={"retention.ms": "3000", **small_segments})
    messages = [{"value": "x" * 1000} for _ in range(5000)]
    for topic in (large, old):
        rdkafka.produce_all(broker, topic, messages, compression_type="none")
    low = lambda topic: rdkafka.consumer(broker).get_watermark_offsets(rdkafka.library().TopicPartition(topic, 0), timeout=30)[0]
    wait_until(lambda: low(old) == 5000, 30, "all records of the topic to expire")
    wait_until(lambda: 0 < low(large) < 5000 - 1900, 30, "the topic to shrink to its size")
    for topic in (large, old):
        wait_until(lambda: not list((broker.data / f"{topic}-0").glob("*.deleted")), 30, "files to be removed")
    assert sum(f.stat().st_size for f in (broker.data / f"{large}-0").glob("*.log")) >= 2000000
    left = low(large)
    broker.kill9()
    broker.start()
    assert low(large) == left and low(old) == 5000
    assert len(rdkafka.read(broker, large, 5000 - left, offset=left)) == 5000 - left
