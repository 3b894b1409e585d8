"""ListOffsets and OffsetForLeaderEpoch."""
from bodies import epoch_end, list_offsets, produce
from harness.batches import batch
from recording import scenario

SPECIAL = {-1: "latest", -2: "earliest", -3: "of the greatest time", -4: "earliest local", -5: "latest tiered", -6: "earliest to upload",
           -7: "none such", -100: "none such either"}


def fill(s, topic, gzip=False):
    """Times, from the base: 0 1 2 | 100 50 150 | 120 | 300."""
    for start, times in ((0, [0, 1, 2]), (100, [0, -50, 50]), (120, [0]), (300, [0])):
        body = batch([b"value"] * len(times), s.base_time + start, times=times, gzip=gzip)
        answer = s.prepare("Produce", 9, produce(topic, body))
        assert answer["responses"][0]["partition_responses"][0]["error_code"] == 0, answer


@scenario()
def list_offsets_special(s):
    s.topic("special-empty")
    s.topic("special")
    fill(s, "special")
    for version in range(1, 12):
        for timestamp, name in SPECIAL.items():
            s.call(name, "ListOffsets", version, list_offsets("special", timestamp))
            s.call(f"{name}, empty", "ListOffsets", version, list_offsets("special-empty", timestamp))
        s.call("an unknown partition", "ListOffsets", version, list_offsets("special", -1, partition=3))
        s.call("an unknown topic", "ListOffsets", version, list_offsets("special-none", -1))
        s.call("latest committed", "ListOffsets", version, list_offsets("special", -1, isolation=1))
    for version in (4, 7, 11):
        for epoch in (0, 1):
            s.call(f"current epoch {epoch}", "ListOffsets", version, list_offsets("special", -1, leader_epoch=epoch))
    two = list_offsets("special", -1)
    two["topics"][0]["partitions"] *= 2
    s.call("a partition twice", "ListOffsets", 7, two)
    s.call("no topics", "ListOffsets", 7, {"replica_id": -1, "topics": []})
    s.call("as a debugger", "ListOffsets", 7, list_offsets("special", -1, replica=-2))
    s.call("as an unknown replica", "ListOffsets", 7, list_offsets("special", -1, replica=9))


@scenario()
def list_offsets_by_time(s):
    for name, gzip in (("times", False), ("times-gzip", True)):
        s.topic(name)
        fill(s, name, gzip)
        for distance in (-1000, 0, 1, 2, 3, 50, 51, 99, 100, 101, 119, 120, 121, 149, 150, 151, 299, 300, 301, 5000):
            for version in (1, 7):
                s.call(f"{name} at {distance}", "ListOffsets", version, list_offsets(name, s.base_time + distance))
        s.call(f"{name} at 0 of the epoch", "ListOffsets", 7, list_offsets(name, 0))
        s.call(f"{name} far ahead", "ListOffsets", 7, list_offsets(name, 2 ** 62))


@scenario()
def offset_for_leader_epoch(s):
    s.topic("epochs", 2)
    fill(s, "epochs")
    for version in (2, 3, 4):
        for epoch in (-1, 0, 1, 7):
            s.call(f"end of {epoch}", "OffsetForLeaderEpoch", version, epoch_end("epochs", epoch))
            s.call(f"end of {epoch}, empty partition", "OffsetForLeaderEpoch", version, epoch_end("epochs", epoch, partition=1))
        for current in (0, 1):
            s.call(f"current epoch {current}", "OffsetForLeaderEpoch", version, epoch_end("epochs", 0, current=current))
        s.call("an unknown partition", "OffsetForLeaderEpoch", version, epoch_end("epochs", 0, partition=5))
        s.call("an unknown topic", "OffsetForLeaderEpoch", version, epoch_end("epochs-none", 0))
    s.call("none", "OffsetForLeaderEpoch", 4, {"topics": []})
