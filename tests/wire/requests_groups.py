"""Right requests of the groups' APIs. Each that changes a group has one of its own."""
from pair import Row
from scenarios_groups import beat, commit, fetch, join, leave, ready, sync

NO_NAMES = ("", None)  # other names would be the same group in later requests, with members that have to be waited for
SESSIONS = (-1, 0, 5999, 6000, 30000, 1800000, 1800001)


def prepare(side):
    side.known["topic"] = side.topic("sweep-group", 2)
    ready(side, "sweep")
    side.known["member"] = member_of(side, "sweep-group")
    side.prepare("OffsetCommit", 8, commit("sweep-simple", "sweep-group", [(0, 5), (1, 7)], metadata="m"))


def member_of(side, group):
    """A stable group of one; (member id, generation)."""
    first = side.prepare("JoinGroup", 5, join(group, session=600000, rebalance=600000))
    if first["error_code"] == 79:
        first = side.prepare("JoinGroup", 5, join(group, first["member_id"], session=600000, rebalance=600000))
    assert first["error_code"] == 0, first
    done = side.prepare("SyncGroup", 3, sync(group, first["generation_id"], first["member_id"], [(first["member_id"], b"a")]))
    assert done["error_code"] == 0, done
    return first["member_id"], first["generation_id"]


def in_group(make):
    """The body for the member of a new group: make(group, member, generation)."""
    def body(side, name):
        member, generation = member_of(side, name)
        return make(name, member, generation)
    return body


def committed(side, _):
    return commit("sweep-commits", "sweep-group", [(0, 5)], metadata="m", topic_id=side.known["topic"])


def state(side, name):
    return {"groups": [name]}


def offsets(side, name):
    return fetch(7, name, None)


ROWS = [
    Row("FindCoordinator", lambda side, _: {"key": "sweep", "key_type": 0, "coordinator_keys": ["sweep", "other"]}, {"key_type": (0, 2, 3, -1, 127)}),
    Row("ListGroups", lambda side, _: {"states_filter": ["Stable"], "types_filter": ["classic"]}, {
        "states_filter": (["stable"], ["Nonsense"], ["Dead", "Empty"], [""]), "types_filter": (["Classic"], ["consumer"], ["x"], [""])}),
    Row("JoinGroup", lambda side, name: join(name), {"session_timeout_ms": SESSIONS, "group_id": NO_NAMES}, again=True),
    Row("JoinGroup", lambda side, name: join(f"{name} .. ünïcode/"), again=True, plain=True, label="an odd name"),
    Row("JoinGroup", in_group(lambda group, member, _: join(group, member)),
        {"session_timeout_ms": SESSIONS, "group_id": NO_NAMES, "member_id": ("sweep-none", None),
         "rebalance_timeout_ms": (600000, (1 << 31) - 1)}, again=True, label="once more",
        then=(("DescribeGroups", 5, state),)),
    Row("SyncGroup", in_group(lambda group, member, generation: sync(group, generation, member, [(member, b"a")])), again=True),
    Row("Heartbeat", lambda side, _: beat("sweep-group", side.known["member"][1], side.known["member"][0])),
    Row("LeaveGroup", in_group(lambda group, member, _: leave(group, (member, None))), again=True, then=(("DescribeGroups", 5, state),)),
    Row("OffsetCommit", committed, then=(("OffsetFetch", 7, lambda side, _: fetch(7, "sweep-commits", None)),)),
    Row("OffsetCommit", in_group(lambda group, member, generation: commit(group, "sweep-group", [(0, 5)], generation, member)), again=True,
        label="a member's", only=(2, 5, 7, 9), then=(("OffsetFetch", 7, offsets),)),
    *(Row("OffsetFetch", lambda side, _, version=version: fetch(version, "sweep-simple", [("sweep-group", side.known["topic"], [0, 1])]),
          only=(version,)) for version in range(1, 11)),
    Row("OffsetFetch", lambda side, _: fetch(9, "sweep-simple", None), label="all", only=(8, 9, 10)),
    Row("DescribeGroups", lambda side, _: {"groups": ["sweep-group", "sweep-simple"]}),
    Row("DeleteGroups", in_group(lambda group, member, _: {"groups_names": [group, group + "-none"]}), again=True),
    Row("OffsetDelete", lambda side, _: {"group_id": "sweep-simple", "topics": [{"name": "sweep-group", "partitions": [
        {"partition_index": 5}]}]}),
    Row("ConsumerGroupHeartbeat", lambda side, _: {"group_id": "sweep", "member_id": "m", "member_epoch": 0, "rebalance_timeout_ms": 1000,
                                                   "subscribed_topic_names": ["t"], "topic_partitions": []}),
    Row("ConsumerGroupDescribe", lambda side, _: {"group_ids": ["sweep"]}),
]
