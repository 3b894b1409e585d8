"""The broker under test: one node, Moldau or Apache Kafka, behind the same calls and from the same server.properties."""
import os
import pathlib
import socket
import sys

from . import ROOT
from .client import Closed, Connection
from .metadata_log import MetadataLog
from .processes import Process, free_port
from .waiting import wait_until

MOLDAU = pathlib.Path(os.environ.get("MOLDAU", ROOT / "build" / "moldau"))
READY = "Transitioning from RECOVERY to RUNNING"
CLUSTER_ID = "bW9sZGF1LXRlc3RzLTAwMQ"
CONTROLLER_ID = 3000


class Broker:
    """A node with its folder: server.properties, data/, log. Ports and data stay the same over restarts."""

    kind = "?"

    def __init__(self, folder, properties=None, port=None, controller_port=None):
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.data = self.folder / "data"
        self.port = port or free_port()
        self.controller_port = controller_port or free_port()
        self.properties = {**self._base_properties(), **(properties or {})}
        self.process = None

    @property
    def bootstrap(self):
        return f"127.0.0.1:{self.port}"

    @property
    def alive(self):
        return self.process is not None and self.process.alive

    @property
    def log(self):
        return self.folder / "log"

    def log_tail(self, characters=3000):
        return self.log.read_text(errors="replace")[-characters:] if self.log.exists() else ""

    def _base_properties(self):
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{self.controller_port}",
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{self.controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": str(self.data),
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
        }

    def launch(self):
        """Begins to start; returns at once."""
        path = self.folder / "server.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in self.properties.items()))
        self.process = Process(self._command(path), self.log, cwd=self.folder)

    def start(self, within=90):
        """Ready when this returns."""
        self.launch()
        self.process.wait_for_line(READY, within)
        wait_until(self._accepts, 30 if self.kind == "kafka" else 0, f"{self.kind} said that it is ready, and refuses connections")
        return self

    def _accepts(self):  # Apache Kafka prints the line a little before it listens
        try:
            socket.create_connection(("127.0.0.1", self.port), 5).close()
            return True
        except OSError:
            if not self.alive:
                raise RuntimeError(f"{self.kind} ended while it started:\n{self.log_tail()}") from None
            return False

    def stop(self, within=90):
        """SIGTERM; how long it took, in seconds. Any other end than a clean one is an error."""
        code, seconds = self.process.terminate(within)
        assert code in self.clean_exit_codes, f"{self.kind} ended with {code} on SIGTERM:\n{self.log_tail()}"
        return seconds

    def kill9(self):
        self.process.kill9()


class MoldauBroker(Broker):
    kind = "moldau"
    clean_exit_codes = (0,)

    def __init__(self, folder, properties=None, **named):
        self.admin_port = free_port()
        super().__init__(folder, {"moldau.admin.listener": f"127.0.0.1:{self.admin_port}", **(properties or {})}, **named)

    def _command(self, path):
        if not MOLDAU.exists():
            raise FileNotFoundError(f"{MOLDAU} is missing: run ./dev build")
        return [MOLDAU, "start", path]


class KafkaBroker(Broker):
    kind = "kafka"
    clean_exit_codes = (0, 143)  # a JVM that SIGTERM ends

    def __init__(self, folder, *arguments, heap="1G", **named):
        super().__init__(folder, *arguments, **named)
        self.heap = heap

    def _command(self, path):
        sys.path.insert(0, str(ROOT / "tests"))
        from kafka import kafka
        if not (self.data / "meta.properties").exists():
            kafka.format_storage(path, CLUSTER_ID)
        return kafka.node_command(path, self.heap)


class Controller:
    """Mixed into a node: it has the controller's role alone; its port is the controllers' listener."""

    def _base_properties(self):
        return {
            "process.roles": "controller",
            "node.id": str(CONTROLLER_ID),
            "controller.quorum.voters": f"{CONTROLLER_ID}@127.0.0.1:{self.port}",
            "listeners": f"CONTROLLER://127.0.0.1:{self.port}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": str(self.data),
        }

    def start(self, within=90):
        """Answers as the active controller when this returns."""
        self.launch()
        wait_until(self._is_active, within, lambda: f"{self.kind} as the active controller:\n{self.log_tail()}")
        return self

    def _is_active(self):
        assert self.alive, f"{self.kind} ended while it started:\n{self.log_tail()}"
        try:
            with Connection(self.port, 10) as connection:
                log = MetadataLog(connection)
                log.follow()
                return "metadata.version" in log.image.features
        except (OSError, Closed, AssertionError, IndexError):
            return False


class MoldauController(Controller, MoldauBroker):
    pass


class KafkaController(Controller, KafkaBroker):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, heap="512M", **named)


KINDS = {"moldau": MoldauBroker, "kafka": KafkaBroker}
CONTROLLERS = {"moldau": MoldauController, "kafka": KafkaController}
