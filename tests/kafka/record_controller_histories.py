#!/usr/bin/env python3
"""Makes random histories of a cluster and notes what Apache Kafka 4.4.0's controller does in each step.

Usage: record_controller_histories.py LIBS OUTPUT.txt [HISTORIES] [FIRST_SEED]
LIBS is the folder with Kafka's jars (tests/kafka/kafka.py fetches them); javac and java are needed. The unit test
KafkaHistories of src/controller plays them on our controller and compares; MOLDAU_HISTORIES=FILE plays another file.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BROKERS = range(1, 6)


class History:
    """Commands that make sense most of the time. What only Kafka knows by chance (placement, topic ids) is left out."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.incarnations = {b: 0 for b in BROKERS}
        self.topics = {}

    def commands(self, count):
        elr = self.random.random() < 0.5
        if elr:
            yield "feature eligible.leader.replicas.version=1"
        for b in BROKERS:
            if self.random.random() < 0.9:
                yield from self.start(b)
        for _ in range(2):
            yield self.create()
        for _ in range(count):
            yield from self.any()

    def start(self, b):
        self.incarnations[b] += 1
        clean = " previous=clean" if self.random.random() < 0.4 else ""
        yield f"register {b} incarnation={self.incarnations[b]} dirs={1000 + b},{2000 + b}{clean}"
        yield from self.beat(b)

    def beat(self, b, how=""):
        """Three: Kafka forgets how far a broker has the metadata when its registration changes, until the next one."""
        yield f"heartbeat {b}{how}"
        yield f"heartbeat {b}"
        yield f"heartbeat {b}"

    def ids(self, least=1):
        some = self.random.sample(list(BROKERS), self.random.randint(least, 4))
        return ",".join(map(str, some))

    def partition(self):
        if not self.topics:
            return "none-0"
        name = self.random.choice(list(self.topics))
        return f"{name}-{self.random.randrange(self.topics.get(name, 1) + (self.random.random() < 0.05))}"

    def create(self):
        name, width = f"t{self.random.randrange(5)}", self.random.randint(1, 3)
        count = self.random.randint(1, 2)
        rows = [",".join(map(str, self.random.sample(list(BROKERS), width))) for _ in range(count)]
        configs = self.random.choice(["", "", " min.insync.replicas=2", " unclean.leader.election.enable=true"])
        self.topics.setdefault(name, count)
        return f"create {name} assign={';'.join(rows)}{configs}"

    def any(self):
        b = self.random.choice(list(BROKERS))
        kind = self.random.choices(
            ["create", "delete", "silent", "start", "beat", "fence", "shutdown", "unregister", "elect", "reassign", "cancel",
             "isr", "directory", "offline", "unclean"],
            [8, 1, 6, 8, 10, 2, 6, 1, 8, 12, 5, 25, 3, 2, 3])[0]
        if kind == "create":
            yield self.create()
        elif kind == "delete" and self.topics:
            name = self.random.choice(list(self.topics))
            del self.topics[name]
            yield f"delete {name}"
        elif kind == "silent":
            yield f"silent {b}"
        elif kind == "start":
            yield from self.start(b)
        elif kind == "beat":
            yield from self.beat(b)
        elif kind == "fence":
            yield f"heartbeat {b} fence"
        elif kind == "shutdown":
            yield f"heartbeat {b} shutdown"
        elif kind == "unregister":
            yield f"unregister {b}"
        elif kind == "elect":
            yield f"elect {self.random.choice(['preferred', 'preferred', 'unclean'])} {self.partition()}"
        elif kind == "reassign":
            same = " same_factor" if self.random.random() < 0.2 else ""
            yield f"reassign {self.partition()} {self.ids()}{same}"
        elif kind == "cancel":
            yield f"reassign {self.partition()} cancel"
        elif kind == "isr":
            recovering = " recovering" if self.random.random() < 0.05 else ""
            members = self.random.choices(["active", "alone", self.ids()], [6, 2, 1])[0]
            yield f"isr {self.partition()} {members}{recovering}"
        elif kind == "directory":
            yield f"directory {b} {self.random.choice([1000, 2000]) + b} {self.partition()}"
        elif kind == "offline":
            yield f"heartbeat {b}"  # unfenced before, not with it: Kafka forgets what the same heartbeat has just elected
            yield from self.beat(b, f" offline={self.random.choice([1000, 2000]) + b}")
        elif kind == "unclean":
            yield "unclean"


def main():
    libs, output, *rest = sys.argv[1:]
    count, first = (int(rest[0]) if rest else 40), (int(rest[1]) if len(rest) > 1 else 1)
    commands = "\n\n".join("\n".join(History(seed).commands(60)) for seed in range(first, first + count)) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["javac", "-nowarn", "-d", folder, "-cp", f"{libs}/*", str(HERE / "ControllerHistory.java")], check=True)
        done = subprocess.run(["java", "-Dlog4j2.level=OFF", "-cp", f"{folder}:{libs}/*", "org.apache.kafka.controller.ControllerHistory"],
                              input=commands, capture_output=True, text=True, check=True)
    pathlib.Path(output).write_text(done.stdout)


if __name__ == "__main__":
    main()
