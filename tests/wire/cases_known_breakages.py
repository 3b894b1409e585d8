"""What has broken elsewhere, by the numbers of docs/KNOWN_BREAKAGES.md: what is no comparison of answers."""
import struct
import threading
import time

from bodies import create, epoch_end, fetch, list_offsets, produce
from bodies_admin import TOPIC, describe, replace
from cases_frames import HELLO, framed, outcome
from harness.batches import batch, read_batches
from harness.cases import case
from harness.client import Closed, Connection, call, new_producer_id
from harness.messages import Apis
from harness.waiting import wait_until
from recording import Scenario, load
from scenarios_groups import beat, commit, join, leave, subscription, sync
from scenarios_groups import fetch as offset_fetch


# Where the default isn't a right request: what has an answer, kinds that mean any.
RIGHT = {**HELLO, "acks": 1, "resource_type_filter": 1, "pattern_type_filter": 1, "operation": 1, "permission_type": 1}


def advertised(port):
    """Each API that the broker advertises, with its first and last version."""
    shown = {k["api_key"]: (k["min_version"], k["max_version"]) for k in call(port, "ApiVersions", 3, HELLO)["api_keys"]}
    Apis.get("Produce")
    return [(api, *shown[api.key]) for api in Apis._by_name.values() if api.key in shown]


@case()
def D1_produce_is_advertised_from_0_and_served_from_3(context):
    """librdkafka compresses only if Produce begins at 0. What is older than 3 ends its connection, with acks 0 too."""
    port = context.broker.port
    ranges = {api.name: (first, last) for api, first, last in advertised(port)}
    assert ranges["Produce"] == (0, 13), ranges["Produce"]
    for version in range(3):
        for acks in (-1, 0, 1):
            body = struct.pack(">hhih", 0, version, 1, -1) + struct.pack(">hii", acks, 1000, 0)
            assert outcome(port, framed(body)) == "closed", (version, acks)
    if context.broker.kind == "moldau":
        wait_until(lambda: "Produce" in context.broker.log_tail(20000), 30, "a line in the log that says why")


@case(within=240)
def D6_every_advertised_version_is_answered(context):
    """Clients pick a version by the release that they are told, not by what they have seen to work."""
    wrong = []
    for api, first, last in advertised(context.broker.port):
        for version in range(first if api.name != "Produce" else 3, last + 1):
            fields = {f.name for f in api.request.root.fields}
            try:
                with Connection(context.broker.port) as connection:
                    connection.call(api.name, version, {k: v for k, v in RIGHT.items() if k in fields})
            except (Closed, TimeoutError, ValueError) as e:  # ended, silent, or not the text's shape
                wrong.append(f"{api.name} v{version}: {type(e).__name__}: {e}")
                if isinstance(e, TimeoutError):
                    break
    assert not wrong, wrong


@case()
def D9_versions_outside_the_range_are_not_left_waiting(context):
    """Old libraries send OffsetCommit 0 or OffsetFetch 0 without asking: an end of the connection, never silence."""
    port = context.broker.port
    below = 0
    for api, first, last in advertised(port):
        if api.name == "ApiVersions":
            continue
        for version in {first - 1, 0, last + 1} - set(range(first, last + 1)) - {-1}:
            below += version < first
            header = struct.pack(">hhih", api.key, version, 1, -1)
            assert outcome(port, framed(header + b"\x00" * 40)) == "closed", (api.name, version)
    assert below > 10, below


@case()
def D12_metadata_right_after_create_names_a_leader(context):
    """Asked on the connection that created it, at once. Apache Kafka's brokers may not know the topic yet; ours do."""
    with Connection(context.broker.port) as connection:
        for n in range(30):
            name = context.topic(str(n))
            assert connection.call("CreateTopics", 7, create(name, 3))["topics"][0]["error_code"] == 0
            topic = connection.call("Metadata", 12, {"topics": [{"name": name}], "allow_auto_topic_creation": False})["topics"][0]
            if context.broker.kind == "kafka" and topic["error_code"] == 3:
                continue
            assert topic["error_code"] == 0 and [(p["error_code"], p["leader_id"]) for p in topic["partitions"]] == [(0, 1)] * 3, topic
            written = connection.call("Produce", 9, produce(name, batch([b"a"], int(time.time() * 1000)), partition=2))
            assert context.broker.kind == "kafka" or written["responses"][0]["partition_responses"][0]["error_code"] == 0, written


@case(within=300)
def D13_no_topic_is_created_where_that_is_off(context):
    broker = context.new_broker({"auto.create.topics.enable": "false"}).start()
    names = [context.topic(str(v)) for v in (0, 1, 4, 9, 13)]
    for version, name in zip((0, 1, 4, 9, 13), names):
        answer = call(broker.port, "Metadata", version, {"topics": [{"name": name}], "allow_auto_topic_creation": True})
        assert [t["error_code"] for t in answer["topics"]] == [3], answer
    assert call(broker.port, "CreateTopics", 7, create(context.topic("made")))["topics"][0]["error_code"] == 0
    wait_until(lambda: call(broker.port, "Metadata", 12, {"topics": [{"name": context.topic("made")}]})["topics"][0]["error_code"] == 0,
               30, "the topic that was asked for")
    there = {t["name"] for t in call(broker.port, "Metadata", 12, {"topics": None})["topics"]}
    assert not there & set(names), there
    broker.stop()


@case()
def D14_no_client_id_and_an_empty_one(context):
    """In the header with tags (v2) and in the one without (v1)."""
    for api, version, body in (("Metadata", 1, {"topics": []}), ("Metadata", 12, {"topics": []}), ("FindCoordinator", 0, {"key": "g"}),
                               ("CreateTopics", 4, {"topics": [], "timeout_ms": 1000}), ("ListGroups", 4, {})):
        with Connection(context.broker.port) as connection:
            for client_id in (None, "", "x" * 300):
                assert connection.call(api, version, body, client_id).get("error_code", 0) in (0, 15), (api, version, client_id)


@case()
def D15_every_answer_names_the_same_cluster(context):
    port = context.broker.port
    ids = {call(port, "Metadata", v, {"topics": []})["cluster_id"] for v in range(2, 14)}
    ids |= {call(port, "DescribeCluster", v, {})["cluster_id"] for v in range(3)}
    assert len(ids) == 1 and len(ids.pop()) == 22, ids


@case()
def D21_reading_and_writing_back_keeps_every_setting(context):
    """DescribeConfigs, then AlterConfigs with what it gave, as older tools change one setting of many."""
    port, name = context.broker.port, context.topic()
    s = Scenario(context.broker)
    s.topic(name, retention_ms=123456, cleanup_policy="compact,delete", max_message_bytes=5000)
    keys = ("value", "config_source", "is_default", "read_only")

    def shown(kind, resource):
        rows = call(port, "DescribeConfigs", 4, describe(kind, resource))["results"][0]["configs"]
        assert rows, "DescribeConfigs is empty"
        return {c["name"]: tuple(c.get(k) for k in keys) for c in rows}
    before = shown(TOPIC, name)
    assert len(before) > 25, before
    own = [(key, value[0]) for key, value in before.items() if value[1] == 1]  # 1: the topic's own
    assert len(own) == 3, own
    assert call(port, "AlterConfigs", 1, replace(TOPIC, name, *own, ("flush.ms", "777")))["responses"][0]["error_code"] == 0
    s.until_configured(TOPIC, name, flush_ms="777")
    after = shown(TOPIC, name)
    assert {k: v for k, v in after.items() if k != "flush.ms"} == {k: v for k, v in before.items() if k != "flush.ms"}
    every = [(key, value[0]) for key, value in after.items()]  # defaults too: then they are the topic's own
    assert call(port, "AlterConfigs", 1, replace(TOPIC, name, *every))["responses"][0]["error_code"] == 0
    s.until_configured(TOPIC, name, flush_ms="777", retention_ms="123456")
    assert {k: v[0] for k, v in shown(TOPIC, name).items()} == dict(every)


@case()
def D26_topics_have_no_settings_that_kafka_lacks(context):
    """Tools that copy settings from cluster to cluster, or show them in a form, fail at a vendor's own."""
    Scenario(context.broker).topic(context.topic())
    rows = call(context.broker.port, "DescribeConfigs", 4, describe(TOPIC, context.topic()))["results"][0]["configs"]
    theirs = {c["name"] for c in load("describe_topic_configs")[3][1]["results"][0]["configs"]}
    assert {c["name"] for c in rows} == theirs, {c["name"] for c in rows} ^ theirs


@case(within=400)
def D39_committed_metadata_and_epoch_come_back(context):
    """In every version that has them, and from the log after a restart."""
    broker = context.new_broker({"group.initial.rebalance.delay.ms": "0"}).start()
    s, name, group = Scenario(broker), context.topic(), context.name
    s.topic(name, 3)
    texts = ["so far", "größe 漢字", "x" * 4096]

    def answered(api, version, body):
        """Once the coordinator is there and has loaded the group."""
        def ask():
            call(broker.port, "FindCoordinator", 3, {"key": group, "key_type": 0})
            answer = call(broker.port, api, version, body)
            codes = {answer.get("error_code", 0)} | {g["error_code"] for g in answer.get("groups", ())} | {
                p["error_code"] for t in answer.get("topics", ()) for p in t["partitions"]}
            assert codes <= {0, 14, 15, 16}, answer
            return answer if codes == {0} else None
        return wait_until(ask, 60, f"an answer to {api}")
    for p, text in enumerate(texts):
        answered("OffsetCommit", 8, commit(group, name, [(p, 10 + p)], metadata=text, epoch=p))
    for restart in (None, broker.stop, broker.kill9):
        if restart:
            restart()
            broker.start()
        for version in range(1, 10):
            answer = answered("OffsetFetch", version, offset_fetch(version, group, [(name, None, [0, 1, 2])]))
            rows = answer.get("groups", [answer])[0]["topics"][0]["partitions"]
            got = {r["partition_index"]: (r["committed_offset"], r["metadata"], r.get("committed_leader_epoch")) for r in rows}
            assert got == {p: (10 + p, text, p if version >= 5 else None) for p, text in enumerate(texts)}, (restart, version, got)
    broker.stop()


def epoch_of(broker, name):
    def known():
        answer = call(broker.port, "Metadata", 12, {"topics": [{"name": name}], "allow_auto_topic_creation": False})["topics"][0]
        rows = [p for p in answer["partitions"] if p["leader_id"] >= 0]
        ended = call(broker.port, "ListOffsets", 7, list_offsets(name, -1))["topics"][0]["partitions"][0]
        return (rows[0]["leader_epoch"],) if rows and ended["error_code"] == 0 else None
    return wait_until(known, 60, "a leader")[0]


@case(within=400)
def D40_leader_epochs_only_grow(context):
    """Over kills and stops; what is written carries the epoch that metadata tells, and none is unknown while there is a leader."""
    broker = context.new_broker().start()
    name = context.topic()
    Scenario(broker).topic(name)
    epochs = [epoch_of(broker, name)]
    for end in (broker.kill9, broker.stop, broker.kill9):
        answer = call(broker.port, "Produce", 9, produce(name, batch([b"a"], int(time.time() * 1000))))
        assert answer["responses"][0]["partition_responses"][0]["error_code"] == 0, answer
        end()
        broker.start()
        epochs.append(epoch_of(broker, name))
    assert epochs[0] >= 0 and epochs == sorted(epochs) and epochs[-1] > epochs[0], epochs
    records = call(broker.port, "Fetch", 12, fetch(name))["responses"][0]["partitions"][0]["records"]
    assert [b["leader_epoch"] for b in read_batches(records)] == epochs[:3]
    ended = call(broker.port, "ListOffsets", 7, list_offsets(name, -2))["topics"][0]["partitions"][0]
    assert ended["leader_epoch"] == epochs[0], (ended, epochs)
    broker.stop()


@case(within=300)
def D43_metadata_tells_the_right_epoch_from_version_7_on(context):
    broker = context.new_broker().start()
    name = context.topic()
    Scenario(broker).topic(name)
    broker.kill9()
    broker.start()
    epoch = epoch_of(broker, name)
    assert epoch > 0, "the restart made no new epoch"
    answers = [call(broker.port, "Metadata", v, {"topics": [{"name": name}]})["topics"][0] for v in range(7, 14)]
    assert [t["partitions"][0]["leader_epoch"] for t in answers] == [epoch] * 7
    shown = call(broker.port, "DescribeTopicPartitions", 0, {"topics": [{"name": name}]})["topics"][0]["partitions"][0]
    assert shown["leader_epoch"] == epoch
    for asked, error in ((epoch, 0), (epoch - 1, 74), (epoch + 1, 75)):  # what a client learnt there is what fetches are checked by
        for api, version, body in (("Fetch", 12, fetch(name, leader_epoch=asked)), ("ListOffsets", 7, list_offsets(name, -1, leader_epoch=asked)),
                                   ("OffsetForLeaderEpoch", 4, epoch_end(name, 0, current=asked))):
            answer = call(broker.port, api, version, body)
            partition = answer.get("topics", answer.get("responses"))[0]["partitions"][0]
            assert partition["error_code"] == error, (api, asked, partition)
    broker.stop()


@case(within=300)
def D46_producers_expire_by_the_brokers_clock(context):
    """A record's time may be anything, -1 too: a producer of old records is not forgotten at the next look."""
    kept_ms = 3000
    broker = context.new_broker({"producer.id.expiration.ms": str(kept_ms), "producer.id.expiration.check.interval.ms": "10"}).start()
    for label, base, more in (("none", -1, {"max_time": -1}), ("1970", 1, {})):
        name, producer = context.topic(label), new_producer_id(broker.port)
        Scenario(broker).topic(name)

        def send():
            answer = call(broker.port, "Produce", 9, produce(name, batch(
                [b"a"], base, producer_id=producer, producer_epoch=0, base_sequence=0, **more)))
            return answer["responses"][0]["partition_responses"][0]

        def known():
            answer = call(broker.port, "DescribeProducers", 0, {"topics": [{"name": name, "partition_indexes": [0]}]})
            return bool(answer["topics"][0]["partitions"][0]["active_producers"])
        began = time.monotonic()
        assert send()["error_code"] == 0
        wait_until(lambda: not known(), 60, "the producer to be forgotten")
        lasted = time.monotonic() - began
        assert lasted >= kept_ms / 1000 or broker.kind == "kafka", f"{label}: forgotten after {lasted:.1f} s"
    broker.stop()


def coordinator_knows(broker, group):
    call(broker.port, "FindCoordinator", 3, {"key": group, "key_type": 0})
    return call(broker.port, "DescribeGroups", 0, {"groups": [group]})["groups"][0]["error_code"] == 0


@case(within=200)
def D65_concurrent_rebalances_lose_no_member(context):
    """Eight members that come, stay and go while others do: who keeps to the protocol never hears UNKNOWN_MEMBER_ID."""
    broker = context.new_broker({"group.initial.rebalance.delay.ms": "0"}).start()
    group, rounds, wrong = context.name, 6, []
    wait_until(lambda: coordinator_knows(broker, group), 60, "the coordinator")

    def member(number):
        with Connection(broker.port, 90) as connection:
            def expect(answer, *codes):
                assert answer["error_code"] in codes, f"member {number}: {answer}"
                return answer
            for turn in range(rounds):
                body = join(group, metadata=subscription("t"), session=45000, rebalance=45000)
                body["member_id"] = expect(connection.call("JoinGroup", 5, body), 79)["member_id"]
                beats = 0
                while beats < 3 + number % 3:  # so long it stays
                    joined = expect(connection.call("JoinGroup", 5, body), 0)
                    given = [(m["member_id"], b"share") for m in joined["members"]]
                    if expect(connection.call("SyncGroup", 3, sync(group, joined["generation_id"], body["member_id"], given)), 0, 27)["error_code"]:
                        continue
                    while beats < 3 + number % 3:
                        if expect(connection.call("Heartbeat", 3, beat(group, joined["generation_id"], body["member_id"])), 0, 27)["error_code"]:
                            break
                        beats += 1
                gone = connection.call("LeaveGroup", 4, leave(group, (body["member_id"], None)))
                assert gone["error_code"] == 0 and gone["members"][0]["error_code"] == 0, f"member {number}, turn {turn}: {gone}"

    def run(number):
        try:
            member(number)
        except Exception as e:
            wrong.append(f"{type(e).__name__}: {e}")
    threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong, wrong[0]
    shown = call(broker.port, "DescribeGroups", 5, {"groups": [group]})["groups"][0]
    assert shown["group_state"] == "Empty" and not shown["members"], shown
    broker.stop()


@case(within=400)
def D67_a_coordinator_that_loads_says_so(context):
    """From the first moment after a start until it has loaded: retriable codes that clients know, then the right answer, nothing else."""
    broker = context.new_broker({"group.initial.rebalance.delay.ms": "0"}).start()
    group, name = context.name, context.topic()
    Scenario(broker).topic(name)
    wait_until(lambda: coordinator_knows(broker, group), 60, "the coordinator")
    for n in range(200):  # something to load
        call(broker.port, "OffsetCommit", 7, commit(group, name, [(0, n)]))
    joined = call(broker.port, "JoinGroup", 3, join(group, metadata=subscription(name)))
    member, generation = joined["member_id"], joined["generation_id"]
    assert call(broker.port, "SyncGroup", 3, sync(group, generation, member, [(member, b"all")]))["error_code"] == 0
    for end in (broker.kill9, broker.stop):
        end()
        broker.start()
        pending = {"Heartbeat", "OffsetFetch", "OffsetCommit", "FindCoordinator", "DescribeGroups"}
        calls = {"Heartbeat": (3, beat(group, generation, member)), "OffsetFetch": (5, offset_fetch(5, group, [(name, None, [0])])),
                 "OffsetCommit": (7, commit(group, name, [(0, 199)], generation, member)), "FindCoordinator": (3, {"key": group, "key_type": 0}),
                 "DescribeGroups": (5, {"groups": [group]})}

        def all_answered():
            for api in sorted(pending):
                answer = call(broker.port, api, *calls[api])
                codes = {answer.get("error_code", 0), *(g["error_code"] for g in answer.get("groups", ())),
                         *(p["error_code"] for t in answer.get("topics", ()) for p in t["partitions"])}
                assert codes <= {0, 14, 15, 16}, (end.__name__, api, answer)  # loading, not available, not the coordinator
                if codes == {0}:
                    pending.discard(api)
                    if api == "OffsetFetch":
                        assert answer["topics"][0]["partitions"][0]["committed_offset"] == 199, answer
            return not pending
        wait_until(all_answered, 60, lambda: f"answers to {pending}")
    broker.stop()


def records_of(data):
    """(key, value) of each record of the batches, which are not compressed."""
    for b in read_batches(data):
        at, body = 0, b["records"]

        def varint():
            nonlocal at
            value = shift = 0
            while True:
                byte = body[at]
                at += 1
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    return (value >> 1) ^ -(value & 1)
                shift += 7

        def sized():
            nonlocal at
            n = varint()
            if n < 0:
                return None
            at += n
            return body[at - n:at]
        for _ in range(b["count"]):
            end = varint() + at
            at += 1
            varint(), varint()
            yield sized(), sized()
            at = end


@case(within=300)
def D68_consumer_offsets_are_read_by_others(context):
    """Lag monitors read __consumer_offsets themselves and know certain versions of its records: those are written, and it is compacted."""
    broker = context.new_broker({"offsets.topic.num.partitions": "1", "group.initial.rebalance.delay.ms": "0"}).start()
    group, name = context.name, context.topic()
    Scenario(broker).topic(name, 2)
    wait_until(lambda: coordinator_knows(broker, group), 60, "the coordinator")
    joined = call(broker.port, "JoinGroup", 3, join(group, metadata=subscription(name)))
    member, generation = joined["member_id"], joined["generation_id"]
    assert call(broker.port, "SyncGroup", 3, sync(group, generation, member, [(member, b"all")]))["error_code"] == 0
    done = call(broker.port, "OffsetCommit", 8, commit(group, name, [(0, 42), (1, 43)], generation, member, metadata="m", epoch=0))
    assert {p["error_code"] for p in done["topics"][0]["partitions"]} == {0}, done
    policy = call(broker.port, "DescribeConfigs", 4, describe(TOPIC, "__consumer_offsets", ["cleanup.policy"]))["results"][0]["configs"][0]
    assert policy["value"] == "compact", policy
    answer = call(broker.port, "Fetch", 12, fetch("__consumer_offsets"))["responses"][0]["partitions"][0]
    assert answer["error_code"] == 0, answer
    offsets, groups = {}, 0

    def text(data, at):
        size = struct.unpack_from(">h", data, at)[0]
        return data[at + 2:at + 2 + size].decode(), at + 2 + size
    for key, value in records_of(answer["records"]):
        kind, version = struct.unpack_from(">h", key)[0], struct.unpack_from(">h", value)[0]
        if kind == 1:
            of, at = text(key, 2)
            topic, at = text(key, at)
            assert version in (0, 1, 3, 4), f"offsets are written in version {version}"
            offsets[of, topic, struct.unpack_from(">i", key, at)[0]] = struct.unpack_from(">q", value, 2)[0]
        else:
            assert kind == 2 and version in (0, 1, 2, 3) and text(key, 2)[0] == group, (kind, version, key)
            groups += text(value, 2)[0] == "consumer"  # a new group's first record has no type yet
    assert offsets == {(group, name, 0): 42, (group, name, 1): 43} and groups >= 1, (offsets, groups)
    broker.stop()


@case()
def D71_pages_of_partitions_have_each_one_once(context):
    s, sizes = Scenario(context.broker), {context.topic(f"{n}"): n for n in (1, 3, 4, 7, 2)}
    for name, partitions in sizes.items():
        s.topic(name, partitions)
    for limit in (1, 2, 3, 5, 16, 17, 2000):
        seen, cursor, pages = [], None, 0
        while True:
            body = {"topics": [{"name": n} for n in sizes], "response_partition_limit": limit, "cursor": cursor}
            answer = call(context.broker.port, "DescribeTopicPartitions", 0, body)
            page = [(t["name"], p["partition_index"]) for t in answer["topics"] for p in t["partitions"]]
            assert len(page) <= limit, (limit, len(page))
            seen += page
            pages += 1
            cursor = answer["next_cursor"]
            if cursor is None:
                break
            assert pages < 50, "the cursor doesn't move on"
        assert seen == [(name, p) for name in sorted(sizes) for p in range(sizes[name])], (limit, seen)


@case()
def D74_tls_on_a_plaintext_listener_is_told(context):
    """The client hears an end at once; whoever runs the broker reads why."""
    hello = bytes.fromhex("16030100c8010000c40303") + bytes(180)
    assert outcome(context.broker.port, hello) == "closed"
    if context.broker.kind == "moldau":
        wait_until(lambda: "this looks like TLS" in context.broker.log_tail(20000), 30, "a line in the log that says so")


@case(within=300)
def D74_idle_connections_live_as_long_as_is_set(context):
    """One that says something now and then stays; one that doesn't is closed, not before its time."""
    idle_ms = 6000
    broker = context.new_broker({"connections.max.idle.ms": str(idle_ms)}).start()
    with Connection(broker.port) as silent, Connection(broker.port) as busy:
        silent.call("ApiVersions", 3, HELLO)
        began = time.monotonic()

        def ended():
            assert busy.call("ApiVersions", 3, HELLO)["error_code"] == 0
            return silent.is_closed_by_broker(0.05)
        wait_until(ended, 60, "the end of the silent one")
        assert time.monotonic() - began >= idle_ms / 1000 * 0.99, "closed before its time"
        assert busy.call("ApiVersions", 3, HELLO)["error_code"] == 0
    broker.stop()
