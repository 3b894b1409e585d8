"""librdkafka through its Python client, in the few shapes that the cases use."""
from harness.venv import require
from harness.waiting import wait_until


def library():
    return require("confluent_kafka")


def settings(broker, **more):
    return {"bootstrap.servers": broker.bootstrap, "allow.auto.create.topics": True, **{k.replace("_", "."): v for k, v in more.items()}}


def producer(broker, **more):
    """Default settings, but for what is given."""
    config = settings(broker, **more)
    del config["allow.auto.create.topics"]
    return library().Producer(config)


def consumer(broker, **more):
    """Reads by assignment: no group takes part, so nothing is committed."""
    return library().Consumer(settings(broker, group_id="by-assignment", enable_auto_commit=False, **more))


def admin(broker):
    """One client a node, kept: results are lost with the client that they were asked of."""
    if not hasattr(broker, "admin_client"):
        broker.admin_client = library_admin().AdminClient({"bootstrap.servers": broker.bootstrap})
    return broker.admin_client


def create(broker, name, partitions=1, config=None):
    new = library_admin().NewTopic(name, num_partitions=partitions, replication_factor=1, config=config or {})
    admin(broker).create_topics([new])[name].result(30)

    def led():  # brokers hear of a topic a little after its creation is acknowledged
        topic = admin(broker).list_topics(timeout=30).topics.get(name)  # of all topics: asking for one could create it
        return topic and topic.error is None and len([p for p in topic.partitions.values() if p.leader >= 0]) == partitions
    wait_until(led, 30, f"leaders for {name}")


def library_admin():
    require("confluent_kafka.admin")
    return library().admin


def produce_all(broker, topic, messages, partition=0, **config):
    """Each message is a dictionary for Producer.produce. Returns the offsets, in order; any refusal is raised."""
    done = []

    def delivered(error, message):
        done.append(error or message.offset())
    p = producer(broker, **config)
    for message in messages:
        p.produce(topic, partition=partition, on_delivery=delivered, **message)
        p.poll(0)
    left = p.flush(60)
    assert left == 0, f"{left} messages are not answered within 60 s"
    errors = [e for e in done if not isinstance(e, int)]
    if errors:
        raise library().KafkaException(errors[0])
    return done


def read(broker, topic, count, offset=0, partition=0, within=60, **config):
    """`count` messages from `offset` on, and the assertion that they come without a gap."""
    c = consumer(broker, **config)
    try:
        c.assign([library().TopicPartition(topic, partition, offset)])
        out = []

        def enough():
            for message in c.consume(min(count - len(out), 1000) or 1, 0.2):
                if message.error():
                    raise library().KafkaException(message.error())
                out.append(message)
            return len(out) >= count
        wait_until(enough, within, lambda: f"{count} messages of {topic} from {offset}; {len(out)} came")
        return out
    finally:
        c.close()


def code_of(exception):
    """The name of the error in a KafkaException."""
    return exception.args[0].name()


def refused(call):
    """The name of the error that `call` raises."""
    try:
        call()
    except library().KafkaException as e:
        return code_of(e)
    raise AssertionError("nothing was refused")
