"""The controller under test and Apache Kafka's, each with scripted brokers: random histories have to give the same answers and
the same records in the metadata log, step by step.

    run_wire.py controller_histories                                  against what Kafka did when it was recorded
    run_wire.py --broker kafka --record controller_histories          records it anew
    run_wire.py controller_beside_kafka --histories 1000 --seed 5000  live, side by side
"""
import dataclasses
import itertools
import threading
import time

from fake_brokers import PROPERTIES, SESSION_MS, Unsteady
from harness.broker import CONTROLLER_ID
from harness.cases import case
from harness.processes import run
from histories import WireHistory
from history_commands import Player
from kafka import kafka
import recording

STEPS = 30
RECORDED = 12  # histories
ATTEMPTS = 8             # of a history on a machine that is too slow for the sessions
AGAIN = 3                # a history that differs
UNKNOWN_SERVER_ERROR = -1


def play(player, seed):
    for _ in range(ATTEMPTS):
        try:
            return player.play(WireHistory(seed).commands(STEPS))
        except Unsteady as e:
            print(f"  history {seed} on port {player.connection.socket.getpeername()[1]} again: {e}", flush=True)
    raise Unsteady(f"history {seed}: {ATTEMPTS} times")


@dataclasses.dataclass
class Compared:
    """Of one history: it ends at its first difference, since what follows says nothing."""
    steps: int = 0
    ended: str | None = None       # why it says nothing more, though nothing is wrong
    difference: str | None = None


def compare(seed, kafka, tested):
    compared, moves = Compared(), Moves()
    for (command, want, want_records), (other, have, have_records) in zip(kafka, tested, strict=True):
        assert command == other, f"history {seed} has other commands: record it again"
        # When the session of a fenced broker runs out, Kafka fences it once more, at any time.
        want_records = [r for r in want_records if r[0] != "BrokerRegistrationChange again"]
        if fails(want):
            compared.ended = "Kafka fails"
            break
        differences = list(recording.differences(want, have)) + list(recording.differences(want_records, have_records, "records"))
        replaced = moves.taking_back() or command.startswith("reassign") and command.split()[1] in moves.lists
        moves.note(want_records)
        if differences and (replaced or moves.taking_back()):
            compared.ended = "a target takes back what an earlier one added, or wants what it removes: Kafka never completes it"
            break
        if differences:
            compared.difference = f"history {seed}, {command}: {differences[0]}"
            print(f"  history {seed}, {command}")
            for line in differences[:8]:
                print(f"    {line}", flush=True)
            break
        compared.steps += 1
    return compared


class Comparison:
    """Of histories; `lines` are the differences."""

    def __init__(self):
        self.lines, self.steps, self.histories, self.ended_early, self.void, self.repeated = [], 0, 0, {}, 0, 0

    def add(self, seed, attempts):
        """`attempts` gives pairs of notes. Sessions of half a second run out at another step when a machine stalls: only what
        differs each time is a difference."""
        compared = compare(seed, *next(attempts))
        for _ in range(AGAIN):
            if not compared.difference:
                break
            self.repeated += 1
            print(f"  history {seed} again", flush=True)
            compared = compare(seed, *next(attempts))
        self.histories += 1
        self.steps += compared.steps
        if compared.ended:
            self.ended_early[compared.ended] = self.ended_early.get(compared.ended, 0) + 1
        if compared.difference:
            self.lines.append(compared.difference)

    def check(self):
        print(f"  {self.steps} steps of {self.histories} histories compared, {len(self.lines)} differences")
        if self.repeated:
            print(f"  {self.repeated} differed once and were played again")
        if self.void:
            print(f"  {self.void} are void: this machine was too slow for a session of {SESSION_MS} ms")
        for reason, count in self.ended_early.items():
            print(f"  {count} ended early: {reason}", flush=True)
        assert not self.lines, f"{len(self.lines)} histories differ from Apache Kafka, the first: {self.lines[0]}"
        assert sum(self.ended_early.values()) * 3 < self.histories, "too many ended early"
        assert self.void * 5 <= self.histories, "too many are void"


def fails(value):
    if isinstance(value, dict):
        return value.get("error_code") == UNKNOWN_SERVER_ERROR or any(fails(v) for v in value.values())
    return isinstance(value, list) and any(fails(v) for v in value)


class Moves:
    """What Kafka's records say of reassignments: the adding and the removing replicas of each partition that moves."""

    def __init__(self):
        self.lists = {}

    def note(self, records):
        for name, _, f in records:
            if name == "RemoveTopic":
                self.lists = {p: lists for p, lists in self.lists.items() if p.rpartition("-")[0] != f["topic_id"]}
            if name not in ("Partition", "PartitionChange"):
                continue
            partition = f"{f['topic_id']}-{f['partition_id']}"
            lists = list(self.lists.get(partition, ([], [])))
            for n, field in enumerate(("adding_replicas", "removing_replicas")):
                lists[n] = lists[n] if f.get(field) is None else f[field]
            self.lists[partition] = lists
            if not any(lists):
                del self.lists[partition]

    def taking_back(self):
        """Whether a replica is being added and removed."""
        return any(set(adding) & set(removing) for adding, removing in self.lists.values())


@case(within=300)
def controller_histories(context):
    player = Player(context.new_controller(PROPERTIES).start().port)
    if context.options.record:
        return recording.save("controller_histories", [[str(seed), play(player, seed)] for seed in range(1, RECORDED + 1)])
    comparison = Comparison()
    for seed, kafka in recording.load("controller_histories"):
        comparison.add(seed, ((kafka, play(player, int(seed))) for _ in itertools.count()))
    comparison.check()


@case()
def a_controller_starts_again_with_its_log(context):
    controller = context.new_controller(PROPERTIES).start()
    Player(controller.port).play(["register 1 incarnation=1 dirs=1001", "heartbeat 1", "create kept assign=1;1", "heartbeat 1 shutdown"])
    for end in controller.stop, controller.kill9:
        end()
        controller.start()
        image = Player(controller.port)
        image.follow(watch=False)
        assert [p.replicas for p in image.image.partitions.values()] == [[1], [1]], image.image.partitions
        assert image.image.brokers[1]["fenced"]
        answer = image.call("BrokerHeartbeat", 2, {"broker_id": 1, "broker_epoch": image.image.brokers[1]["epoch"],
                                                   "current_metadata_offset": image.log.next})
        assert answer["error_code"] == 0 and not answer["is_fenced"], answer
        image.call("BrokerHeartbeat", 2, {"broker_id": 1, "broker_epoch": image.image.brokers[1]["epoch"], "want_fence": True,
                                          "current_metadata_offset": image.log.next})


@case(full=True)
def kafkas_tools_at_a_controller(context):
    controller = context.new_controller().start()
    at = ["--bootstrap-controller", f"127.0.0.1:{controller.port}"]

    def tool(name, *arguments):
        return run(kafka.tool_command(name, arguments), within=60, check=True).stdout
    status = tool("metadata-quorum", *at, "describe", "--status")
    assert f"LeaderId:{CONTROLLER_ID}" in "".join(status.split()), status
    replication = tool("metadata-quorum", *at, "describe", "--replication")
    assert "Leader" in replication and str(CONTROLLER_ID) in replication, replication
    tool("configs", *at, "--alter", "--entity-type", "brokers", "--entity-default", "--add-config", "log.retention.ms=77000000")
    shown = tool("configs", *at, "--describe", "--entity-type", "brokers", "--entity-default")
    assert "log.retention.ms=77000000" in shown, shown
    assert "Cluster ID" in tool("cluster", "cluster-id", *at)


@case(full=True, within=3 * 3600)
def controller_beside_kafka(context):
    kafka = Player(context.new_controller(PROPERTIES, "kafka", "kafka").start().port)
    tested = Player(context.new_controller(PROPERTIES).start().port)
    first = context.options.seed
    comparison, started = Comparison(), time.monotonic()
    for seed in range(first, first + context.options.histories):
        try:
            comparison.add(seed, (side_by_side(seed, kafka, tested) for _ in itertools.count()))
        except Unsteady as e:
            comparison.void += 1
            print(f"  void: {e}", flush=True)
        if seed % 50 == 0:
            print(f"  {comparison.histories} histories, {time.monotonic() - started:.0f} s", flush=True)
    comparison.check()


def side_by_side(seed, *players):
    """The notes of each; they play at the same time."""
    notes, errors = {}, []

    def run(n):
        try:
            notes[n] = play(players[n], seed)
        except Exception as e:  # told by the thread that waits
            errors.append(e)
    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(players))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]
    return [notes[n] for n in range(len(players))]
