"""Groups of the classic protocol: members, offsets, administration; right requests and wrong ones."""
import struct

from harness.client import Connection
from harness.waiting import wait_until
from recording import scenario

EVERY_GROUP_API = {"JoinGroup": 9, "SyncGroup": 5, "Heartbeat": 4, "LeaveGroup": 5}


def subscription(*topics, version=1):
    out = struct.pack(">hi", version, len(topics))
    for t in topics:
        out += struct.pack(">h", len(t)) + t.encode()
    return out + struct.pack(">i", -1) + (struct.pack(">i", 0) if version else b"")


def join(group, member="", instance=None, protocols=("range",), metadata=b"", protocol_type="consumer", session=30000, rebalance=30000):
    return {"group_id": group, "session_timeout_ms": session, "rebalance_timeout_ms": rebalance, "member_id": member,
            "group_instance_id": instance, "protocol_type": protocol_type,
            "protocols": [{"name": p, "metadata": metadata or p.encode()} for p in protocols], "reason": "a test"}


def sync(group, generation, member, assignments=(), instance=None, protocol_type="consumer", protocol="range"):
    return {"group_id": group, "generation_id": generation, "member_id": member, "group_instance_id": instance,
            "protocol_type": protocol_type, "protocol_name": protocol,
            "assignments": [{"member_id": m, "assignment": a} for m, a in assignments]}


def beat(group, generation, member, instance=None):
    return {"group_id": group, "generation_id": generation, "member_id": member, "group_instance_id": instance}


def leave(group, *members):
    return {"group_id": group, "member_id": members[0][0],
            "members": [{"member_id": m, "group_instance_id": i, "reason": "done"} for m, i in members]}


def commit(group, topic, offsets, generation=-1, member="", instance=None, metadata="", epoch=-1, topic_id=None, retention=-1):
    return {"group_id": group, "generation_id_or_member_epoch": generation, "member_id": member, "group_instance_id": instance,
            "retention_time_ms": retention,
            "topics": [{"name": topic, "topic_id": topic_id, "partitions": [
                {"partition_index": p, "committed_offset": o, "committed_leader_epoch": epoch, "committed_metadata": metadata}
                for p, o in offsets]}]}


def fetch(version, group, topics, stable=False):
    """`topics`: a list of (name, id, partitions), or None for all."""
    if version < 8:
        return {"group_id": group, "require_stable": stable, "topics": None if topics is None else [
            {"name": n, "partition_indexes": p} for n, _, p in topics]}
    return {"require_stable": stable, "groups": [{"group_id": group, "topics": None if topics is None else [
        {"name": n, "topic_id": i, "partition_indexes": p} for n, i, p in topics]}]}


def ready(s, group):
    """Until the group's coordinator is there and has loaded it."""
    def answers():
        found = s.prepare("FindCoordinator", 3, {"key": group, "key_type": 0})
        return found["error_code"] == 0 and s.prepare("DescribeGroups", 0, {"groups": [group]})["groups"][0]["error_code"] == 0
    wait_until(answers, 60, f"the coordinator of {group}")


def member_of(answer):
    return answer["member_id"]


@scenario()
def find_coordinator(s):
    ready(s, "found")
    for version in range(0, 7):
        for kind in (0,) if version == 0 else (0, 2, 3, -1):
            body = {"key": "found", "key_type": kind} if version < 4 else {"key_type": kind, "coordinator_keys": ["found", "", "héé"]}
            s.call(f"of kind {kind}", "FindCoordinator", version, body)
    s.call("of nobody", "FindCoordinator", 4, {"key_type": 0, "coordinator_keys": []})
    for version in (0, 1):
        s.call("of the new protocol", "ConsumerGroupHeartbeat", version, {
            "group_id": "found", "member_id": "m", "member_epoch": 0, "rebalance_timeout_ms": 1000,
            "subscribed_topic_names": ["t"], "topic_partitions": []})
        s.call("of the new protocol", "ConsumerGroupDescribe", version, {"group_ids": ["found", "none"], "include_authorized_operations": True})


@scenario()
def group_of_one(s):
    """A member in each version of each request: joins, gets its assignment, heartbeats, commits, leaves."""
    s.topic("one", 2)
    for version in range(0, 10):
        group = f"one-{version}"
        ready(s, group)
        body = join(group, metadata=subscription("one"))
        joined = s.call("joins", "JoinGroup", version, body)
        if version >= 4:
            assert joined["error_code"] == 79, joined
            joined = s.call("joins with its id", "JoinGroup", version, {**body, "member_id": joined["member_id"]})
        member, generation = member_of(joined), joined["generation_id"]
        assert generation == 1, joined
        s.call("is described while it syncs", "DescribeGroups", min(version, 6), {"groups": [group]})
        s.call("commits too early", "OffsetCommit", max(2, version), commit(group, "one", [(0, 3)], generation, member))
        v = min(version, 5)
        s.call("syncs", "SyncGroup", v, sync(group, generation, member, [(member, b"all"), ("stranger", b"none")]))
        s.call("syncs again", "SyncGroup", v, sync(group, generation, member))
        s.call("heartbeats", "Heartbeat", min(version, 4), beat(group, generation, member))
        s.call("commits", "OffsetCommit", max(2, min(version, 9)), commit(group, "one", [(0, 3), (1, 4), (7, 1)], generation, member, metadata="so far", epoch=0))
        for fetched in range(1, 10):
            s.call("fetches", "OffsetFetch", fetched, fetch(fetched, group, [("one", None, [0, 1, 2])]))
        s.call("is described", "DescribeGroups", min(version, 6), {"groups": [group, "one-none"], "include_authorized_operations": True})
        s.call("deletes in vain", "OffsetDelete", 0, {"group_id": group, "topics": [{"name": "one", "partitions": [{"partition_index": 0}]}]})
        s.call("is deleted in vain", "DeleteGroups", min(version, 3), {"groups_names": [group]})
        s.call("leaves", "LeaveGroup", v, leave(group, (member, None)))
        s.call("leaves again", "LeaveGroup", v, leave(group, (member, None)))
        s.call("heartbeats after it left", "Heartbeat", min(version, 4), beat(group, generation, member))
        s.call("is described, empty", "DescribeGroups", min(version, 6), {"groups": [group]})
        s.call("is deleted", "DeleteGroups", min(version, 3), {"groups_names": [group, group, "one-none"]})
        s.call("is described, deleted", "DescribeGroups", min(version, 6), {"groups": [group]})


@scenario()
def group_errors(s):
    s.topic("wrong")
    group = "wrong"
    ready(s, group)
    for version in (0, 4, 5, 7, 9):
        for label, body in {
            "without a group": join(""), "a short session": join(group, session=5999), "a long session": join(group, session=1800001),
            "no session": join(group, session=-1), "an unknown member": join(group, "nobody"), "no protocols": join(group, protocols=()),
            "no type": join(group, protocol_type=""), "an unknown instance": join(group, "nobody", "instance"),
        }.items():
            s.call(label, "JoinGroup", version, body)
    for version in range(0, 6):
        s.call("without a group", "SyncGroup", version, sync("", 1, "m"))
        s.call("no such group", "SyncGroup", version, sync("wrong-none", 1, "m"))
        s.call("an empty group", "SyncGroup", version, sync(group, 1, "m"))
        s.call("without a group", "LeaveGroup", version, leave("", ("m", None)))
        s.call("no such group", "LeaveGroup", version, leave("wrong-none", ("m", None)))
    for version in range(0, 5):
        s.call("without a group", "Heartbeat", version, beat("", 1, "m"))
        s.call("no such group", "Heartbeat", version, beat("wrong-none", 1, "m"))
    s.call("without protocol and type", "SyncGroup", 5, sync(group, 1, "m", protocol_type=None, protocol=None))

    joined = s.call("joins", "JoinGroup", 3, join(group, metadata=subscription("wrong")))
    member, generation = member_of(joined), joined["generation_id"]
    for version in (3, 9):
        s.call("another type", "JoinGroup", version, join(group, protocol_type="connect"))
        s.call("another protocol", "JoinGroup", version, join(group, protocols=("sticky",)))
        s.call("an unknown member", "JoinGroup", version, join(group, "nobody"))
    for version in range(0, 6):
        s.call("an unknown member", "SyncGroup", version, sync(group, generation, "nobody"))
        s.call("a wrong generation", "SyncGroup", version, sync(group, generation + 1, member))
    s.call("a wrong protocol", "SyncGroup", 5, sync(group, generation, member, protocol="sticky"))
    s.call("a wrong type", "SyncGroup", 5, sync(group, generation, member, protocol_type="connect"))
    s.call("the same again", "JoinGroup", 3, join(group, member, metadata=subscription("wrong")))
    s.call("syncs without an assignment", "SyncGroup", 5, sync(group, generation, member))
    for version in range(0, 5):
        s.call("an unknown member", "Heartbeat", version, beat(group, generation, "nobody"))
        s.call("a wrong generation", "Heartbeat", version, beat(group, generation + 1, member))
        if version >= 3:
            s.call("a dynamic member with an instance", "Heartbeat", version, beat(group, generation, member, "instance"))
    for version in range(2, 10):
        for label, body in {
            "an unknown member": commit(group, "wrong", [(0, 1)], generation, "nobody"),
            "a wrong generation": commit(group, "wrong", [(0, 1)], generation + 1, member),
            "no membership": commit(group, "wrong", [(0, 1)]),
            "no such group": commit("wrong-none", "wrong", [(0, 1)], 5, "m"),
            "unknown topic": commit(group, "wrong-topic", [(0, 1)], generation, member),
            "unknown partition": commit(group, "wrong", [(3, 1), (0, 1)], generation, member),
            "long metadata": commit(group, "wrong", [(0, 1)], generation, member, metadata="x" * 4097),
            "the longest metadata": commit(group, "wrong", [(0, 1)], generation, member, metadata="x" * 4096),
            "without a group": commit("", "wrong", [(0, 1)]),
            "a negative offset": commit("wrong-negative", "wrong", [(0, -7)]),
        }.items():
            s.call(label, "OffsetCommit", version, body)
    two = leave(group, ("nobody", None), (member, None), ("", "nobody"))
    s.call("several, one of them a member", "LeaveGroup", 5, two)


@scenario()
def group_of_two(s):
    """The second member makes the first one join again; then it goes silent."""
    s.topic("two")
    group = "two"
    ready(s, group)
    other = Connection(s.broker.port)
    first = s.call("joins", "JoinGroup", 3, join(group, protocols=("range", "roundrobin")))
    a = member_of(first)
    s.call("syncs", "SyncGroup", 3, sync(group, 1, a, [(a, b"everything")]))
    other.send("JoinGroup", 3, join(group, protocols=("roundrobin", "range"), session=6000, rebalance=6000))

    def in_state(state):
        return lambda: s.prepare("DescribeGroups", 3, {"groups": [group]})["groups"][0]["group_state"] == state
    wait_until(in_state("PreparingRebalance"), 30, "the rebalance")
    s.call("heartbeats", "Heartbeat", 3, beat(group, 1, a))
    s.call("syncs the old generation", "SyncGroup", 3, sync(group, 1, a))
    s.call("commits", "OffsetCommit", 7, commit(group, "two", [(0, 5)], 1, a))
    s.call("rejoins", "JoinGroup", 3, join(group, a, protocols=("range", "roundrobin")))
    joined = other.receive()
    b = member_of(joined)
    s.note("the other joined", joined)
    other.send("SyncGroup", 3, sync(group, 2, b))
    s.call("syncs for both", "SyncGroup", 3, sync(group, 2, a, [(a, b"half"), (b, b"other half")]))
    s.note("the other's assignment", other.receive())
    s.call("heartbeats", "Heartbeat", 3, beat(group, 2, a))
    # The other one never heartbeats: after 6 seconds it is out.
    wait_until(in_state("PreparingRebalance"), 30, "the other's session to end")
    s.call("heartbeats", "Heartbeat", 3, beat(group, 2, a))
    s.call("rejoins alone", "JoinGroup", 3, join(group, a, protocols=("range", "roundrobin")))
    s.note("what the other hears", other.call("Heartbeat", 3, beat(group, 2, b)))
    s.call("leaves", "LeaveGroup", 1, leave(group, (a, None)))
    other.close()


@scenario()
def static_members(s):
    s.topic("static")
    group = "static"
    ready(s, group)
    body = join(group, instance="i1", metadata=subscription("static"))
    first = s.call("joins", "JoinGroup", 5, body)
    a = member_of(first)
    s.call("syncs", "SyncGroup", 5, sync(group, 1, a, [(a, b"all")], "i1"))
    s.call("heartbeats", "Heartbeat", 3, beat(group, 1, a, "i1"))
    second = s.call("comes back", "JoinGroup", 5, body)
    b = member_of(second)
    s.call("syncs", "SyncGroup", 5, sync(group, second["generation_id"], b, [], "i1"))
    s.call("the old one heartbeats", "Heartbeat", 3, beat(group, 1, a, "i1"))
    s.call("the old one without its instance", "Heartbeat", 3, beat(group, 1, a))
    s.call("the old one joins", "JoinGroup", 5, {**body, "member_id": a})
    s.call("the old one syncs", "SyncGroup", 5, sync(group, 1, a, [], "i1"))
    s.call("the old one commits", "OffsetCommit", 7, commit(group, "static", [(0, 1)], 1, a, "i1"))
    s.call("the old one leaves", "LeaveGroup", 3, leave(group, (a, "i1")))
    third = s.call("comes back", "JoinGroup", 9, body)
    c = member_of(third)
    s.call("syncs", "SyncGroup", 5, sync(group, third["generation_id"], c, [], "i1"))
    s.call("is described", "DescribeGroups", 5, {"groups": [group]})
    s.call("commits", "OffsetCommit", 8, commit(group, "static", [(0, 12)], third["generation_id"], c, "i1"))
    fourth = s.call("comes back with another protocol", "JoinGroup", 9, join(group, instance="i1", protocols=("sticky", "range"), metadata=subscription("static")))
    s.call("an unknown instance leaves", "LeaveGroup", 5, leave(group, ("", "i2")))
    s.call("is removed by its instance", "LeaveGroup", 5, leave(group, ("", "i1")))
    s.call("is described", "DescribeGroups", 5, {"groups": [group]})
    assert fourth["error_code"] == 0, fourth


@scenario()
def simple_groups(s):
    """Offsets without members: committed, fetched in every way, deleted."""
    ids = {name: s.topic(name, 2) for name in ("simple-a", "simple-b")}
    group = "simple"
    ready(s, group)
    for version in range(2, 10):
        s.call("commits", "OffsetCommit", version, commit(group, "simple-a", [(0, version), (1, 10 * version)], metadata="m" * version))
    unknown = "7f4a2ad0-6d9b-4b8a-9d0b-3f1c2b7a9e55"
    import uuid
    s.call("commits by id", "OffsetCommit", 10, commit(group, "", [(0, 77), (5, 1)], topic_id=ids["simple-b"], epoch=0))
    s.call("commits by an unknown id", "OffsetCommit", 10, commit(group, "", [(0, 77)], topic_id=uuid.UUID(unknown)))
    for version in range(1, 10):
        topics = [("simple-a", None, [0, 1, 9]), ("simple-b", None, [0]), ("simple-none", None, [0])]
        s.call("fetches", "OffsetFetch", version, fetch(version, group, topics))
        s.call("fetches nothing", "OffsetFetch", version, fetch(version, group, []))
        s.call("fetches of nobody", "OffsetFetch", version, fetch(version, "simple-nobody", topics))
        s.call("fetches without a group", "OffsetFetch", version, fetch(version, "", topics))
        if version >= 2:
            everything = s.prepare("OffsetFetch", version, fetch(version, group, None))
            for g in everything.get("groups", [everything]):
                g["topics"].sort(key=lambda t: t["name"])
            s.note(f"fetches all (OffsetFetch v{version})", everything)
        if version >= 7:
            s.call("fetches stable ones", "OffsetFetch", version, fetch(version, group, topics, stable=True))
    s.call("fetches by id", "OffsetFetch", 10, fetch(10, group, [(None, ids["simple-b"], [0, 1]), (None, uuid.UUID(unknown), [0])]))
    several = {"require_stable": False, "groups": [fetch(9, g, [("simple-a", None, [0])])["groups"][0] for g in (group, "simple-nobody", "")]}
    s.call("fetches of several groups", "OffsetFetch", 9, several)

    for topic, partitions in {"simple-a": (0, 5), "simple-none": (0,)}.items():
        s.call(f"deletes of {topic}", "OffsetDelete", 0, {"group_id": group, "topics": [
            {"name": topic, "partitions": [{"partition_index": p} for p in partitions]}]})
    s.call("deletes of nobody", "OffsetDelete", 0, {"group_id": "simple-nobody", "topics": [{"name": "simple-a", "partitions": [{"partition_index": 0}]}]})
    s.call("deletes without a group", "OffsetDelete", 0, {"group_id": "", "topics": []})
    s.call("fetches what is left", "OffsetFetch", 9, fetch(9, group, [("simple-a", None, [0, 1])]))
    s.call("is described", "DescribeGroups", 5, {"groups": [group]})
    s.call("a member commits", "OffsetCommit", 9, commit(group, "simple-a", [(0, 1)], 0, "m"))
    s.call("deletes its topic", "DeleteTopics", 5, {"topic_names": ["simple-b"], "timeout_ms": 30000})

    def forgotten():
        answer = s.prepare("OffsetFetch", 7, fetch(7, group, [("simple-b", None, [0])]))
        return answer["topics"][0]["partitions"][0]["committed_offset"] == -1
    wait_until(forgotten, 30, "the deleted topic's offsets to go")
    for version in range(0, 4):
        s.call("is deleted", "DeleteGroups", version, {"groups_names": [group, "", "simple-nobody"]})
    s.call("fetches what is left", "OffsetFetch", 9, fetch(9, group, [("simple-a", None, [0, 1])]))


@scenario()
def listing_groups(s):
    s.topic("listed")
    for group in ("listed-empty", "listed-member"):
        ready(s, group)
    s.prepare("OffsetCommit", 7, commit("listed-empty", "listed", [(0, 1)]))
    s.call("joins", "JoinGroup", 3, join("listed-member", protocol_type="connect", protocols=("v1",)))

    def ours(answer):
        answer["groups"] = sorted((g for g in answer["groups"] if g["group_id"].startswith("listed")), key=lambda g: g["group_id"])
        return answer
    for version in range(0, 6):
        s.note(f"all (v{version})", ours(s.prepare("ListGroups", version, {})))
    for states in (["Empty"], ["empty"], ["EMPTY", "CompletingRebalance"], ["Stable"], ["Dead"], ["nonsense"], [""], [" Empty "]):
        for version in (4, 5):
            s.note(f"in states {states} (v{version})", ours(s.prepare("ListGroups", version, {"states_filter": states})))
    for types in (["classic"], ["Classic"], ["consumer"], ["consumer", "classic"], ["share"], ["streams"], ["nonsense"], [""]):
        s.note(f"of types {types}", ours(s.prepare("ListGroups", 5, {"types_filter": types})))
    s.call("many are described", "DescribeGroups", 6, {"groups": ["listed-empty", "listed-member", "", "listed-none", "listed-empty"]})
