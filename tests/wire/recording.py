"""Scenarios: scripted calls whose answers must be those that Apache Kafka gave when they were recorded.

What differs between any two runs is normalised first: ids and ports become names, times become distances, the words of
error messages become TEXT. recorded/NAME.json.gz holds one scenario: a list of [label, answer].
"""
import gzip
import hashlib
import json
import pathlib
import re
import sys
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.batches import read_batches  # noqa: E402
from harness.cases import case  # noqa: E402
from harness.client import Closed, Connection, call, new_producer_id  # noqa: E402
from harness.waiting import wait_until  # noqa: E402

RECORDED = pathlib.Path(__file__).resolve().parent / "recorded"
TEXTS = ("error_message", "batch_index_error_message")
# Configuration keys that Apache Kafka doesn't have.
OURS = {"enable.under.replicated.topic.creation", "moldau.admin.listener"}
# Kafka builds these from hash maps: their order says nothing.
UNORDERED_ROWS = {"CreatePartitions": ("results", "name"), "DeleteRecords": ("topics", "name"),
                  "ElectLeaders": ("replica_election_results", "topic"), "AlterReplicaLogDirs": ("results", "topic_name")}
UNORDERED = {"supported_features": "name", "finalized_features": "name", "configs": "name", "partition_responses": "index",
             "groups": "group_id", "results": "group_id", "members": "member_id"}
MEMBER = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class Normaliser:
    """One a scenario. Names are given in the order of appearance, so equal runs give equal names."""

    def __init__(self, broker, base_time):
        self.words = {str(broker.data): "DATA", str(broker.folder): "FOLDER", f":{broker.port}": ":PORT",
                      f":{broker.controller_port}": ":CONTROLLER_PORT"}
        self.ports = {broker.port: "PORT", broker.controller_port: "CONTROLLER_PORT"}
        self.base_time = base_time
        self.topics, self.producers, self.sessions, self.members = {}, {}, {}, {}

    def learn_topics(self, value):
        """Names of topic ids, from every answer that has both."""
        if isinstance(value, dict):
            name = value.get("name") or value.get("topic")
            if name and value.get("topic_id"):
                self.topics[value["topic_id"]] = f"id of {name}"
            for v in value.values():
                self.learn_topics(v)
        elif isinstance(value, list):
            for v in value:
                self.learn_topics(v)

    def value(self, v, key=""):
        if isinstance(v, dict):
            return {k: self.value(x, k) for k, x in v.items()}
        if isinstance(v, list):
            out = [self.value(x, key) for x in v if not (isinstance(x, dict) and x.get("name") in OURS)]
            return sorted(out, key=lambda row: row[UNORDERED[key]]) if key in UNORDERED and out and UNORDERED[key] in out[0] else out
        if isinstance(v, uuid.UUID):
            return "none" if v.int == 0 else self.topics.get(v, "an unknown id")
        if isinstance(v, bytes):
            return [self.batch(b) for b in read_batches(v)] if key == "records" else v.hex()
        if isinstance(v, str):
            return self.text(v, key)
        if isinstance(v, int) and not isinstance(v, bool):
            return self.number(v, key)
        return v

    def text(self, v, key):
        if key in TEXTS:
            return "TEXT"
        if key == "cluster_id":
            return "CLUSTER"
        for word, name in self.words.items():
            v = v.replace(word, name)
        return MEMBER.sub(lambda m: self.members.setdefault(m[0], f"MEMBER{len(self.members)}"), v)

    def number(self, v, key):
        if key == "port":
            return self.ports.get(v, v)
        if key == "producer_id" and v >= 0:
            return self.producers.setdefault(v, f"producer {len(self.producers)}")
        if key == "session_id" and v > 0:
            return self.sessions.setdefault(v, f"session {len(self.sessions)}")
        if key == "finalized_features_epoch" and v > 0:
            return "POSITIVE"
        return self.time(v) if v > 1_500_000_000_000 else v

    def time(self, v):
        distance = v - self.base_time
        if abs(distance) < 20_000:
            return f"T{distance:+d}"
        return "NOW" if abs(v - time.time() * 1000) < 600_000 else v

    def batch(self, b):
        if "cut_bytes" in b:
            return f"cut after {b['cut_bytes']} bytes"
        same = {k: self.value(b[k], k) for k in ("base_offset", "leader_epoch", "attributes", "last_offset_delta", "base_time",
                                                 "max_time", "producer_id", "producer_epoch", "base_sequence", "count")}
        return {**same, "records": hashlib.sha256(b["records"]).hexdigest()[:12]}


class Scenario:
    """What a scenario's function is given: calls that are noted, and the means to prepare for them."""

    def __init__(self, broker):
        self.broker = broker
        # A whole minute back: past enough for no clock to call it the future, present enough for no retention to delete it.
        self.base_time = int(time.time()) * 1000 - 60_000
        self.normaliser = Normaliser(broker, self.base_time)
        self.notes = []
        self.connection = self.connect()

    def connect(self):
        return Connection(self.broker.port)

    def note(self, label, value):
        if isinstance(value, dict) and value.get("responses") and {"error_code", "name"} <= set(value["responses"][0]):  # DeleteTopics
            value["responses"].sort(key=lambda r: (r["name"] or "", str(r.get("topic_id", "")), r["error_code"]))
        self.normaliser.learn_topics(value)
        self.notes.append([label, self.normaliser.value(value)])

    def call(self, label, api, version, value):
        """One call; its answer, or `closed`, is noted under the label, and returned as it came."""
        try:
            answer = self.connection.call(api, version, value)
        except Closed:
            answer = "closed"
            self.connection = self.connect()
        if api in UNORDERED_ROWS and answer != "closed":
            field, key = UNORDERED_ROWS[api]
            answer[field].sort(key=lambda row: row[key])
            for row in answer[field]:
                row.get("partitions", []).sort(key=lambda p: p["partition_index"])
        self.note(f"{label} ({api} v{version})", answer)
        return answer

    def prepare(self, api, version, value):
        """A call that only prepares: not noted, on a connection of its own."""
        answer = call(self.broker.port, api, version, value)
        self.normaliser.learn_topics(answer)
        return answer

    def topic(self, name, partitions=1, **configs):
        """Creates a topic and waits until it has leaders; its id."""
        answer = self.prepare("CreateTopics", 7, {"topics": [{
            "name": name, "num_partitions": partitions, "replication_factor": 1,
            "configs": [{"name": k.replace("_", "."), "value": str(v)} for k, v in configs.items()]}], "timeout_ms": 30000})
        assert answer["topics"][0]["error_code"] == 0, answer
        self.until_led(name, partitions)
        return answer["topics"][0]["topic_id"]

    def producer_id(self):
        return new_producer_id(self.broker.port)

    def until_configured(self, kind, name, **configs):
        """Until the broker shows these values: it hears of a change a little after it is acknowledged."""
        def shown():
            answer = self.prepare("DescribeConfigs", 4, {"resources": [{
                "resource_type": kind, "resource_name": name, "configuration_keys": [k.replace("_", ".") for k in configs]}]})
            have = {c["name"].replace(".", "_"): c["value"] for c in answer["results"][0]["configs"]}
            return all(k in have and have[k] == v for k, v in configs.items())  # a key that isn't there isn't one without a value
        wait_until(shown, 30, f"{configs} of {name}")

    def until_quota(self, kind, name, key, value):
        def shown():
            answer = self.prepare("DescribeClientQuotas", 1, {"strict": True, "components": [
                {"entity_type": kind, "match_type": 0, "match": name}]})
            return {v["key"]: v["value"] for e in answer["entries"] for v in e["values"]}.get(key) == value
        wait_until(shown, 30, f"{key}={value} of {kind} {name}")

    def until_led(self, name, partitions=1):
        """Until each partition answers as its leader: metadata may tell of a leader a little before it leads."""
        def led():
            answer = self.prepare("ListOffsets", 7, {"replica_id": -1, "topics": [{"name": name, "partitions": [
                {"partition_index": p, "timestamp": -1} for p in range(partitions)]}]})
            return all(p["error_code"] == 0 for p in answer["topics"][0]["partitions"])
        wait_until(led, 30, f"leaders for {name}")

    def until_gone(self, name):
        wait_until(lambda: self.prepare("Metadata", 12, {"topics": [{"name": name}], "allow_auto_topic_creation": False})
                   ["topics"][0]["error_code"] == 3, 30, f"{name} to be gone")


def scenario(within=120):
    def register(function):
        def run(context):
            s = Scenario(context.broker)
            function(s)
            notes = json.loads(json.dumps(s.notes))
            if context.options.record:
                save(function.__name__, notes)
            else:
                differences = list(compare(load(function.__name__), notes))
                for line in differences[:100]:
                    print(f"  {line}")
                assert not differences, f"{len(differences)} answers differ from Apache Kafka's, the first: {differences[0]}"
        run.__name__ = function.__name__
        return case(within=within)(run)
    return register


def path_of(name):
    return RECORDED / f"{name}.json.gz"


def save(name, notes):
    RECORDED.mkdir(exist_ok=True)
    text = json.dumps(notes, indent=0, sort_keys=True).encode()
    path_of(name).write_bytes(gzip.compress(text, 9, mtime=0))


def load(name):
    assert path_of(name).exists(), f"no recording; make it with --broker kafka --record {name}"
    return json.loads(gzip.decompress(path_of(name).read_bytes()))


def compare(expected, got):
    """One line a difference."""
    for (label, want), (other_label, have) in zip(expected, got):
        if label != other_label:
            yield f"recorded is '{label}', made was '{other_label}': record this scenario again"
            return
        yield from (f"{label}: {line}" for line in differences(want, have))
    if len(expected) != len(got):
        yield f"recorded are {len(expected)} answers, made were {len(got)}: record this scenario again"


def differences(want, have, path=""):
    if isinstance(want, dict) and isinstance(have, dict):
        for key in [*want, *(k for k in have if k not in want)]:
            if key not in have:
                yield f"{path}.{key} is missing, Kafka has {_short(want[key])}"
            elif key not in want:
                yield f"{path}.{key} is {_short(have[key])}, Kafka leaves it out"
            else:
                yield from differences(want[key], have[key], f"{path}.{key}")
    elif isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        for n, (a, b) in enumerate(zip(want, have)):
            name = a.get("name", n) if isinstance(a, dict) else n
            yield from differences(a, b, f"{path}[{name}]")
    elif want is None and path.rsplit(".", 1)[-1] in TEXTS:
        return  # Apache Kafka gives no words here; ours are welcome
    elif isinstance(want, list) and isinstance(have, list):
        yield f"{path} has {len(have)} rows, Kafka's {len(want)}: {_short(have)}, Kafka's {_short(want)}"
    elif want != have:
        yield f"{path or 'the answer'} is {_short(have)}, Kafka's {_short(want)}"


def _short(value):
    text = json.dumps(value)
    return text if len(text) < 160 else text[:157] + "..."
