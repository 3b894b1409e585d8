"""confluent-kafka (librdkafka) with its default settings: acks=all, no codec."""
import steps
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition


class Confluent:
    def __init__(self, bootstrap):
        self.base = {"bootstrap.servers": bootstrap}

    def send(self, topic, records, **more):
        """(partition, offset) or the error of each record."""
        out = [None] * len(records)
        producer = Producer({**self.base, **{name.replace("_", "."): v for name, v in more.items()}})
        for n, (key, value) in enumerate(records):
            producer.produce(topic, key=key, value=value, on_delivery=lambda error, m, n=n: out.__setitem__(
                n, KafkaException(error) if error else (m.partition(), m.offset())))
        producer.flush()
        return out

    def sent(self, *arguments, **more):
        for outcome in self.send(*arguments, **more):
            if isinstance(outcome, Exception):
                raise outcome

    def produce(self, topic, records, codec):
        self.sent(topic, records, **({"compression_type": codec} if codec else {}))

    def consume(self, topic, group, count):
        consumer = Consumer({**self.base, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False})
        consumer.subscribe([topic])
        ends = {}
        while count:
            for m in consumer.consume(count, 0.5):
                if m.error():
                    raise KafkaException(m.error())
                steps.read(m.partition(), m.offset(), m.key() or b"", m.value())
                ends[m.partition()] = m.offset() + 1
                count -= 1
        consumer.commit(offsets=[TopicPartition(topic, p, end) for p, end in ends.items()], asynchronous=False)
        consumer.close()

    def load(self, topic, stop):
        steps.load(stop, lambda values: self.send(topic, [(None, v) for v in values]))

    def unknown(self, topic):
        self.sent(topic, [(None, b"")], topic_metadata_propagation_max_ms=0)

    def large(self, topic, value):
        self.sent(topic, [(None, value)], message_max_bytes=2 * len(value))


steps.run(Confluent)
