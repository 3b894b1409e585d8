"""The figures, each with how it is measured. A figure's `measure` gives {subject: [one value a run]}."""
import dataclasses
import json
import os
import pathlib
import statistics
import time
from collections.abc import Callable

from subjects import PROGRAMS, OtherLoad, call, new_broker, new_subject
from harness.batches import batch
from harness.client import Closed
from harness.processes import run

notes = []        # lines for below the table
_other_cores = []


def other_load():
    """Median over all runs."""
    return statistics.median(_other_cores) if _other_cores else 0.0


@dataclasses.dataclass
class Setting:
    options: object
    folder: pathlib.Path
    subjects: list

    def brokers(self):
        return [s for s in self.subjects if s != "floor"]


@dataclasses.dataclass
class Figure:
    name: str
    title: str
    unit: str
    measure: Callable
    at_most: float | None = None         # of Moldau's own value
    share_of_kafka: float | None = None  # Moldau's value by Kafka's


@dataclasses.dataclass
class Load:
    """How the load generator is called, and what one of its results is worth."""
    arguments: list
    per: Callable   # its result -> what CPU seconds are divided by
    preload: list | None = None  # filled in first, then the measured one reads it
    least_secs: float = 0
    topic: dict | None = None    # configs of the topic


def loadgen(port, topic, arguments, secs, warmup=1.0):
    done = run([PROGRAMS / "loadgen", "--bootstrap", f"127.0.0.1:{port}", "--topic", topic, "--secs", secs, "--warmup", warmup,
                *arguments], within=secs + warmup + 120, check=True)
    result = json.loads(done.stdout)
    assert result["errors"] == 0 and result["requests"] > 0, result
    return result


def _measured(subject, load, secs):
    """One run: (result, CPU seconds of the server)."""
    topic = subject.fresh_topic(load.topic)
    if load.preload:
        loadgen(subject.port, topic, load.preload, secs / 2)
    noise, used = OtherLoad(), resources()
    before = subject.process.cpu_seconds()
    result = loadgen(subject.port, topic, load.arguments, secs)
    cpu = subject.process.cpu_seconds() - before
    _other_cores.append(noise.cores(cpu + resources() - used))
    return result, cpu


def resources():
    """CPU seconds of the children that ended: the load generator."""
    t = os.times()
    return t.children_user + t.children_system + t.user + t.system


def _alternating(setting, load, values):
    """Starts all, warms Kafka, then runs them in turn. `values(result, cpu)` gives a tuple of figures."""
    secs = max(setting.options.secs, load.least_secs)
    names = setting.brokers() if load.topic else setting.subjects  # the floor knows no configs
    subjects = [new_subject(name, setting.folder / name).start() for name in names]
    out = {s.name: [] for s in subjects}
    try:
        for subject in subjects:
            if subject.name == "kafka":
                topic = subject.fresh_topic(load.topic)
                if load.preload:
                    loadgen(subject.port, topic, load.preload, secs / 2)
                loadgen(subject.port, topic, load.arguments, setting.options.warmup)
        for _ in range(setting.options.runs):
            for subject in subjects:
                out[subject.name].append(values(*_measured(subject, load, secs)))
    finally:
        for subject in subjects:
            subject.stop()
    return out


def _cpu_per(load):
    def measure(setting):
        out = _alternating(setting, load, lambda result, cpu: cpu / load.per(result))
        return out
    return measure


def _gigabytes(result):
    return result["bytes"] / 1e9


def _millions(result):
    return result["requests"] / 1e6


LARGE = ["--mode", "produce", "--conns", 4, "--depth", 8, "--batch-records", 16, "--record-bytes", 1024, "--acks", -1]
SMALL = ["--mode", "produce", "--conns", 8, "--depth", 16, "--batch-records", 1, "--record-bytes", 100, "--acks", -1]
OPEN = ["--mode", "produce", "--conns", 4, "--depth", 1000, "--batch-records", 1, "--record-bytes", 1024, "--acks", -1, "--rate", 2000]
FETCH = ["--mode", "fetch", "--conns", 4, "--max-bytes", 1 << 20]

_open_loop_runs = {}


def _open_loop(setting):
    """One measurement for two figures: 150,000 samples take 75 s."""
    load = Load(OPEN, _millions, least_secs=75.5)
    if not _open_loop_runs:
        _open_loop_runs.update(_alternating(setting, load, lambda result, cpu: (
            result["p999_ms"], cpu / _millions(result), result["samples"])))
        least = min(sample[2] for runs in _open_loop_runs.values() for sample in runs)
        notes.append(f"Open loop: {least:,} samples a run at least.")
    return _open_loop_runs


def _open_p999(setting):
    return {name: [r[0] for r in runs] for name, runs in _open_loop(setting).items()}


def _open_cpu(setting):
    return {name: [r[1] for r in runs] for name, runs in _open_loop(setting).items()}


def _first_produce(setting):
    """From an empty directory and no process to the first acknowledged produce, a topic's creation included."""
    out = {name: [] for name in setting.brokers()}
    for n in range(setting.options.runs):
        for name in setting.brokers():
            broker = new_broker(name, setting.folder / f"{name}-{n}")
            started = time.monotonic()
            broker.launch()
            _produce_one(broker)
            out[name].append((time.monotonic() - started) * 1000)
            broker.kill9()
    notes.append(f"One fdatasync of 4 KiB took {fsync_ms(setting.folder):.2f} ms (median of 100).")
    return out


def _produce_one(broker):
    body = {"acks": -1, "timeout_ms": 10000, "topic_data": [{"name": "first", "partition_data": [
        {"index": 0, "records": batch([b"first"], int(time.time() * 1000))}]}]}
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            call(broker.port, "Metadata", 12, {"topics": [{"name": "first"}]})  # creates it
            if call(broker.port, "Produce", 9, body)["responses"][0]["partition_responses"][0]["error_code"] == 0:
                return
        except (OSError, Closed):
            pass
        assert broker.alive, broker.log_tail()
        time.sleep(0.0005)
    raise AssertionError(f"no acknowledged produce within 120 s:\n{broker.log_tail()}")


def fsync_ms(folder):
    took = []
    path = folder / "fsync"
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    for _ in range(100):
        os.write(fd, b"x" * 4096)
        before = time.monotonic()
        os.fdatasync(fd)
        took.append((time.monotonic() - before) * 1000)
    os.close(fd)
    path.unlink()
    return statistics.median(took)


def _idle_memory(setting):
    """Resident memory of a started node without clients, 10 s after it was ready."""
    out = {name: [] for name in setting.brokers()}
    for n in range(setting.options.runs):
        for name in setting.brokers():
            broker = new_broker(name, setting.folder / f"{name}-{n}").start()
            time.sleep(10)
            out[name].append(broker.process.resident_bytes() / 1e6)
            broker.kill9()
    return out


def _recompression(codec):
    return Figure(f"recompress-{codec}", f"produce uncompressed text into compression.type={codec}, 4 × 8 in flight, 16 × 1 KiB: CPU", "s/GB",
                  _cpu_per(Load([*LARGE, "--text", 1], _gigabytes, topic={"compression.type": codec})), share_of_kafka=0.7)


FIGURES = [
    Figure("first", "empty directory to the first acknowledged produce", "ms", _first_produce, at_most=100),
    Figure("memory", "resident memory, idle", "MB", _idle_memory, at_most=20),
    Figure("produce", "produce, 4 × 8 in flight, 16 × 1 KiB, acks=-1: CPU", "s/GB", _cpu_per(Load(LARGE, _gigabytes)), share_of_kafka=1 / 3),
    Figure("small", "produce, 8 × 16 in flight, one record of 100 bytes: CPU", "s/million", _cpu_per(Load(SMALL, _millions)),
           share_of_kafka=1 / 10),
    Figure("fetch", "fetch of the same data, 4 connections: CPU", "s/GB", _cpu_per(Load(FETCH, _gigabytes, preload=LARGE)), share_of_kafka=0.75),
    Figure("open", "open loop, 2,000 requests/s of 1 KiB, acks=-1: p99.9", "ms", _open_p999, share_of_kafka=0.6),
    Figure("open-cpu", "the same: CPU", "s/million", _open_cpu, share_of_kafka=1 / 3),
    *(_recompression(codec) for codec in ("gzip", "snappy", "lz4", "zstd")),
]
