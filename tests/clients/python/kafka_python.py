"""kafka-python with its default settings: no codec. The same program for version 3 and for 2.0.2, which Debian 12 has."""
import steps
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, OffsetAndMetadata


class KafkaPython:
    def __init__(self, bootstrap):
        self.bootstrap = bootstrap

    def producer(self, **more):
        return KafkaProducer(bootstrap_servers=self.bootstrap, **more)

    def produce(self, topic, records, codec):
        producer = self.producer(compression_type=codec) if codec else self.producer()
        for future in [producer.send(topic, value, key) for key, value in records]:
            future.get(60)
        producer.close()

    def consume(self, topic, group, count):
        consumer = KafkaConsumer(topic, bootstrap_servers=self.bootstrap, group_id=group, auto_offset_reset="earliest",
                                 enable_auto_commit=False)
        ends = {}
        while count:
            for partition, records in consumer.poll(500, count).items():
                for r in records:
                    steps.read(r.partition, r.offset, r.key or b"", r.value)
                ends[partition] = self.commitment(records[-1].offset + 1)
                count -= len(records)
        consumer.commit(ends)
        consumer.close()

    @staticmethod
    def commitment(offset):
        """The tuple has two fields in 2.0.2, three in 3."""
        return OffsetAndMetadata(offset, "", *([-1] * (len(OffsetAndMetadata._fields) - 2)))

    def load(self, topic, stop):
        producer = self.producer()

        def outcome(future):
            try:
                done = future.get(120)
                return done.partition, done.offset
            except Exception as e:
                return e
        steps.load(stop, lambda values: [outcome(f) for f in [producer.send(topic, v) for v in values]])
        producer.close()

    def unknown(self, topic):
        """The producer would wait until the topic is there, and tell no more than that it took too long."""
        return KafkaAdminClient(bootstrap_servers=self.bootstrap).delete_topics([topic])

    def large(self, topic, value):
        return self.producer(max_request_size=2 * len(value)).send(topic, value).get(60)


steps.run(KafkaPython)
