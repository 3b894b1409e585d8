"""Two brokers that are sent the same requests, one after the other, and the differences between their answers.

Rows of a table are the right requests, one an API; sweep.py makes the others from them. allowed.py says which differences
are meant, and why.
"""
import dataclasses
import json
import re
import typing

from harness.client import Connection
from harness.messages import Apis
import allowed
from recording import Normaliser, Scenario, differences
import sweep

ANSWER_WITHIN_S = 10
NO_ANSWER = "none in time"
PROPERTIES = {"group.initial.rebalance.delay.ms": "0", "auto.create.topics.enable": "false",  # they cost time, and blur
              "max.incremental.fetch.session.cache.slots": "100000"}

UNORDERED = {"Metadata", "DescribeLogDirs", "ListOffsets", "ListConfigResources", "ListPartitionReassignments"}  # Kafka's order is that of its hash maps
UNEQUAL = {"DescribeLogDirs": {"usable_bytes", "total_bytes"},  # of the disk, at two moments
           "ApiVersions": {"api_keys", "supported_features", "finalized_features", "finalized_features_epoch"},  # ours are fewer
           "DescribeQuorum": {"high_watermark", "log_end_offset"}}  # the active controller writes records that do nothing
KEYS = ("name", "resource_type", "resource_name", "topic", "topic_name", "group_id", "partition_index", "index", "partition", "error_code")


@dataclasses.dataclass
class Row:
    """One API. `body(side, name)` makes a right request; `name` is new each time, and the same on both sides. With `again` it
    is made anew for each variation: for requests that use up what they work on. `then` are calls whose answers are compared
    after each variation: (api, version, body)."""
    api: str
    body: typing.Callable
    instead: dict = dataclasses.field(default_factory=dict)
    again: bool = False
    then: tuple = ()
    label: str = ""
    only: tuple = ()   # versions; all that Moldau advertises if empty
    plain: bool = False  # only the body as it is
    unequal: set = dataclasses.field(default_factory=set)  # fields of the answer that needn't be the same


class Side(Scenario):
    """One of the brokers, with what the table's bodies need: topics by name, kept over the rows."""

    def __init__(self, broker, base_time=None):
        super().__init__(broker)
        self.base_time = base_time or self.base_time
        self.normaliser.base_time = self.base_time
        self.known = {}

    def once(self, name, prepare):
        """What `prepare` gave the first time, for bodies that share something."""
        if name not in self.known:
            self.known[name] = prepare()
        return self.known[name]

    def answer(self, api, version, body):
        """The normalised answer; ids that came up in earlier requests have no names here, except those of topics."""
        fresh = Normaliser(self.broker, self.base_time)
        fresh.topics = self.normaliser.topics
        self.normaliser = fresh
        try:
            self.call("", api, version, body)
        except TimeoutError:
            self._reconnect()
            return NO_ANSWER
        except ValueError as e:
            self._reconnect()
            return f"unreadable: {e}"
        return json.loads(json.dumps(self.notes.pop()[1]))

    def connect(self):
        return Connection(self.broker.port, ANSWER_WITHIN_S)

    def _reconnect(self):
        self.connection.close()
        self.connection = self.connect()


class Pair:
    def __init__(self, tested, kafka, allowances=allowed.ALLOWED):
        self.allowances = allowances
        self.kafka = Side(kafka)
        self.tested = Side(tested, self.kafka.base_time)
        self.compared, self.number = 0, 0
        self.found, self.apis = {}, set()
        self.used = set()
        self.unanswered = set()  # by Apache Kafka in one version: not asked in others, each costs ANSWER_WITHIN_S

    @property
    def sides(self):
        return self.kafka, self.tested

    def run(self, row):
        api = Apis.get(row.api)
        self.apis.add(row.api)
        for version in row.only or api.advertised:
            bodies = self.bodies(row)
            self.compare(row, version, "as it is", bodies)
            if row.plain:
                continue
            for label, path, value in sweep.variations(api.request, version, bodies[0], row.instead):
                made = self.bodies(row) if row.again else bodies
                self.compare(row, version, label, [sweep.changed(b, path, value) for b in made])

    def bodies(self, row):
        self.number += 1
        self.name = f"{row.api.lower()}-{self.number}"
        return [row.body(side, self.name) for side in self.sides]

    def compare(self, row, version, label, bodies):
        self.one(row, row.api, version, f"{row.label or 'a right one'}: {label}", bodies)
        for api, then_version, body in row.then:
            self.one(row, api, then_version, f"after {row.api} v{version}, {row.label or 'a right one'}: {label}", [body(side, self.name) for side in self.sides])

    def one(self, row, api, version, label, bodies):
        if (api, label) in self.unanswered:
            return
        self.compared += 1
        want, have = (side.answer(api, version, body) for side, body in zip(self.sides, bodies))
        if want == NO_ANSWER:
            self.unanswered.add((api, label))
        want, have = (comparable(api, answer, row.unequal) for answer in (want, have))
        for line in differences(want, have):
            entry = next((e for e in self.allowances.get(row.api, ()) if re.search(e[0], f"{label}: {line}")), None)
            if entry:
                self.used.add(entry)
            else:
                if f"{api}, {label}: {line}" not in self.found:
                    print(f"  v{version} {api}, {label}: {line}", flush=True)
                self.found.setdefault(f"{api}, {label}: {line}", []).append(version)

    def lines(self):
        """The differences that are not meant, each with the versions that have it; and what is allowed without need."""
        if self.tested.broker.kind == "kafka":  # beside itself nothing differs
            self.apis.clear()
        unused = [f"{api}: nothing differs any more by '{entry[0]}': take it out of allowed.py"
                  for api in sorted(self.apis) for entry in self.allowances.get(api, ()) if entry not in self.used]
        return unused + [f"{line} (v{', v'.join(map(str, sorted(set(versions))))})" for line, versions in self.found.items()]


def comparable(api, value, unequal=frozenset()):
    """Without what differs by its nature, and without an order that says nothing."""
    if isinstance(value, dict):
        return {k: comparable(api, v, unequal) for k, v in value.items() if k not in UNEQUAL.get(api, ()) and k not in unequal}
    if isinstance(value, list):
        rows = [comparable(api, v, unequal) for v in value]
        return sorted(rows, key=lambda v: [str(v.get(k)) for k in KEYS] if isinstance(v, dict) else str(v)) if api in UNORDERED else rows
    return value
