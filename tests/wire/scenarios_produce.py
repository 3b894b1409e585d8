"""Produce: every version and acks, what is refused and how, idempotent producers; InitProducerId."""
import uuid

from bodies import create, fetch, list_offsets, produce
from harness.batches import batch, record
from harness.client import new_producer_id
from recording import scenario


@scenario()
def produce_versions(s):
    topic_id = s.topic("produce-versions")
    for version in range(3, 14):
        for acks in (-1, 1):
            s.call(f"acks {acks}", "Produce", version,
                   produce("produce-versions", batch([b"a", b"b"], s.base_time), topic_id=topic_id, acks=acks))
    s.call("what is there", "Fetch", 12, fetch("produce-versions"))
    for acks in (2, -2, 100):
        s.call(f"acks {acks}", "Produce", 9, produce("produce-versions", batch([b"a"], s.base_time), acks=acks))


@scenario()
def produce_without_an_answer(s):
    topic_id = s.topic("produce-acks0")
    for version in range(3, 14):
        s.connection.send_bytes(s.connection.frame("Produce", version, produce(
            "produce-acks0", batch([b"a"], s.base_time), topic_id=topic_id, acks=0)))
        s.connection.expected.pop()
        s.call(f"the end after acks 0 v{version}", "ListOffsets", 7, list_offsets("produce-acks0", -1))
    for label, body in (("an unknown topic", produce("produce-acks0-none", batch([b"a"], s.base_time), acks=0)),
                        ("a wrong checksum", produce("produce-acks0", batch([b"a"], s.base_time, crc=1), acks=0))):
        connection = type(s.connection)(s.broker.port)
        connection.send_bytes(connection.frame("Produce", 9, body))
        s.note(f"acks 0 to {label}: closed", connection.is_closed_by_broker())


@scenario()
def produce_refusals(s):
    """Each on a topic of its own, so that one difference doesn't show up in all later offsets."""
    topic_id = s.topic("refusals", 2)
    s.topic("refusals-compacted", cleanup_policy="compact")
    s.topic("refusals-small", max_message_bytes=1000)
    t, good = s.base_time, batch([b"a", b"b"], s.base_time)
    cases = {
        "an unknown topic": produce("refusals-none", good),
        "an unknown partition": produce("refusals", good, partition=2),
        "a negative partition": produce("refusals", good, partition=-1),
        "an illegal name": produce("..", good),
        "empty records": produce("refusals", b""),
        "rubbish": produce("refusals", b"\x00" * 61),
        "a cut header": produce("refusals", good[:40]),
        "a cut batch": produce("refusals", good[:-3]),
        "a batch and rubbish": produce("refusals", good + b"rubbish"),
        "two batches": produce("refusals", good + good),
        "a wrong checksum": produce("refusals", batch([b"a"], t, crc=123)),
        "magic 1": produce("refusals", batch([b"a"], t, magic=1)),
        "magic 3": produce("refusals", batch([b"a"], t, magic=3)),
        "a base offset": produce("refusals", batch([b"a"], t, base_offset=17)),
        "a count too high": produce("refusals", batch([b"a", b"b"], t, count=3, last_offset_delta=2)),
        "a count too low": produce("refusals", batch([b"a", b"b"], t, count=1, last_offset_delta=0)),
        "a count unlike the last delta": produce("refusals", batch([b"a", b"b"], t, count=2, last_offset_delta=5)),
        "no records": produce("refusals", batch([], t, count=0, last_offset_delta=0)),
        "no records, delta -1": produce("refusals", batch([], t, count=0, last_offset_delta=-1)),
        "gzip": produce("refusals", batch([b"a" * 100] * 5, t, gzip=True)),
        "gzip with a wrong count": produce("refusals", batch([b"a" * 100] * 5, t, gzip=True, count=6, last_offset_delta=5)),
        "broken gzip": produce("refusals", batch([b"a"], t, records=b"\x1f\x8b\x08no gzip at all", attributes=1)),
        "an unknown codec": produce("refusals", batch([b"a"], t, attributes=5)),
        "the last unknown codec": produce("refusals", batch([b"a"], t, attributes=7)),
        "a control batch": produce("refusals", batch([b"a"], t, attributes=0x20)),
        "LogAppendTime from a client": produce("refusals", batch([b"a"], t, attributes=8)),
        "a transactional batch without its id": produce("refusals", batch([b"a"], t, attributes=0x10)),
        "a time two hours ahead": produce("refusals", batch([b"a"], t + 7_200_000)),
        "no time": produce("refusals", batch([b"a"], -1, max_time=-1)),
        "a wrong greatest time": produce("refusals", batch([b"a", b"b"], t, max_time=t + 50)),
        "an unused attribute": produce("refusals", batch([b"a"], t, attributes=0x100)),
        "a record attribute": produce("refusals", batch([b"a"], t, records=b"\x0e\x05\x00\x00\x01\x02a\x00")),
        "a record that is too long": produce("refusals", batch([b"a"], t, records=b"\xfe\x01\x00\x00\x00\x01\x02a\x00")),
        "bytes after the records": produce("refusals", batch([b"a"], t, records=record(0, 0, None, b"a") + b"rest")),
        "no key in a compacted topic": produce("refusals-compacted", batch([b"a"], t)),
        "a key in a compacted topic": produce("refusals-compacted", batch([b"a"], t, key=b"k")),
        "null value in a compacted topic": produce("refusals-compacted", batch([None], t, key=b"k")),
        "too large for the topic": produce("refusals-small", batch([b"x" * 2000], t)),
        "gzip, small enough": produce("refusals-small", batch([b"x" * 2000], t, gzip=True)),
    }
    for number, (label, body) in enumerate(cases.items()):
        own = body["topic_data"][0]
        shared = own["name"] != "refusals"
        if not shared:
            own["name"] = f"refusals-{number}"
            s.topic(own["name"])
        for version in (3, 7, 8, 12):
            s.call(label, "Produce", version, body)
        if not shared:
            s.call(f"what is there after {label}", "Fetch", 12, fetch(own["name"]))
    s.call("an unknown id", "Produce", 13, produce("", good, topic_id=uuid.UUID(int=5)))
    s.call("no id", "Produce", 13, produce("", good))
    s.call("what is there", "Fetch", 12, fetch("refusals-compacted"))
    s.call("what is there", "Fetch", 12, fetch("refusals-small"))
    both = {"name": "refusals", "topic_id": topic_id, "partition_data": [
        {"index": 0, "records": good}, {"index": 9, "records": good}, {"index": 1, "records": batch([b"z"], t, crc=3)}]}
    s.call("one good and two bad partitions", "Produce", 12, {"acks": -1, "timeout_ms": 10000, "topic_data": [both]})
    s.call("no topics", "Produce", 12, {"acks": -1, "timeout_ms": 10000, "topic_data": []})


@scenario()
def produce_too_large(s):
    s.topic("too-large")
    s.call("over 1 MiB", "Produce", 9, produce("too-large", batch([b"x" * (1 << 20)], s.base_time)))
    s.call("just under", "Produce", 9, produce("too-large", batch([b"x" * ((1 << 20) - 100)], s.base_time)))
    s.call("the end", "ListOffsets", 7, list_offsets("too-large", -1))


@scenario()
def log_append_time(s):
    s.topic("append-time", message_timestamp_type="LogAppendTime")
    for version in (3, 9):
        s.call("create", "Produce", version, produce("append-time", batch([b"a", b"b"], s.base_time)))
        s.call("gzip", "Produce", version, produce("append-time", batch([b"a", b"b"], s.base_time, gzip=True)))
    answer = s.prepare("Fetch", 11, fetch("append-time"))
    s.note("attributes and times", [{k: b[k] for k in ("attributes", "max_time", "count")} for b in _batches(answer)])


def _batches(answer):
    from harness.batches import read_batches
    return read_batches(answer["responses"][0]["partitions"][0]["records"])


@scenario()
def broker_compression(s):
    """A topic with a codec of its own is recompressed; one without compression is unpacked."""
    s.topic("unpacked", compression_type="uncompressed")
    s.call("gzip", "Produce", 9, produce("unpacked", batch([b"aaaa", b"bbbb"], s.base_time, gzip=True)))
    s.call("unpacked", "Fetch", 11, fetch("unpacked"))
    s.topic("packed", compression_type="gzip")
    s.call("plain", "Produce", 9, produce("packed", batch([b"aaaa", b"bbbb"], s.base_time)))
    answer = s.prepare("Fetch", 11, fetch("packed"))
    s.note("packed", [{k: b[k] for k in ("attributes", "count", "last_offset_delta", "base_time", "max_time")} for b in _batches(answer)])


@scenario()
def init_producer_id(s):
    mine = new_producer_id(s.broker.port)
    for version in range(6):
        s.call("a new one", "InitProducerId", version, {"transactional_id": None, "transaction_timeout_ms": 60000})
        s.call("an empty transactional id", "InitProducerId", version, {"transactional_id": "", "transaction_timeout_ms": 60000})
    for version in (3, 4, 5):
        for epoch in (0, 5, 32766, 32767):
            s.call(f"mine with epoch {epoch}", "InitProducerId", version, {
                "transactional_id": None, "transaction_timeout_ms": 60000, "producer_id": mine, "producer_epoch": epoch})
    s.call("id without epoch", "InitProducerId", 4, {"transactional_id": None, "producer_id": 5, "transaction_timeout_ms": 60000})
    s.call("epoch without id", "InitProducerId", 4, {"transactional_id": None, "producer_epoch": 5, "transaction_timeout_ms": 60000})
    s.call("no timeout", "InitProducerId", 4, {"transactional_id": None, "transaction_timeout_ms": 0})


@scenario()
def idempotence(s):
    """Five-batch window, duplicates, gaps, epochs (KIP-98, KIP-360)."""
    s.topic("idempotent")
    pid = new_producer_id(s.broker.port)

    def send(label, sequence, count=2, epoch=0, producer=None, **more):
        values = [f"{sequence}-{i}".encode() for i in range(count)]
        return s.call(label, "Produce", 9, produce("idempotent", batch(
            values, s.base_time, producer_id=pid if producer is None else producer, producer_epoch=epoch, base_sequence=sequence, **more)))

    send("does not begin at 0: an unknown producer", 10, producer=new_producer_id(s.broker.port))
    for sequence in range(0, 16, 2):
        send(f"sequence {sequence}", sequence)
    for sequence in (14, 12, 10, 8, 6, 6):
        send(f"duplicate {sequence}", sequence)
    send("a duplicate older than five batches", 4)
    send("a duplicate older than five batches", 0)
    send("a gap", 20)
    send("half of a known batch", 14, count=1)
    send("overlaps the last batch", 15)
    send("more than the last batch", 14, count=4)
    send("goes on", 16, count=1)
    send("a higher epoch that does not begin at 0", 17, epoch=1)
    send("a higher epoch", 0, epoch=1)
    send("the lower epoch", 17, epoch=0)
    send("the higher epoch goes on", 2, epoch=1)
    send("an epoch skipped", 0, epoch=7)
    send("no epoch", 2, epoch=-1)
    send("no sequence", -1, epoch=7)
    send("no producer but a sequence", 0, epoch=-1, producer=-1)
    send("gzip", 2, epoch=7, gzip=True)
    two = batch([b"a"], s.base_time, producer_id=pid, producer_epoch=7, base_sequence=4)
    s.call("two batches of a producer", "Produce", 9, produce("idempotent", two + batch(
        [b"b"], s.base_time, producer_id=pid, producer_epoch=7, base_sequence=5)))
    s.call("what is there", "Fetch", 11, fetch("idempotent"))


@scenario()
def idempotence_wraps(s):
    """Sequences go from 2,147,483,647 to 0."""
    s.topic("wraps")
    pid, top = new_producer_id(s.broker.port), 2 ** 31 - 1
    for label, sequence, count in (("begins at 0", 0, 1), ("a jump to the end", top - 1, 2)):
        s.call(label, "Produce", 9, produce("wraps", batch(
            [b"v"] * count, s.base_time, producer_id=pid, producer_epoch=0, base_sequence=sequence)))
    other = new_producer_id(s.broker.port)  # an unknown producer may begin anywhere once its topic has forgotten it
    s.topic("wraps-anew")
    for label, sequence, count in (("begins near the end", top - 1, 1), ("across the end", top, 3), ("after it", 2, 1),
                                   ("the crossing one again", top, 3), ("a gap after it", 5, 1)):
        s.call(label, "Produce", 9, produce("wraps-anew", batch(
            [b"v"] * count, s.base_time, producer_id=other, producer_epoch=0, base_sequence=sequence)))


@scenario()
def idempotent_producers_are_separate(s):
    s.topic("separate", 2)
    first, second = new_producer_id(s.broker.port), new_producer_id(s.broker.port)
    for label, pid, partition in (("first on 0", first, 0), ("second on 0", second, 0), ("first on 1", first, 1)):
        for sequence in (0, 1):
            s.call(f"{label}, sequence {sequence}", "Produce", 9, produce("separate", batch(
                [b"v"], s.base_time, producer_id=pid, producer_epoch=0, base_sequence=sequence), partition=partition))
    s.call("what is there", "Fetch", 11, fetch("separate", partitions=(0, 1)))


@scenario()
def produce_to_a_deleted_topic(s):
    topic_id = s.topic("deleted")
    s.call("before", "Produce", 13, produce("deleted", batch([b"a"], s.base_time), topic_id=topic_id))
    s.prepare("DeleteTopics", 6, {"topics": [{"name": "deleted"}], "timeout_ms": 30000})
    s.until_gone("deleted")
    s.call("by id", "Produce", 13, produce("deleted", batch([b"a"], s.base_time), topic_id=topic_id))
    s.call("by name", "Produce", 12, produce("deleted", batch([b"a"], s.base_time)))
    s.prepare("CreateTopics", 7, create("deleted"))
    s.until_led("deleted")
    s.call("by the old id", "Produce", 13, produce("deleted", batch([b"a"], s.base_time), topic_id=topic_id))
    s.call("the new one is empty", "ListOffsets", 7, list_offsets("deleted", -1))
