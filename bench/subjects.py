"""What is measured: Moldau, Apache Kafka and the floor, each with a process, a port and topics."""
import pathlib
import socket
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from harness.broker import KafkaBroker, MoldauBroker  # noqa: E402
from harness.client import call  # noqa: E402
from harness.processes import Process, free_port  # noqa: E402
from harness.waiting import wait_until  # noqa: E402

PROGRAMS = ROOT / "build" / "release" / "bench"
PARTITIONS = 4
# Deleted topics' files go at once: the next run must not write beside their removal.
PROPERTIES = {"log.segment.delete.delay.ms": "100"}


class BrokerSubject:
    def __init__(self, name, broker):
        self.name, self.broker, self._topics = name, broker, 0

    def start(self):
        self.broker.start()
        return self

    def stop(self):
        if self.broker.alive:
            self.broker.kill9()

    @property
    def process(self):
        return self.broker.process

    @property
    def port(self):
        return self.broker.port

    def fresh_topic(self, configs=None):
        """A new topic in the place of the last one."""
        if self._topics:
            self.drop_topic()
        self._topics += 1
        name = f"bench-{self._topics}"
        self.create(name, configs=configs)
        return name

    def create(self, name, partitions=PARTITIONS, configs=None):
        answer = call(self.port, "CreateTopics", 7, {"timeout_ms": 120000, "topics": [
            {"name": name, "num_partitions": partitions, "replication_factor": 1,
             "configs": [{"name": k, "value": str(v)} for k, v in (configs or {}).items()]}]})
        assert answer["topics"][0]["error_code"] == 0, answer
        self.until_led(name, partitions)

    def until_led(self, name, partitions=PARTITIONS):  # metadata may tell of a leader a little before it leads
        def led():
            answer = call(self.port, "ListOffsets", 7, {"replica_id": -1, "topics": [{"name": name, "partitions": [
                {"partition_index": p, "timestamp": -1} for p in range(partitions)]}]})
            return all(p["error_code"] == 0 for p in answer["topics"][0]["partitions"])
        wait_until(led, 120, f"leaders for {name}")

    def drop_topic(self):
        name = f"bench-{self._topics}"
        call(self.port, "DeleteTopics", 6, {"timeout_ms": 60000, "topics": [{"name": name}]})
        wait_until(lambda: not list(self.broker.data.glob(f"{name}-*")), 120, f"the files of {name} to go")


class FloorSubject:
    name = "floor"

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process = Process([PROGRAMS / "floor", self.port, self.folder / "file"], self.folder / "log")
        wait_until(self._accepts, 10, "the floor to listen")
        return self

    def _accepts(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def stop(self):
        if self.process and self.process.alive:
            self.process.kill9()
        (self.folder / "file").unlink(missing_ok=True)

    def fresh_topic(self, configs=None):
        return "any"

    def drop_topic(self):
        pass


def new_broker(name, folder, properties=None):
    kind = MoldauBroker if name == "moldau" else KafkaBroker
    return kind(folder, {**PROPERTIES, **(properties or {})})  # Apache Kafka: 1 GiB of heap


def new_subject(name, folder, properties=None):
    return FloorSubject(folder) if name == "floor" else BrokerSubject(name, new_broker(name, folder, properties))


class OtherLoad:
    """Cores that processes besides the measured ones took between two looks, from /proc/stat."""

    def __init__(self):
        self.at, self.busy = time.monotonic(), self._busy()

    @staticmethod
    def _busy():
        fields = [int(f) for f in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        return (sum(fields) - fields[3] - fields[4]) / 100  # without idle and waiting for a disk

    def cores(self, measured_cpu_seconds):
        return max(0.0, (self._busy() - self.busy - measured_cpu_seconds) / (time.monotonic() - self.at))
