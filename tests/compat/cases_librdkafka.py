"""librdkafka (Python) with its default settings, idempotence off (its default) and on."""
import os
import time

import rdkafka
from harness.cases import case
from rdkafka import admin, create, library, library_admin, produce_all, producer, read, refused

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


def numbered(count, size=100):
    return [{"key": f"key-{n}", "value": f"value-{n}-".encode() + b"x" * size,
             "headers": [("number", str(n).encode()), ("null", None), ("empty", b""), ("number", b"again")]} for n in range(count)]


def assert_same(messages, sent, first_offset=0):
    assert len(messages) == len(sent)
    for n, (got, want) in enumerate(zip(messages, sent)):
        assert got.offset() == first_offset + n, (got.offset(), first_offset + n)
        value = want.get("value")
        assert got.value() == (value.encode() if isinstance(value, str) else value), f"value of {n}"
        key = want.get("key")
        assert got.key() == (key.encode() if isinstance(key, str) else key), f"key of {n}"
        assert (got.headers() or []) == want.get("headers", []), f"headers of {n}"


@case()
def librdkafka_creates_and_deletes_topics(context):
    broker, name = context.broker, context.topic()
    create(broker, name, 3, {"retention.ms": "12345678"})
    topic = admin(broker).list_topics(timeout=30).topics[name]
    assert topic.error is None and sorted(topic.partitions) == [0, 1, 2], topic
    assert all(p.leader == 1 and p.replicas == [1] and p.isrs == [1] for p in topic.partitions.values())
    assert refused(lambda: create(broker, name)) == "TOPIC_ALREADY_EXISTS"
    admin(broker).delete_topics([name])[name].result(30)
    assert refused(lambda: admin(broker).delete_topics([name])[name].result(30)) == "UNKNOWN_TOPIC_OR_PART"
    create(broker, name, 1)  # the name is free again
    produce_all(broker, name, numbered(3))
    assert_same(read(broker, name, 3), numbered(3))


@case()
def librdkafka_creates_topics_by_producing(context):
    produce_all(context.broker, context.topic(), numbered(10))
    assert_same(read(context.broker, context.topic(), 10), numbered(10))


def _each_codec(context, **config):
    for codec in CODECS:
        name = context.topic(codec)
        create(context.broker, name)
        sent = numbered(1000)
        offsets = produce_all(context.broker, name, sent, compression_type=codec, **config)
        assert offsets == list(range(1000)), f"{codec}: offsets {offsets[:5]}..."
        assert_same(read(context.broker, name, 1000), sent)


@case()
def librdkafka_each_codec(context):
    _each_codec(context)


@case()
def librdkafka_each_codec_idempotent(context):
    _each_codec(context, enable_idempotence=True)


@case()
def librdkafka_reads_from_any_offset(context):
    """Batches of 100 records: most offsets lie inside one."""
    for codec in ("none", "lz4"):
        name = context.topic(codec)
        create(context.broker, name)
        sent = numbered(300)
        produce_all(context.broker, name, sent, linger_ms=500, batch_num_messages=100, compression_type=codec)
        for offset in (0, 1, 37, 99, 100, 101, 150, 299):
            assert_same(read(context.broker, name, 300 - offset, offset), sent[offset:], offset)
    logical = read(context.broker, context.topic("none"), 300, library().OFFSET_BEGINNING)
    assert logical[0].offset() == 0


@case()
def librdkafka_reads_by_time(context):
    broker, name = context.broker, context.topic()
    create(broker, name)
    base = int(time.time() * 1000) - 100_000
    times = [base + n * 1000 for n in range(10)]
    produce_all(broker, name, [{"value": str(n), "timestamp": t} for n, t in enumerate(times)], linger_ms=200)
    consumer = rdkafka.consumer(broker)

    def at(timestamp):
        answer = consumer.offsets_for_times([library().TopicPartition(name, 0, timestamp)], timeout=30)[0]
        assert answer.error is None, answer.error
        return answer.offset
    assert at(base - 5000) == 0, "before the first"
    assert [at(t) for t in times] == list(range(10)), "equal"
    assert [at(t + 1) for t in times[:-1]] == list(range(1, 10)), "between"
    assert at(times[-1] + 1) == library().OFFSET_END, "after the last"
    consumer.close()
    got = read(broker, name, 10)
    assert [m.timestamp() for m in got] == [(library().TIMESTAMP_CREATE_TIME, t) for t in times]


@case()
def librdkafka_log_append_time(context):
    name = context.topic()
    create(context.broker, name, config={"message.timestamp.type": "LogAppendTime"})
    before = int(time.time() * 1000)
    produce_all(context.broker, name, [{"value": "v", "timestamp": before - 1_000_000}])
    kind, when = read(context.broker, name, 1)[0].timestamp()
    assert kind == library().TIMESTAMP_LOG_APPEND_TIME and before - 1000 <= when <= time.time() * 1000 + 1000, (kind, when)


@case()
def librdkafka_watermarks(context):
    broker, name = context.broker, context.topic()
    create(broker, name, 2)
    consumer = rdkafka.consumer(broker)
    part = [library().TopicPartition(name, p) for p in (0, 1)]
    assert consumer.get_watermark_offsets(part[0], timeout=30) == (0, 0)
    produce_all(broker, name, numbered(25), partition=1)
    assert consumer.get_watermark_offsets(part[1], timeout=30) == (0, 25)
    assert consumer.get_watermark_offsets(part[0], timeout=30) == (0, 0)
    consumer.close()
    spec, kafka = library_admin().OffsetSpec, admin(broker)
    for ask, want in ((spec.earliest(), 0), (spec.latest(), 25), (spec.max_timestamp(), None), (spec.for_timestamp(1), 0)):
        answer = list(kafka.list_offsets({part[1]: ask}).values())[0].result(30)
        assert want is None and 0 <= answer.offset < 25 or answer.offset == want, (ask, answer.offset)


@case()
def librdkafka_empty_null_and_large(context):
    """Empty and null keys and values differ; 1 MiB of each goes through where the topic allows it."""
    name = context.topic()
    create(context.broker, name, config={"max.message.bytes": "4000000"})
    mib = os.urandom(1 << 20)
    sent = [{"key": b"", "value": b""}, {"key": None, "value": None}, {"key": b"k", "value": None}, {"key": None, "value": b"v"},
            {"key": mib, "value": b"v"}, {"key": b"k", "value": mib}, {"key": mib, "value": mib}, {"key": b"", "value": None}]
    for codec in ("none", "zstd"):
        offsets = produce_all(context.broker, name, sent, message_max_bytes=4_000_000, compression_type=codec)
        assert_same(read(context.broker, name, len(sent), offsets[0]), sent, offsets[0])


@case()
def librdkafka_is_refused_what_is_too_large(context):
    broker, name = context.broker, context.topic()
    create(broker, name)
    large = [{"value": os.urandom(1_100_000)}]
    assert refused(lambda: produce_all(broker, name, large, message_max_bytes=4_000_000)) == "MSG_SIZE_TOO_LARGE"
    produce_all(broker, name, [{"value": "small enough"}])
    assert read(broker, name, 1)[0].value() == b"small enough"


@case()
def librdkafka_unknown_topic(context):
    broker = context.broker
    assert "none-such" not in admin(broker).list_topics(timeout=30).topics
    names = library().TopicCollection([context.topic("none-such")])
    result = admin(broker).describe_topics(names)[context.topic("none-such")]
    assert refused(lambda: result.result(30)) == "UNKNOWN_TOPIC_OR_PART"
    create(broker, context.topic("known"))
    consumer = rdkafka.consumer(broker)
    assert refused(lambda: consumer.get_watermark_offsets(library().TopicPartition(context.topic("known"), 9), timeout=30)) in (
        "UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_PARTITION")
    consumer.close()


@case()
def librdkafka_invalid_names(context):
    broker = context.broker
    for name in ("..", ".", "a b", "ä", "b" * 250):
        assert refused(lambda: create(broker, name)) == "TOPIC_EXCEPTION", name
    longest = "c" * 249
    create(broker, longest)
    produce_all(broker, longest, numbered(5))
    assert_same(read(broker, longest, 5), numbered(5))


@case()
def librdkafka_lists_the_cluster(context):
    broker, kafka = context.broker, admin(context.broker)
    for n in range(3):
        create(broker, context.topic(str(n)), n + 1)
    listed = kafka.list_topics(timeout=30)
    assert list(listed.brokers) == [1] and listed.brokers[1].port == broker.port and listed.controller_id == 1
    assert [len(listed.topics[context.topic(str(n))].partitions) for n in range(3)] == [1, 2, 3]
    cluster = kafka.describe_cluster().result(30)
    assert len(cluster.cluster_id) == 22 and [n.id for n in cluster.nodes] == [1]
    described = kafka.describe_topics(library().TopicCollection([context.topic("2")]))[context.topic("2")].result(30)
    assert [p.leader.id for p in described.partitions] == [1, 1, 1]


@case()
def librdkafka_describes_configs(context):
    """Every key of a topic and of a broker with the value and source that Apache Kafka gives it."""
    from recording import OURS, Normaliser, load
    broker = context.broker
    create(broker, context.topic(), config={"retention.ms": "1234567", "cleanup.policy": "compact,delete"})
    admin_api = library_admin()
    wanted = {"topic": load("describe_topic_configs")[3][1]["results"][0]["configs"],
              "broker": load("describe_broker_configs")[1][1]["results"][0]["configs"]}
    words, wrong = Normaliser(broker, 0), []
    for kind, name in (("topic", context.topic()), ("broker", "1")):
        resource = admin_api.ConfigResource(kind, name)
        got = admin(broker).describe_configs([resource])[resource].result(30)
        for want in wanted[kind]:
            have = got.pop(want["name"], None)
            if have is None:
                wrong.append(f"{kind} key {want['name']} is missing")
            elif (words.text(have.value, "") if have.value is not None else None, have.source) != (want["value"], want["config_source"]):
                wrong.append(f"{kind} key {want['name']} is {have.value} from {have.source}, Kafka: {want['value']} from {want['config_source']}")
        wrong += [f"{kind} key {key} is none of Kafka's" for key in got if key not in OURS]
    assert not wrong, f"{len(wrong)} differ: " + "; ".join(wrong[:8])


@case()
def librdkafka_many_partitions_and_producers(context):
    """Eight producers, idempotent or not, into 20 partitions: everything arrives once and in its order."""
    broker, name = context.broker, context.topic()
    create(broker, name, 20)
    producers = [producer(broker, enable_idempotence=n % 2 == 0, compression_type=CODECS[n % 5]) for n in range(8)]
    for i in range(1000):
        for n, p in enumerate(producers):
            p.produce(name, value=f"{n}:{i}", partition=i % 20)
            p.poll(0)
    assert all(p.flush(60) == 0 for p in producers)
    seen = [[] for _ in producers]
    for partition in range(20):
        for message in read(broker, name, 400, partition=partition):
            n, i = map(int, message.value().split(b":"))
            seen[n].append((partition, i))
    for n, pairs in enumerate(seen):
        assert pairs == [(p, i) for p in range(20) for i in range(p, 1000, 20)], f"producer {n}"
