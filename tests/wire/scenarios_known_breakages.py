"""What has broken elsewhere, by the numbers of docs/KNOWN_BREAKAGES.md: scenarios, so the answers are Apache Kafka's."""
from bodies import create, fetch, list_offsets, produce
from bodies_admin import SET, TOPIC, alter, delete_records
from harness.batches import batch
from harness.waiting import wait_until
from recording import scenario


@scenario()
def D20_fetch_tells_where_the_log_starts(s):
    name = "d20"
    topic_id = s.topic(name)
    for n in range(3):
        s.prepare("Produce", 9, produce(name, batch([b"a"] * 4, s.base_time)))
    for deleted in (0, 5, -1):
        s.prepare("DeleteRecords", 2, delete_records(name, (0, deleted)))
        for version in (4, 5, 7, 11, 12, 13, 18):
            for offset in (0, 4, 5, 12):
                s.call(f"deleted to {deleted}, from {offset}", "Fetch", version, fetch(name, offset, topic_id=topic_id))
        s.call(f"deleted to {deleted}, the start", "ListOffsets", 7, list_offsets(name, -2))


@scenario()
def D22_unknown_settings_of_new_topics_are_refused(s):
    """Alone, and among topics that are all right."""
    s.topic("d22-there")
    rows = {"d22-good": {}, "d22-unknown": {"prefix": "x"}, "d22-value": {"retention.ms": "soon"}, "d22-there": {},
            "d22-set": {"retention.ms": "100000"}, "d22-both": {"retention.ms": "100000", "prefix": ""}, "d22 odd": {}}
    for validate in (True, False):
        body = {"timeout_ms": 30000, "validate_only": validate, "topics": [
            create(name, 2, 1, list(settings.items()))["topics"][0] for name, settings in rows.items()]}
        answer = s.prepare("CreateTopics", 7, body)
        answer["topics"].sort(key=lambda t: t["name"])
        for topic in answer["topics"]:
            topic["configs"] = sorted((c for c in topic["configs"] or () if c["name"] == "retention.ms"), key=lambda c: c["name"])
        s.note(f"only validated: {validate}", answer)
    for name in ("d22-good", "d22-set"):
        s.until_led(name, 2)
    answer = s.prepare("Metadata", 12, {"topics": [{"name": n} for n in rows], "allow_auto_topic_creation": False})
    s.note("what is there", sorted([t["name"], t["error_code"], len(t["partitions"])] for t in answer["topics"]))


@scenario()
def D23_cleanup_policies_flip_both_ways(s):
    """Records are deleted from the start whenever the policy of the moment has `delete`."""
    name, offset = "d23", 1
    s.topic(name, cleanup_policy="compact")
    s.prepare("Produce", 9, produce(name, batch([b"a"] * 9, s.base_time, key=b"k")))
    for policy in ("compact", "delete", "compact", "compact,delete", "delete"):
        answer = s.prepare("IncrementalAlterConfigs", 1, alter(TOPIC, name, (SET, "cleanup.policy", policy)))
        assert answer["responses"][0]["error_code"] == 0, answer
        refused = 44 if policy == "compact" else 0

        def in_force():  # a log hears of its topic's settings a little after they are shown
            answer = s.prepare("DeleteRecords", 2, delete_records(name, (0, 0)))
            return answer["topics"][0]["partitions"][0]["error_code"] == refused
        wait_until(in_force, 30, f"the policy {policy}")
        s.call(f"{policy}: deleted to {offset}", "DeleteRecords", 2, delete_records(name, (0, offset)))
        s.call(f"{policy}: the start", "ListOffsets", 7, list_offsets(name, -2))
        offset += 1


@scenario()
def D49_producers_that_nobody_knows_may_write(s):
    """Ids and epochs that this broker never gave: their state may have expired, or been lost with another broker."""
    for number, (producer, epoch, sequence) in enumerate(((1 << 40, 5, 0), (1 << 41, 0, 77), (7 << 40, 32767, 2 ** 31 - 1))):
        name = f"d49-{number}"
        s.topic(name)

        def send(label, sequence, epoch=epoch):
            s.call(f"{name}: {label}", "Produce", 9, produce(name, batch(
                [b"a", b"b"], s.base_time, producer_id=producer, producer_epoch=epoch, base_sequence=sequence)))
        send("the first", sequence)
        send("the first again", sequence)
        send("the next", (sequence + 2) % 2 ** 31)
        send("a gap", (sequence + 9) % 2 ** 31)
        send("a lower epoch", 0, epoch - 1)


@scenario()
def D37_what_is_refused_leaves_no_gap(s):
    """Nothing is compacted and nothing is transactional, so offsets are without gaps: some consumers count on that."""
    name = "d37"
    s.topic(name)
    producer = s.producer_id()

    def send(label, sequence=-1, **more):
        given = {"producer_id": producer, "producer_epoch": 0, "base_sequence": sequence} if sequence >= 0 else {}
        s.call(label, "Produce", 9, produce(name, batch([b"a", b"b"], s.base_time, **given, **more)))
    send("good")
    send("a wrong checksum", crc=7)
    send("idempotent", 0)
    send("again", 0)
    send("out of order", 9)
    send("a wrong count", count=3, last_offset_delta=2)
    send("idempotent, the next", 2)
    send("packed", gzip=True)
    s.call("what is there", "Fetch", 12, fetch(name))
    s.call("the end", "ListOffsets", 7, list_offsets(name, -1))
