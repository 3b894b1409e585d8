"""What has broken elsewhere, by the numbers of docs/KNOWN_BREAKAGES.md: with real clients, and with directories that fail."""
import http.client
import os
import subprocess
import sys

import rdkafka
from bodies import create, fetch, produce
from cases_admin import metrics
from harness.batches import batch, read_batches
from harness.cases import case
from harness.client import call
from harness.processes import Process, free_port, run
from harness.venv import FOLDER
from harness.waiting import wait_until
from kafka import kafka
from recording import Scenario

CODECS = {"gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
STORAGE_ERROR = 56


@case()
def D1_librdkafka_compresses(context):
    """It asks the advertised versions first, and sends plain batches to a broker that it takes for an old one."""
    for codec, number in CODECS.items():
        name = context.topic(codec)
        rdkafka.create(context.broker, name)
        rdkafka.produce_all(context.broker, name, [{"value": "a" * 500}] * 200, compression_type=codec, linger_ms=100)
        records = call(context.broker.port, "Fetch", 12, fetch(name))["responses"][0]["partitions"][0]["records"]
        assert {b["attributes"] & 7 for b in read_batches(records)} == {number}, codec


def kafka_python(version):
    """The folder of that release, fetched once."""
    folder = FOLDER.parent / f"tests-kafka-python-{version}"
    if not folder.exists():
        run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", f"{folder}.new", f"kafka-python=={version}"],
            within=300, check=True)
        os.rename(f"{folder}.new", folder)
    return folder


STORY = """
import sys, kafka
from kafka import KafkaProducer, KafkaConsumer, TopicPartition
server, topic = sys.argv[1:]
producer = KafkaProducer(bootstrap_servers=server)
print(*producer.config['api_version'])
sent = [producer.send(topic, b'value %d' % n, key=b'k').get(60).offset for n in range(20)]
assert sent == list(range(20)), sent
consumer = KafkaConsumer(bootstrap_servers=server, group_id=topic, auto_offset_reset='earliest', enable_auto_commit=False,
                         consumer_timeout_ms=60000)
consumer.subscribe([topic])
got = []
for message in consumer:
    got.append(message.value)
    if len(got) == 20:
        break
assert got == [b'value %d' % n for n in range(20)], got
consumer.commit()
assert consumer.committed(TopicPartition(topic, 0)) == 20
consumer.close()
"""


@case(full=True, within=600)
def D11_kafka_python_infers_a_version(context):
    """It guesses the broker's release from the ranges of versions: both of its lines find one, and work with that."""
    guessed = {}
    for version in ("2.0.2", "3.0.12"):
        name = context.topic(version)
        rdkafka.create(context.broker, name)
        done = subprocess.run([sys.executable, "-c", STORY, context.broker.bootstrap, name], capture_output=True, text=True, timeout=250,
                              env={**os.environ, "PYTHONPATH": str(kafka_python(version))})
        assert done.returncode == 0, f"{version}: {(done.stdout + done.stderr)[-1500:]}"
        guessed[version] = tuple(map(int, done.stdout.split()))
    print(f"  {guessed}")
    assert guessed["2.0.2"] >= (2, 0) and guessed["3.0.12"] >= (4, 0), guessed


class Connect:
    """A distributed Connect worker without connectors."""

    def __init__(self, context, broker, name):
        self.port, self.folder = free_port(), context.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.topics = {kind: f"{name}-{kind}" for kind in ("config", "offset", "status")}
        path, text = self.folder / f"{name}.properties", {
            "bootstrap.servers": broker.bootstrap, "group.id": name, "listeners": f"http://127.0.0.1:{self.port}",
            "key.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
            "offset.storage.partitions": 3, "status.storage.partitions": 2,
            **{f"{kind}.storage.{key}": value for kind, topic in self.topics.items()
               for key, value in (("topic", topic), ("replication.factor", 1))}}
        path.write_text("".join(f"{k}={v}\n" for k, v in text.items()))
        command = kafka.java("org.apache.kafka.connect.cli.ConnectDistributed", [path], ["-Xmx256M", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
        self.process = Process(command, self.folder / f"{name}.log", cwd=self.folder)

    def answers(self):
        assert self.process.alive, self.process.output()[-3000:]
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            connection.request("GET", "/connectors")
            return connection.getresponse().read() == b"[]"
        except OSError:
            return False


@case(full=True, within=900)
def D17_connect_finds_its_topics_compacted(context):
    """It starts with topics that it creates and with those of its last run, and says what is wrong with one that isn't compacted."""
    broker = context.broker
    for _ in range(2):
        worker = Connect(context, broker, "d17")
        wait_until(worker.answers, 240, "the worker")
        worker.process.terminate(90)
    for topic in worker.topics.values():
        shown = call(broker.port, "DescribeConfigs", 4, {"resources": [{"resource_type": 2, "resource_name": topic, "configuration_keys": ["cleanup.policy"]}]})
        assert shown["results"][0]["configs"][0]["value"] == "compact", shown
    rdkafka.create(broker, "d17-wrong-offset", 3, {"cleanup.policy": "delete"})
    wrong = Connect(context, broker, "d17-wrong")
    wait_until(lambda: not wrong.process.alive, 240, "the end of the worker")
    assert "'cleanup.policy=delete'" in wrong.process.output(), wrong.process.output()[-3000:]


class TwoDirectories:
    """A node with two log.dirs, and a topic with partitions in both. The second can be taken away, and comes back."""

    def __init__(self, context):
        self.context, self.topic, self.partitions = context, context.topic(), 6
        self.broker = context.new_broker({"log.flush.offset.checkpoint.interval.ms": "500", "offsets.topic.num.partitions": "2",
                                          "broker.heartbeat.interval.ms": "500"})
        self.second, self.aside = self.broker.folder / "data2", self.broker.folder / "aside"
        self.broker.properties["log.dirs"] = f"{self.broker.data},{self.second}"
        self.broker.start()
        s = Scenario(self.broker)
        s.topic(self.topic, self.partitions)
        assert self.refused() == {}
        self.there = {p for p in range(self.partitions) if (self.second / f"{self.topic}-{p}").exists()}
        assert 0 < len(self.there) < self.partitions, self.there

    def take_away(self):
        self.second.rename(self.aside)
        self.second.write_text("no directory\n")

    def give_back(self):
        self.second.unlink()
        self.aside.rename(self.second)

    def refused(self):
        """The partitions that can't be written, with the error of each."""
        out = {}
        for p in range(self.partitions):
            answer = call(self.broker.port, "Produce", 9, produce(self.topic, batch([b"v"], Scenario(self.broker).base_time), partition=p))
            if code := answer["responses"][0]["partition_responses"][0]["error_code"]:
                out[p] = code
        return out

    def described(self):
        answer = call(self.broker.port, "DescribeLogDirs", 4, {"topics": None})
        return {d["log_dir"]: (d["error_code"], sum(len(t["partitions"]) for t in d["topics"] if t["name"] == self.topic)) for d in answer["results"]}

    def offline(self):
        """(directories, replicas) as /metrics tells them."""
        seen = metrics(self.broker)
        return seen["kafka_log_logmanager_offlinelogdirectorycount"], seen["kafka_server_replicamanager_offlinereplicacount"]

    def check(self, gone):
        theirs = self.there if gone else set()
        wait_until(lambda: set(self.refused()) == theirs, 60, lambda: f"{theirs} to be refused, not {self.refused()}")
        row = (STORAGE_ERROR, 0) if gone else (0, len(self.there))
        assert self.described() == {str(self.broker.data): (0, self.partitions - len(self.there)), str(self.second): row}, self.described()
        if self.broker.kind == "moldau":
            assert set(self.refused().values()) <= {STORAGE_ERROR}, self.refused()
            assert self.offline() == (int(gone), len(theirs)), (self.offline(), theirs)


@case(within=240)
def D25_log_dirs_tell_of_one_that_failed(context):
    """While it runs: its partitions go, the others stay; DescribeLogDirs and the metrics say so; the next start has it back."""
    two = TwoDirectories(context)
    two.check(gone=False)
    two.take_away()

    def noticed():  # a checkpoint, or the next partition that would be put there
        return two.described()[str(two.second)][0] == STORAGE_ERROR
    wait_until(noticed, 90, "the broker to notice")
    two.check(gone=True)
    two.broker.stop()
    two.give_back()
    two.broker.start()
    two.check(gone=False)
    two.broker.stop()


@case(within=240)
def a_directory_that_cannot_be_opened_is_left_out(context):
    """At the start: the others serve; nothing of it is begun anew elsewhere; new topics find a place. Not so the metadata log's."""
    two = TwoDirectories(context)
    two.broker.stop()
    two.take_away()
    two.broker.start()
    two.check(gone=True)
    if two.broker.kind == "moldau":
        assert f"{two.second} is offline until the next start: " in two.broker.log_tail(10000), two.broker.log_tail()
    name = context.topic("new")
    assert call(two.broker.port, "CreateTopics", 7, create(name, 3))["topics"][0]["error_code"] == 0
    Scenario(two.broker).until_led(name, 3)
    two.broker.stop()
    two.give_back()
    two.broker.start()
    two.check(gone=False)
    two.broker.stop()

    two.broker.data.rename(two.aside)
    two.broker.data.write_text("no directory\n")
    two.broker.launch()
    assert two.broker.process.wait(90) not in (0, None)
    assert str(two.broker.data) in two.broker.log_tail(), two.broker.log_tail()
