"""Fetch: every version, sizes, waiting, epochs, and fetch sessions (KIP-227)."""
import threading
import time
import uuid

from bodies import fetch, list_offsets, produce
from harness.batches import batch
from harness.client import call
from recording import scenario


def fill(s, topic, batches, partition=0, size=10, count=2):
    """`batches` batches of `count` records, one request each."""
    for n in range(batches):
        values = [bytes([97 + n % 26]) * size] * count
        answer = s.prepare("Produce", 9, produce(topic, batch(values, s.base_time + n * 10), partition=partition))
        assert answer["responses"][0]["partition_responses"][0]["error_code"] == 0, answer


@scenario()
def fetch_versions(s):
    topic_id = s.topic("fetch-versions")
    fill(s, "fetch-versions", 4)
    for version in range(4, 19):
        for label, offset in (("from the beginning", 0), ("inside a batch", 3), ("at the end", 8), ("past the end", 9), ("negative", -1)):
            s.call(label, "Fetch", version, fetch("fetch-versions", offset, topic_id=topic_id))
        s.call("committed", "Fetch", version, fetch("fetch-versions", 2, topic_id=topic_id, isolation=1))
        s.call("an unknown partition", "Fetch", version, fetch("fetch-versions", topic_id=topic_id, partitions=(4,)))
        s.call("an unknown topic", "Fetch", version, fetch("fetch-none", topic_id=uuid.UUID(int=9)))
        s.call("nothing", "Fetch", version, fetch("", partitions=()))


@scenario()
def fetch_sizes(s):
    topic_id = s.topic("fetch-sizes", 3)
    for partition in range(3):
        fill(s, "fetch-sizes", 6, partition, size=300)
    for limits in ({"partition_max_bytes": 1}, {"partition_max_bytes": 1000}, {"partition_max_bytes": 1400}, {"max_bytes": 1},
                   {"max_bytes": 1000}, {"max_bytes": 4000}, {"max_bytes": 0}, {"partition_max_bytes": 0}, {"partition_max_bytes": -1},
                   {"max_bytes": 5000, "partition_max_bytes": 2000}):
        for version in (4, 12):
            s.call(f"{limits}", "Fetch", version, fetch("fetch-sizes", topic_id=topic_id, partitions=(0, 1, 2), **limits))
    s.call("from inside a batch with little room", "Fetch", 12, fetch("fetch-sizes", 5, partition_max_bytes=10))
    s.call("a partition twice", "Fetch", 12, fetch("fetch-sizes", 0, partitions=(0, 0), partition_max_bytes=10))


@scenario()
def fetch_waits(s):
    """Whether it waits, and what wakes it."""
    s.topic("fetch-waits", 2)
    fill(s, "fetch-waits", 1, size=100)

    def timed(label, body):
        started = time.monotonic()
        answer = s.call(label, "Fetch", 12, body)
        waited = time.monotonic() - started
        s.note(f"{label}: waited", "the whole time" if waited > body["max_wait_ms"] / 1000 * 0.95 and body["max_wait_ms"] else "less")
        return answer

    timed("at the end, no wait", fetch("fetch-waits", 2))
    timed("at the end", fetch("fetch-waits", 2, wait_ms=300))
    timed("at the end, no bytes wanted", fetch("fetch-waits", 2, wait_ms=2000, min_bytes=0))
    timed("enough there", fetch("fetch-waits", 0, wait_ms=2000, min_bytes=100))
    timed("too little there", fetch("fetch-waits", 0, wait_ms=300, min_bytes=5000))
    timed("more wanted than the limit allows", fetch("fetch-waits", 0, wait_ms=300, min_bytes=5000, max_bytes=200))
    timed("an error answers at once", fetch("fetch-waits", 99, wait_ms=2000))
    timed("an error in one of two answers at once", fetch("fetch-waits", 2, wait_ms=2000, partitions=(0, 7)))
    timed("no partition answers at once", fetch("fetch-waits", partitions=(), wait_ms=2000))

    def later(records):
        thread = threading.Thread(target=call, args=(s.broker.port, "Produce", 9, records))
        s.connection.send("Fetch", 12, fetch("fetch-waits", 2, wait_ms=20000, partitions=(0, 1)))
        thread.start()
        started = time.monotonic()
        s.note("woken by a produce", s.connection.receive())
        s.note("woken by a produce: waited", "less" if time.monotonic() - started < 15 else "the whole time")
        thread.join()
    later(produce("fetch-waits", batch([b"woke"], s.base_time)))


@scenario()
def fetch_epochs(s):
    topic_id = s.topic("fetch-epochs")
    fill(s, "fetch-epochs", 2)
    for version in (9, 11, 12, 16):
        for epoch in (-1, 0, 1, 5):
            s.call(f"current leader epoch {epoch}", "Fetch", version, fetch("fetch-epochs", topic_id=topic_id, leader_epoch=epoch))
    for version in (12, 16, 18):
        for epoch in (-1, 0, 1):
            s.call(f"last fetched epoch {epoch}", "Fetch", version, fetch("fetch-epochs", 2, topic_id=topic_id, last_fetched_epoch=epoch))
            s.call(f"last fetched epoch {epoch}, past the end", "Fetch", version,
                   fetch("fetch-epochs", 9, topic_id=topic_id, last_fetched_epoch=epoch))


@scenario()
def fetch_sessions(s):
    topic_id, other = s.topic("session", 3), s.topic("session-other")
    for version in (7, 12, 13, 17):
        s.normaliser.sessions.clear()  # numbered anew: a session more or less is to show once
        fill(s, "session", 1)
        named = {"topic_id": topic_id}
        answer = s.call("full, opens one", "Fetch", version, fetch("session", **named, partitions=(0, 1, 2), session_epoch=0))
        sid = answer["session_id"]
        end = answer["responses"][0]["partitions"][0]["high_watermark"]
        s.call("incremental, nothing new in it", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=1))
        s.call("moves on to the end", "Fetch", version, fetch("session", end, **named, session_id=sid, session_epoch=2))
        s.call("nothing changed", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=3))
        fill(s, "session", 1)
        s.call("one changed", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=4))
        s.call("forgets it", "Fetch", version, fetch("session", **named, partitions=(), forgotten=(0,), session_id=sid, session_epoch=5))
        s.call("the forgotten one is silent", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=6))
        s.call("adds another topic", "Fetch", version,
               fetch("session-other", topic_id=other, session_id=sid, session_epoch=7))
        s.call("adds an unknown partition", "Fetch", version, fetch("session", **named, partitions=(8,), session_id=sid, session_epoch=8))
        s.call("the error comes again", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=9))
        s.call("a wrong epoch", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=17))
        s.call("the right epoch still works", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=10))
        s.call("an unknown session", "Fetch", version, fetch("", partitions=(), session_id=sid + 1000, session_epoch=1))
        s.call("an old one is closed, a new one opened", "Fetch", version,
               fetch("session", **named, session_id=sid, session_epoch=0))
        s.call("the old one is gone", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=11))
        s.call("sessionless", "Fetch", version, fetch("session", end, **named))
        answer = s.prepare("Fetch", version, fetch("session", **named, session_epoch=0))
        s.call("ended by its client", "Fetch", version,
               fetch("", partitions=(), session_id=answer["session_id"], session_epoch=-1))
        s.call("after its end", "Fetch", version, fetch("", partitions=(), session_id=answer["session_id"], session_epoch=1))
        s.call("an empty session", "Fetch", version, fetch("", partitions=(), session_epoch=0))


@scenario()
def fetch_session_sees_deletion(s):
    for version in (12, 13):
        name = f"session-deleted-{version}"
        topic_id = s.topic(name)
        fill(s, name, 1)
        sid = s.prepare("Fetch", version, fetch(name, topic_id=topic_id, session_epoch=0))["session_id"]
        s.prepare("DeleteTopics", 6, {"topics": [{"name": name}], "timeout_ms": 30000})
        s.until_gone(name)
        s.call("after the deletion", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=1))
        new_id = s.topic(name)
        s.call("after it was created again", "Fetch", version, fetch("", partitions=(), session_id=sid, session_epoch=2))
        s.call("with its new id", "Fetch", version, fetch(name, topic_id=new_id, session_id=sid, session_epoch=3))


@scenario()
def fetch_across_segments(s):
    """Reads go on over the ends of segments; old offsets are found in old segments."""
    s.topic("segments", segment_bytes=1048576)
    fill(s, "segments", 40, size=60000, count=1)
    for offset in (0, 1, 16, 17, 18, 30, 39):
        answer = s.prepare("Fetch", 12, fetch("segments", offset, partition_max_bytes=300000))
        partition = answer["responses"][0]["partitions"][0]
        from harness.batches import read_batches
        offsets = [b["base_offset"] for b in read_batches(partition["records"]) if "base_offset" in b]
        s.note(f"from {offset}", [partition["error_code"], offsets[:1]])
    s.call("the end", "ListOffsets", 7, list_offsets("segments", -1))
    for n in (0, 17, 39):
        s.call(f"by time, batch {n}", "ListOffsets", 7, list_offsets("segments", s.base_time + n * 10))
