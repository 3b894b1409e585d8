"""The same scenarios with every client of tests/clients, with its default settings where a scenario names none. (--all)"""
import rdkafka
from bodies import fetch
from cases_durability import Load, verify
from cases_groups import committed
from clients.clients import CLIENTS
from harness.batches import read_batches
from harness.cases import case
from harness.client import call
from harness.processes import Process, run
from harness.waiting import wait_until

PROPERTIES = {"num.partitions": "3", "group.initial.rebalance.delay.ms": "0", "offsets.topic.num.partitions": "5"}  # quick groups
ATTRIBUTES = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def perform(client, broker, *steps):
    """Runs the client's program; the lines that it printed."""
    done = run([*client.ready(), broker.bootstrap, *steps], within=100)
    assert done.returncode == 0, f"{' '.join(steps)} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}"
    return done.stdout.splitlines()


def records(lines):
    """(partition, offset, key, value) of each record that was read."""
    fields = [line.split(" ") for line in lines if line.startswith("read ")]
    return [(int(partition), int(offset), key, value) for _, partition, offset, key, value in fields]


def assert_read(got, count):
    """All that a produce step sent, each once, every partition's in the order of its offsets."""
    want = {f"key-{n}": f"value-{n}-{'x' * 100}" for n in range(count)}
    assert len(got) == count and {key: value for _, _, key, value in got} == want, f"{len(got)} records of {count}, {got[:2]}"
    for partition in {p for p, *_ in got}:
        offsets = [offset for p, offset, *_ in got if p == partition]
        assert offsets == sorted(set(offsets)), f"partition {partition}: {offsets}"


def default_settings(client, context):
    """Its producer makes the topic, its group reads all of it."""
    broker, topic = context.new_broker(PROPERTIES).start(), context.topic()
    assert_read(records(perform(client, broker, f"produce,{topic},500,default", f"consume,{topic},readers,500")), 500)
    broker.stop()


def group_resumes(client, context):
    """A member commits, leaves and comes back as another process, after a restart of the broker too: nothing is missing or read twice."""
    broker, topic = context.new_broker(PROPERTIES).start(), context.topic()
    rdkafka.create(broker, topic, 2)
    got = records(perform(client, broker, f"produce,{topic},300,default", f"consume,{topic},readers,80"))
    for end in (lambda: None, lambda: (broker.stop(), broker.start())):
        end()
        want = {p: max((o + 1 for partition, o, *_ in got if partition == p), default=-1) for p in (0, 1)}
        assert committed(broker, "readers", topic, 2) == want, want
        got += records(perform(client, broker, f"consume,{topic},readers,110"))
    assert_read(got, 300)
    broker.stop()


def each_codec(client, context):
    """Stored as it was sent, and read back."""
    broker = context.new_broker(PROPERTIES).start()
    for codec in client.codecs:
        rdkafka.create(broker, context.topic(codec))
    lines = perform(client, broker, *[f"produce,{context.topic(codec)},500,{codec}" for codec in client.codecs],
                    *[f"consume,{context.topic(codec)},{codec},500" for codec in client.codecs])
    got = records(lines)
    assert len(got) == 500 * len(client.codecs), len(got)
    for n, codec in enumerate(client.codecs):
        assert_read(got[500 * n:500 * (n + 1)], 500)
        answer = call(broker.port, "Fetch", 11, fetch(context.topic(codec), 0))["responses"][0]["partitions"][0]
        stored = {batch["attributes"] & 7 for batch in read_batches(answer["records"]) if "attributes" in batch}
        assert stored == {ATTRIBUTES[codec]}, f"{codec}: stored with {stored}"
    broker.stop()


def unknown_topic(client, context):
    """It is told so, the topic isn't made, and another one works."""
    broker = context.new_broker({**PROPERTIES, "auto.create.topics.enable": "false"}).start()
    rdkafka.create(broker, context.topic("known"))
    lines = perform(client, broker, f"unknown,{context.topic('unknown')}", f"produce,{context.topic('known')},1,default")
    assert lines[0].startswith("error ") and client.unknown in lines[0] and lines[1:] == ["produced 1"], lines
    assert context.topic("unknown") not in rdkafka.admin(broker).list_topics(timeout=30).topics
    broker.stop()


def too_large_record(client, context):
    """It is told so, and what is small enough is taken."""
    broker, topic = context.new_broker(PROPERTIES).start(), context.topic()
    rdkafka.create(broker, topic, config={"max.message.bytes": "100000"})
    lines = perform(client, broker, f"large,{topic},200000", f"produce,{topic},5,default", f"consume,{topic},readers,5")
    assert lines[0].startswith("error ") and client.too_large in lines[0], lines
    assert_read(records(lines), 5)
    broker.stop()


class ClientLoad(Load):
    """The promises of librdkafka's load, from a client's program."""

    def __init__(self, client, context, broker, topic):
        self.topic, self.stop, self.log = topic, context.folder / "stop", context.folder / "load"
        self.process = Process([*client.ready(), broker.bootstrap, f"load,{topic},{self.stop}"], self.log)

    def lines(self, word):
        text = self.process.output()
        return [line.split(" ", 3)[1:] for line in text[:text.rfind("\n") + 1].splitlines() if line.startswith(f"{word} ")]

    @property
    def acknowledged(self):
        return {tuple(map(int, fields)) for fields in self.lines("acknowledged")}

    @property
    def refused(self):
        return self.lines("refused")

    def end(self):
        self.stop.touch()
        assert self.process.wait(150) == 0, self.process.output()[-2000:]


def killed_broker(client, context):
    """kill -9 under a producer and a group: both go on by themselves, and what was acknowledged is there."""
    broker, topic = context.new_broker(PROPERTIES).start(), context.topic()
    rdkafka.create(broker, topic, 3)
    reader = Process([*client.ready(), broker.bootstrap, f"consume,{topic},readers,5000"], context.folder / "reader")
    load = ClientLoad(client, context, broker, topic)
    for _ in range(2):
        load.wait_for(1000)
        broker.kill9()
        broker.start()
    load.wait_for(1000)
    load.wait_for(max(0, 5000 - len(load.acknowledged)))
    load.end()
    assert client.gives_up or not load.refused, f"{len(load.refused)} were refused: {load.refused[:2]}"
    assert reader.wait(90) == 0, reader.output()[-2000:]
    values = {(partition, offset): int(value) for partition, offset, _, value in records(reader.output().splitlines())}
    assert len(values) >= 1000 and all(values.get((p, o), n) == n for p, o, n in load.acknowledged), len(values)
    verify(broker, load, once=client.idempotent)
    errors = [line for line in broker.log.read_text().splitlines() if " ERROR " in line]
    assert not errors or broker.kind == "kafka", errors
    broker.stop()


SCENARIOS = (default_settings, group_resumes, each_codec, unknown_topic, too_large_record, killed_broker)


def register(client, scenario):
    def run_scenario(context):
        scenario(client, context)
    run_scenario.__name__ = f"{client.name}_{scenario.__name__}"
    case(full=True, within=900)(run_scenario)  # the first one of a client builds it


for one in CLIENTS:
    for scenario in SCENARIOS:
        register(one, scenario)
