"""Java's kafka-clients 4.4 with default settings: idempotent producer, acks=all. (--all)"""
import pathlib

import rdkafka
from cases_durability import Load, verify
from harness.cases import case
from harness.processes import Process, run
from kafka import kafka

WALK = pathlib.Path(__file__).resolve().parent / "java" / "Walk.java"


def walk(*arguments):
    """The command line: Java compiles the one file in memory."""
    return kafka.java(str(WALK), arguments)


@case(full=True, within=400)
def java_clients_walk(context):
    done = run(walk("walk", context.broker.bootstrap, context.name + "-"), within=300)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("ok"), (done.stdout + done.stderr)[-3000:]


class JavaLoad(Load):
    """The same promises as librdkafka's load, from a Java producer in a process of its own."""

    def __init__(self, context, broker, topic):
        context.folder.mkdir(parents=True, exist_ok=True)
        self.topic, self.file = topic, context.folder / "acknowledged"
        self.process = Process(walk("load", broker.bootstrap, topic, self.file), context.folder / "java.log")

    @property
    def acknowledged(self):
        lines = [line.split() for line in self.process.output().splitlines() if line.startswith("acknowledged ")]
        return range(max((int(line[1]) for line in lines), default=0))

    refused = ()

    def end(self):
        pathlib.Path(f"{self.file}.stop").touch()
        assert self.process.wait(150) == 0, self.process.output()[-3000:]


@case(full=True, within=400)
def java_producer_outlives_kills(context):
    broker = context.new_broker().start()
    rdkafka.create(broker, context.topic(), 3)
    load = JavaLoad(context, broker, context.topic())
    load.wait_for(2000)
    for _ in range(2):
        broker.kill9()
        broker.start()
        load.wait_for(2000)
    load.end()
    assert "refused 0 " in load.process.output(), load.process.output()[-2000:]

    class Done:
        topic = load.topic
        acknowledged = {tuple(map(int, line.split())) for line in load.file.read_text().splitlines()}
    verify(broker, Done, once=True)
    broker.stop()
