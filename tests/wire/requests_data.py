"""Right requests of the APIs that carry data: one row an API, and one a way to build a batch."""
from bodies import epoch_end, fetch, list_offsets, produce
from harness.batches import batch, record
from pair import Row

TIMEOUTS = (-(1 << 31), -1, 0, 1, (1 << 31) - 1)
HEADERS = {  # what is unusual about the batch: arguments of batch()
    **{f"attributes {a}": {"attributes": a} for a in (*range(1, 17), 0x20, 0x30, 0x40, 0x80, 0x4000, -1)},
    **{f"magic {m}": {"magic": m} for m in (-128, -1, 0, 1, 3, 127)},
    **{f"count {n}": {"count": n} for n in (-(1 << 31), -1, 0, 1, 3, (1 << 31) - 1)},
    **{f"last offset delta {n}": {"last_offset_delta": n} for n in (-(1 << 31), -1, 0, 2, (1 << 31) - 1)},
    **{f"base offset {n}": {"base_offset": n} for n in (-(1 << 63), -1, 1, 1 << 40)},
    **{f"greatest time {n}": {"max_time": n} for n in (-(1 << 63), -1, 0, (1 << 63) - 1)},
    **{f"producer {i} epoch {e} sequence {q}": {"producer_id": i, "producer_epoch": e, "base_sequence": q}
       for i, e, q in ((-1, 0, 0), (-2, 0, 0), (1 << 40, -1, 0), (1 << 40, 0, -1), (1 << 40, 0, -2), (1 << 40, 0, 0), (1 << 40, 5, 0),
                       (1 << 40, 32767, 0), (1 << 40, 0, 7), (1 << 40, 0, (1 << 31) - 1), (0, 0, 0), ((1 << 63) - 1, 0, 0))},
    **{f"leader epoch {e}": {"leader_epoch": e} for e in (-(1 << 31), -2, 0, 7, (1 << 31) - 1)},
    **{f"checksum {c}": {"crc": c} for c in (0, 1, (1 << 32) - 1)},
    **{f"times {t}": {"times": t} for t in ((0, -5), (-1 << 40, 0), (5, 0), (1 << 40, 0))},
    "no records": {"records": b""},
    "a record without a body": {"records": b"\x00"},
    "a record of negative length": {"records": b"\x01"},
    "an endless varint": {"records": b"\xff" * 12},
    "a header without a name": {"records": b"\x12\x00\x00\x00\x01\x02a\x02\x01\x01"},
    "a header without a value": {"records": b"\x12\x00\x00\x00\x01\x02a\x02\x00\x01"},
    "more headers than bytes": {"records": b"\x0e\x00\x00\x00\x01\x02a\x7e"},
    "less than no headers": {"records": b"\x0e\x00\x00\x00\x01\x02a\x01"},
    "deltas that skip one": {"records": record(0, 0, None, b"a") + record(2, 1, None, b"b"), "last_offset_delta": 2},
    "deltas that fall": {"records": record(1, 0, None, b"a") + record(0, 1, None, b"b")},
    "a negative delta": {"records": record(-1, 0, None, b"a") + record(0, 1, None, b"b")},
    "empty keys and values": {"records": record(0, 0, b"", b"") + record(1, 1, b"", None)},
}


def prepare(side):
    side.producer_id()
    side.topic("sweep-write", 2)
    side.topic("sweep-read", 2)
    for values in ([b"a", b"b", b"c"], [b"d" * 100] * 5, [b"e"]):
        answer = side.prepare("Produce", 12, produce("sweep-read", batch(values, side.base_time)))
        assert answer["responses"][0]["partition_responses"][0]["error_code"] == 0, answer
    side.known["read"], side.known["write"] = (side.prepare("Metadata", 12, {"topics": [{"name": f"sweep-{n}"}]})
                                               ["topics"][0]["topic_id"] for n in ("read", "write"))


def written(side, _):
    return produce("sweep-write", batch([b"a", b"b"], side.base_time), topic_id=side.known["write"])


def unusual(arguments):
    def body(side, name):
        topic_id = side.topic(name)
        return produce(name, batch([b"a", b"b"], side.base_time, **arguments), topic_id=topic_id)
    return body


def there(side, name):
    return fetch(name)


ROWS = [
    Row("Produce", written, {"acks": (-1, 1, 2, -2, -32768, 32767), "timeout_ms": TIMEOUTS}),
    *(Row("Produce", unusual(a), label=label, only=(3, 13), again=True, plain=True, then=(("Fetch", 12, there),))
      for label, a in HEADERS.items()),
    Row("Fetch", lambda side, _: fetch("sweep-read", topic_id=side.known["read"]), {"max_wait_ms": (-(1 << 31), -1, 0, 1)}),
    Row("Fetch", lambda side, _: fetch("sweep-read", 3, topic_id=side.known["read"], partitions=(1, 0), isolation=1, session_epoch=0,
                                       forgotten=(0, 5)), {"max_wait_ms": (0, 1)}, label="a new session"),
    Row("ListOffsets", lambda side, _: list_offsets("sweep-read", -1), {
        "timestamp": (-(1 << 63), -7, -6, -5, -4, -3, -2, -1, 0, 1, (1 << 63) - 1), "timeout_ms": TIMEOUTS}),
    Row("OffsetForLeaderEpoch", lambda side, _: epoch_end("sweep-read", 0)),
    Row("InitProducerId", lambda side, _: {"transactional_id": None, "transaction_timeout_ms": 60000, "producer_id": -1,
                                           "producer_epoch": -1}, {"transactional_id": (None,)}, only=(0, 1, 2, 3, 4, 5)),
    Row("DescribeProducers", lambda side, _: {"topics": [{"name": "sweep-read", "partition_indexes": [0, 1]}]}),
    Row("DeleteRecords", lambda side, _: {"timeout_ms": 10000, "topics": [{"name": "sweep-read", "partitions": [
        {"partition_index": 0, "offset": 0}]}]}, {"timeout_ms": (10000, (1 << 31) - 1)}),
]
