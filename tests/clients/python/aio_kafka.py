"""aiokafka with its default settings: acks=1, no codec."""
import asyncio

import steps
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer


class AioKafka:
    def __init__(self, bootstrap):
        self.bootstrap = bootstrap
        self.loop = asyncio.new_event_loop()

    def with_client(self, type_, arguments, settings, work):
        async def whole():
            client = type_(*arguments, bootstrap_servers=self.bootstrap, **settings)
            await client.start()
            try:
                return await work(client)
            finally:
                await client.stop()
        return self.loop.run_until_complete(whole())

    def with_producer(self, work, **settings):
        return self.with_client(AIOKafkaProducer, (), settings, work)

    def produce(self, topic, records, codec):
        async def work(producer):
            await asyncio.gather(*[await producer.send(topic, value, key) for key, value in records])
        self.with_producer(work, **({"compression_type": codec} if codec else {}))

    def consume(self, topic, group, count):
        async def work(consumer):
            left, ends = count, {}
            while left:
                for partition, records in (await consumer.getmany(timeout_ms=500, max_records=left)).items():
                    for r in records:
                        steps.read(r.partition, r.offset, r.key or b"", r.value)
                    ends[partition] = records[-1].offset + 1
                    left -= len(records)
            await consumer.commit(ends)
        self.with_client(AIOKafkaConsumer, (topic,), {"group_id": group, "auto_offset_reset": "earliest", "enable_auto_commit": False}, work)

    def load(self, topic, stop):
        async def outcome(sending):
            try:
                done = await sending
                return done.partition, done.offset
            except Exception as e:
                return e

        async def send_all(producer, values):
            return [await outcome(sending) for sending in [await producer.send(topic, v) for v in values]]

        def with_loop(producer):
            return asyncio.to_thread(steps.load, stop, lambda values: asyncio.run_coroutine_threadsafe(
                send_all(producer, values), self.loop).result())
        self.with_producer(with_loop)

    def unknown(self, topic):
        return self.with_producer(lambda producer: producer.send_and_wait(topic, b""), request_timeout_ms=5000)

    def large(self, topic, value):
        return self.with_producer(lambda producer: producer.send_and_wait(topic, value), max_request_size=2 * len(value))


steps.run(AioKafka)
