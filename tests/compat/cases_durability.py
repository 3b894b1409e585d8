"""A node that is killed, stopped and started again: nothing acknowledged is lost, clients go on by themselves."""
import threading
import time

import rdkafka
from harness.cases import case
from harness.client import Closed, Connection
from harness.processes import run
from harness.waiting import wait_until


class Load:
    """Produces numbered values, acks=all, until told to end; keeps what was acknowledged."""

    def __init__(self, broker, topic, partitions, **config):
        self.acknowledged, self.sent, self.refused = set(), 0, []
        self.topic, self.partitions = topic, partitions
        self._ending = threading.Event()
        self._producer = rdkafka.producer(broker, acks="all", queue_buffering_max_messages=2000, **config)
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _delivered(self, error, message):
        if error:
            self.refused.append(error.name())
        else:
            self.acknowledged.add((message.partition(), message.offset(), int(message.value())))

    def _work(self):
        while not self._ending.is_set():
            try:
                self._producer.produce(self.topic, value=str(self.sent), partition=self.sent % self.partitions,
                                       on_delivery=self._delivered)
                self.sent += 1
                self._producer.poll(0)
            except BufferError:
                self._producer.poll(0.01)
        self._left = self._producer.flush(90)

    def wait_for(self, more, within=90):
        """Until `more` further messages are acknowledged."""
        wanted = len(self.acknowledged) + more
        wait_until(lambda: len(self.acknowledged) >= wanted, within,
                   lambda: f"{wanted} acknowledged messages; {len(self.acknowledged)} are, {self.refused[:3]}")

    def end(self):
        self._ending.set()
        self._thread.join()
        assert self._left == 0, f"{self._left} messages are neither acknowledged nor refused"


def verify(broker, load, once):
    """Every acknowledged message is at its offset; with `once` no value is there twice, and all are in order."""
    by_partition = {}
    for partition, offset, value in load.acknowledged:
        by_partition.setdefault(partition, {})[offset] = value
    for partition, wanted in by_partition.items():
        low, high = watermarks(broker, load.topic, partition)
        assert low == 0 and high > max(wanted), f"partition {partition} ends at {high}, {max(wanted)} was acknowledged"
        there = {m.offset(): int(m.value()) for m in rdkafka.read(broker, load.topic, high, partition=partition)}
        lost = [o for o, v in wanted.items() if there.get(o) != v]
        assert not lost, f"partition {partition}: {len(lost)} acknowledged messages are lost, the first at offset {min(lost)}"
        if once:
            values = [there[o] for o in sorted(there)]
            assert values == sorted(set(values)), f"partition {partition}: duplicates or a wrong order"


def watermarks(broker, topic, partition):
    """This call of the client doesn't retry by itself; right after a start a partition may have no leader yet."""
    consumer = rdkafka.consumer(broker)

    def answered():
        try:
            return consumer.get_watermark_offsets(rdkafka.library().TopicPartition(topic, partition), timeout=60)
        except rdkafka.library().KafkaException as e:
            if not e.args[0].retriable() and rdkafka.code_of(e) != "NOT_LEADER_FOR_PARTITION":
                raise
            return None
    try:
        return wait_until(answered, 60, "the watermarks")
    finally:
        consumer.close()


def _killed_while_producing(context, kills, once, **config):
    broker = context.new_broker().start()
    rdkafka.create(broker, context.topic(), 3)
    load = Load(broker, context.topic(), 3, **config)
    try:
        load.wait_for(2000)
        for _ in range(kills):
            broker.kill9()
            broker.start()
            load.wait_for(2000)
    finally:
        load.end()
    assert not load.refused, f"{len(load.refused)} were refused: {set(load.refused)}"
    verify(broker, load, once)
    broker.kill9()
    broker.start()
    verify(broker, load, once)
    broker.stop()


@case(within=300)
def killed_while_producing(context):
    _killed_while_producing(context, 3, once=False)


@case(within=300)
def killed_while_producing_idempotent(context):
    _killed_while_producing(context, 3, once=True, enable_idempotence=True, compression_type="lz4")


@case(within=200)
def stopped_while_producing(context):
    """SIGTERM under load: a clean end, and the client goes on after the start."""
    broker = context.new_broker().start()
    rdkafka.create(broker, context.topic(), 3)
    load = Load(broker, context.topic(), 3, enable_idempotence=True)
    try:
        load.wait_for(2000)
        broker.stop()
        broker.start()
        load.wait_for(2000)
    finally:
        load.end()
    assert not load.refused, set(load.refused)
    verify(broker, load, once=True)
    broker.stop()


@case(within=200)
def stops_quickly_and_keeps_its_data(context):
    """With idle connections, a waiting fetch and a half-sent frame open; then everything is as it was."""
    from bodies import fetch
    broker = context.new_broker().start()
    rdkafka.create(broker, context.topic(), 4, {"retention.ms": "987654321"})
    sent = [{"key": f"k{n}", "value": f"v{n}"} for n in range(500)]
    for partition in range(4):
        rdkafka.produce_all(broker, context.topic(), sent, partition=partition, compression_type="zstd")
    cluster = rdkafka.admin(broker).describe_cluster().result(30).cluster_id
    idle, waiting, half = (Connection(broker.port) for _ in range(3))
    waiting.send("Fetch", 12, fetch(context.topic(), 500, wait_ms=25_000))
    half.send_bytes(b"\x00\x00\x10\x00half a frame")
    seconds = broker.stop()
    assert seconds < 5 or broker.kind == "kafka", f"the stop took {seconds:.1f} s"
    for connection in (idle, waiting, half):
        connection.close()
    broker.start()
    assert rdkafka.admin(broker).describe_cluster().result(30).cluster_id == cluster
    for partition in range(4):
        got = rdkafka.read(broker, context.topic(), 500, partition=partition)
        assert [(m.key().decode(), m.value().decode()) for m in got] == [(s["key"], s["value"]) for s in sent]
    resource = rdkafka.library_admin().ConfigResource("topic", context.topic())
    configs = rdkafka.admin(broker).describe_configs([resource])[resource].result(30)
    assert configs["retention.ms"].value == "987654321"
    assert rdkafka.produce_all(broker, context.topic(), [{"value": "more"}]) == [500]
    broker.stop()


@case(within=200)
def deleted_topics_stay_deleted(context):
    broker = context.new_broker().start()
    for n in range(5):
        rdkafka.create(broker, context.topic(str(n)), 2)
        rdkafka.produce_all(broker, context.topic(str(n)), [{"value": "v"}] * 10)
    for n in (1, 3):
        rdkafka.admin(broker).delete_topics([context.topic(str(n))])[context.topic(str(n))].result(30)
    broker.kill9()
    broker.start()
    listed = rdkafka.admin(broker).list_topics(timeout=30).topics
    assert sorted(t for t in listed if t.startswith(context.name)) == [context.topic(str(n)) for n in (0, 2, 4)]
    gone = [f"{context.topic(str(n))}-0" for n in (1, 3)]
    wait_until(lambda: not any((broker.data / name).exists() for name in gone), 30, "the deleted topics' folders to go")
    broker.stop()


@case(within=200)
def a_producer_is_remembered(context):
    """An idempotent producer's last batches are known after a kill and after a stop: a retry is no second copy."""
    from bodies import list_offsets, produce
    from harness.batches import batch
    from harness.client import call, new_producer_id
    broker = context.new_broker().start()
    rdkafka.create(broker, context.topic())
    producer_id = new_producer_id(broker.port)
    now = int(time.time() * 1000)

    def send(sequence):
        body = produce(context.topic(), batch([b"a", b"b"], now, producer_id=producer_id, producer_epoch=0, base_sequence=sequence))

        def answered():
            try:
                answer = call(broker.port, "Produce", 9, body)["responses"][0]["partition_responses"][0]
            except Closed:
                return None
            return answer if answer["error_code"] not in (3, 6) else None  # it may have to become leader again first
        return wait_until(answered, 30, "an answer")
    for n in range(4):
        assert send(n * 2)["base_offset"] == n * 2
    for end in (broker.kill9, broker.stop):
        end()
        broker.start()
        answer = send(6)  # of earlier ones a snapshot tells nothing
        assert (answer["error_code"], answer["base_offset"]) == (0, 6), f"{end.__name__}: the retry: {answer}"
        assert send(20)["error_code"] == 45, "a gap is out of order"
    end = call(broker.port, "ListOffsets", 7, list_offsets(context.topic(), -1))["topics"][0]["partitions"][0]["offset"]
    assert end == 8, end
    broker.stop()


@case()
def a_second_node_on_the_same_data_is_refused(context):
    if context.options.broker == "kafka":
        return  # Apache Kafka's second node first spoils the quorum state of the first one, and says that it is ready
    broker = context.new_broker().start()
    second = context.new_broker(folder="second")
    second.data = broker.data
    second.properties["log.dirs"] = str(broker.data)
    try:
        second.start(within=30)
    except Exception:
        pass
    else:
        raise AssertionError("two nodes run on one data directory")
    wait_until(lambda: not second.alive, 30, "the second node to end")
    assert second.process.exit_code != 0
    assert str(broker.data) in second.log_tail(), f"the refusal doesn't name the directory: {second.log_tail()}"
    rdkafka.create(broker, context.topic())
    broker.stop()


@case()
def a_second_node_on_the_same_port_is_refused(context):
    broker = context.new_broker().start()
    second = context.new_broker(folder="second")
    second.properties["listeners"] = f"PLAINTEXT://127.0.0.1:{broker.port},CONTROLLER://127.0.0.1:{second.controller_port}"
    try:
        second.start(within=30)
    except Exception:
        pass
    else:
        if second.kind == "moldau":
            raise AssertionError("two nodes listen on one port")
    wait_until(lambda: not second.alive, 60, "the second node to end")
    assert second.process.exit_code != 0
    if second.kind == "moldau":
        assert str(broker.port) in second.log_tail(), f"the refusal doesn't name the port: {second.log_tail()}"
    broker.stop()


@case(full=True, within=300)
def a_full_disk_loses_nothing_acknowledged(context):
    """The disk fills up while producing; the node refuses or ends; with more space it starts and has all that it acknowledged."""
    from bodies import fetch, produce
    from harness.batches import batch, read_batches
    from harness.client import call
    broker = context.new_broker({"log.segment.bytes": "4194304"})
    broker.data.mkdir()
    run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", broker.data], check=True)  # needs root
    try:
        broker.start()
        rdkafka.create(broker, context.topic())
        acknowledged, now = [], int(time.time() * 1000)
        payloads = [bytes([n]) * 200_000 for n in range(16)]
        for n in range(2000):
            try:
                answer = call(broker.port, "Produce", 9, produce(context.topic(), batch([payloads[n % 16]], now)))
            except (Closed, OSError):
                break
            answer = answer["responses"][0]["partition_responses"][0]
            if answer["error_code"] != 0:
                assert answer["error_code"] in (56, 7, 6, -1), answer  # KAFKA_STORAGE_ERROR is the honest one
                break
            acknowledged.append((answer["base_offset"], n % 16))
        else:
            raise AssertionError("the disk never filled up")
        assert len(acknowledged) > 50, len(acknowledged)
        if broker.alive:
            broker.kill9()
        run(["mount", "-o", "remount,size=400m", broker.data], check=True)
        broker.start()
        high = watermarks(broker, context.topic(), 0)[1]
        assert high > acknowledged[-1][0], f"{high}, {acknowledged[-1][0]} was acknowledged"
        for offset, n in acknowledged:
            answer = call(broker.port, "Fetch", 11, fetch(context.topic(), offset, partition_max_bytes=1))
            got = read_batches(answer["responses"][0]["partitions"][0]["records"])[0]
            assert got["base_offset"] == offset and payloads[n] in got["whole"], f"offset {offset} is lost"
        broker.stop()
    finally:
        if broker.alive:
            broker.kill9()
        run(["umount", broker.data])
