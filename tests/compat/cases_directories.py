"""Data directories that go from hand to hand: Apache Kafka opens ours, we open Apache Kafka's. (--all)"""
import rdkafka
from cases_kafka_tools import CODECS, records_in
from harness.cases import case


def messages(round_number, count=300):
    return [{"key": f"key-{round_number}-{n}", "value": f"value-{round_number}-{n} " * 30, "headers": [("n", str(n).encode())]}
            for n in range(count)]


class Handover:
    """Several topics, filled a round at a time; every owner reads all rounds back."""

    def __init__(self, context, kinds):
        self.context, self.kinds, self.rounds = context, kinds, []
        first = context.new_broker(kind=kinds[0])
        self.properties, self.data = first.properties, first.data

    def node(self, kind):
        """The same directory, ports and properties."""
        broker = self.context.new_broker(kind=kind)
        broker.properties, broker.data = self.properties, self.data
        listener = self.properties["advertised.listeners"]
        broker.port = int(listener.rsplit(":", 1)[1])
        broker.controller_port = int(self.properties["controller.quorum.voters"].rsplit(":", 1)[1])
        return broker

    def run(self):
        cluster = None
        for number, kind in enumerate(self.kinds):
            broker = self.node(kind).start()
            now = rdkafka.admin(broker).describe_cluster().result(30).cluster_id
            assert cluster in (None, now), f"{kind} sees another cluster id"
            cluster = now
            self.check(broker)
            self.fill(broker, number)
            self.check(broker)
            broker.stop()
        for topic in {t for t, _, _ in self.rounds}:
            records_in(self.data / f"{topic}-0")
        records_in(self.data / "__cluster_metadata-0")

    def fill(self, broker, number):
        fresh = self.context.topic(f"made-in-{number}")
        rdkafka.create(broker, fresh, 2, {"segment.bytes": "1048576", "retention.ms": str(10 ** 9 + number)})
        doomed = self.context.topic(f"doomed-{number}")
        rdkafka.create(broker, doomed)
        rdkafka.admin(broker).delete_topics([doomed])[doomed].result(30)
        for topic in {fresh, *(t for t, _, _ in self.rounds)}:
            for codec in CODECS:
                offsets = rdkafka.produce_all(broker, topic, messages(number), compression_type=codec, enable_idempotence=codec != "gzip")
                self.rounds.append((topic, offsets[0], number))

    def check(self, broker):
        """Records, offsets by time, watermarks, configs, deleted topics."""
        if not self.rounds:
            return
        topics = {t for t, _, _ in self.rounds}
        listed = rdkafka.admin(broker).list_topics(timeout=30).topics
        assert topics == {t for t in listed if t.startswith(self.context.name)}, "the topics differ"
        consumer = rdkafka.consumer(broker)
        for topic in topics:
            rounds = [(first, number) for t, first, number in self.rounds if t == topic]
            got = rdkafka.read(broker, topic, 300 * len(rounds))
            for first, number in rounds:
                assert [(m.key(), m.value(), m.headers()) for m in got[first:first + 300]] == [
                    (w["key"].encode(), w["value"].encode(), w["headers"]) for w in messages(number)], f"{topic} from {first}"
                when = got[first + 150].timestamp()[1]
                earliest = min(n for n, m in enumerate(got) if m.timestamp()[1] >= when)
                found = consumer.offsets_for_times([rdkafka.library().TopicPartition(topic, 0, when)], timeout=30)[0].offset
                assert found == earliest, f"{topic}: time {when} is at {found}, it should be at {earliest}"
        consumer.close()
        for topic in topics:
            resource = rdkafka.library_admin().ConfigResource("topic", topic)
            configs = rdkafka.admin(broker).describe_configs([resource])[resource].result(30)
            assert configs["retention.ms"].value == str(10 ** 9 + int(topic.rsplit("-", 1)[1]))
            assert configs["segment.bytes"].value == "1048576"


@case(full=True, within=900)
def directory_from_us_to_kafka_and_back(context):
    ours = context.options.broker
    Handover(context, [ours, "kafka", ours]).run()


@case(full=True, within=900)
def directory_from_kafka_to_us_and_back(context):
    Handover(context, ["kafka", context.options.broker, "kafka"]).run()
