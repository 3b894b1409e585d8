"""Figures of a node that holds much: many partitions, many connections, old data that is read and compacted beside new."""
import concurrent.futures
import os
import threading
import time

from figures import OPEN, Figure, loadgen, notes
from harness.batches import batch
from harness.client import Connection
from subjects import call, new_subject

TOPICS, PARTITIONS = 10, 1000

# ---- 10,000 partitions

_many = {}


def _fill(subject):
    """A small batch into each partition."""
    records = batch([b"x" * 1024], int(time.time() * 1000))
    for n in range(TOPICS):
        subject.create(f"many-{n}", PARTITIONS)
        answer = call(subject.port, "Produce", 9, {"acks": -1, "timeout_ms": 60000, "topic_data": [
            {"name": f"many-{n}", "partition_data": [{"index": p, "records": records} for p in range(PARTITIONS)]}]})
        assert all(p["error_code"] == 0 for p in answer["responses"][0]["partition_responses"])


def _restarted(subject):
    """From the start of the process until it leads every partition, in seconds."""
    started = time.monotonic()
    subject.broker.start(within=300)
    for n in range(TOPICS):
        subject.until_led(f"many-{n}", PARTITIONS)
    return time.monotonic() - started


def _many_partitions(setting):
    """One filling for three figures; a run is a clean restart and one after kill -9."""
    if not _many:
        for name in setting.brokers():
            subject = new_subject(name, setting.folder / name).start()
            try:
                time.sleep(10)
                idle = subject.process.resident_bytes()
                _fill(subject)
                time.sleep(10)
                memory = (subject.process.resident_bytes() - idle) / 1e6
                clean, killed = [], []
                for _ in range(setting.options.runs):
                    subject.broker.stop(within=300)
                    clean.append(_restarted(subject))
                    subject.broker.kill9()
                    killed.append(_restarted(subject))
                _many[name] = {"memory": [memory], "clean": clean, "killed": killed}
            finally:
                subject.stop()
    return _many


def _of_many(what):
    return lambda setting: {name: values[what] for name, values in _many_partitions(setting).items()}


# ---- idle connections

CONNECTIONS = 5000


def _idle_connections(setting):
    """Kilobytes of resident memory for each of 5,000 connections that have asked for ApiVersions and say nothing more."""
    out = {name: [] for name in setting.brokers()}
    for n in range(setting.options.runs):
        for name in setting.brokers():
            subject = new_subject(name, setting.folder / f"{name}-{n}").start()
            connections = []
            try:
                time.sleep(5)
                before = subject.process.resident_bytes()
                for _ in range(CONNECTIONS):
                    connections.append(Connection(subject.port))
                    connections[-1].call("ApiVersions", 3, {"client_software_name": "bench", "client_software_version": "1"})
                out[name].append((subject.process.resident_bytes() - before) / 1024 / CONNECTIONS)
            finally:
                for connection in connections:
                    connection.close()
                subject.stop()
    return out


# ---- beside cold reads and compaction

COMPACTED = {"cleanup.policy": "compact", "segment.bytes": 16 << 20, "min.cleanable.dirty.ratio": 0.01}
COLD_GB = 2
READS = ["--mode", "fetch", "--conns", 2, "--max-bytes", 1 << 20, "--rate", 100]
UPDATES = ["--mode", "produce", "--conns", 4, "--depth", 100, "--batch-records", 16, "--record-bytes", 1024, "--keyed", 1, "--rate", 500]


def _forget(folder, stop):
    """Takes a topic's files out of the page cache again and again, so that every read of them is one of the disk."""
    while not stop.wait(0.2):
        for path in folder.glob("cold-*/*.log"):
            descriptor = os.open(path, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def _beside_old_data(setting):
    out = {name: [] for name in setting.brokers()}
    for n in range(setting.options.runs):
        for name in setting.brokers():
            subject = new_subject(name, setting.folder / f"{name}-{n}", {"log.cleaner.backoff.ms": "1000"}).start()
            try:
                subject.create("cold")
                subject.create("updates", configs=COMPACTED)
                loadgen(subject.port, "cold", ["--mode", "produce", "--conns", 4, "--requests", COLD_GB * 10**9 // (16 * 1024)], 300)
                os.sync()
                out[name].append(_beside(subject))
            finally:
                subject.stop()
    return out


def _beside(subject):
    secs, stop = 75.5, threading.Event()
    topic = subject.fresh_topic()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pool.submit(_forget, subject.broker.data, stop)
        others = [pool.submit(loadgen, subject.port, "cold", READS, secs + 2), pool.submit(loadgen, subject.port, "updates", UPDATES, secs + 2)]
        try:
            measured = loadgen(subject.port, topic, OPEN, secs)
            read, updated = (other.result() for other in others)
        finally:
            stop.set()
    notes.append(f"{subject.name} beside it: {read['bytes'] / 1e6 / secs:.0f} MB/s read cold, {updated['requests'] / secs:.0f} updates a second of 16 records.")
    return measured["p999_ms"]


FIGURES = [
    Figure("many-memory", "10,000 partitions, one batch in each: resident memory above idle", "MB", _of_many("memory"), at_most=100),
    Figure("many-clean", "10,000 partitions: clean restart until all are led", "s", _of_many("clean"), share_of_kafka=1 / 5),
    Figure("many-killed", "10,000 partitions: restart after kill -9", "s", _of_many("killed"), share_of_kafka=1 / 3),
    Figure("connections", "5,000 idle connections: memory each", "KB", _idle_connections, at_most=16),
    Figure("open-beside", "open loop as above beside 100 MB/s of cold reads and a topic that is compacted: p99.9", "ms", _beside_old_data,
           share_of_kafka=0.6),
]
