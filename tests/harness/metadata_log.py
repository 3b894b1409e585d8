"""Follows the metadata log of a controller over the wire, and keeps what its records say about the cluster."""
import uuid

from .batches import read_batches
from .messages import Apis, decode

TOPIC = "__cluster_metadata"
TOPIC_ID = uuid.UUID(int=1)
NO_LEADER_CHANGE = -2
CONTROL_BATCH = 0x20
TOPIC_CONFIG = 2
MIGRATING, UNASSIGNED, LOST = (uuid.UUID(int=n) for n in range(3))


def _uvarint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _varint(data, at):
    n, at = _uvarint(data, at)
    return (n >> 1) ^ -(n & 1), at


def _values(batch):
    """(offset, value) of each record."""
    data, at = batch["records"], 0
    for _ in range(batch["count"]):
        _, at = _varint(data, at)
        at += 1  # attributes
        _, at = _varint(data, at)
        delta, at = _varint(data, at)
        size, at = _varint(data, at)
        at += max(size, 0)
        size, at = _varint(data, at)
        yield batch["base_offset"] + delta, data[at:at + size]
        at += size
        headers, at = _varint(data, at)
        assert headers == 0, "metadata records have no headers"


class Record:
    """One metadata record: its offset, its type's name without Record, the version, its fields."""
    _types = None

    def __init__(self, offset, value):
        self.offset = offset
        self.again = False  # it fences a broker that is fenced
        frame, at = _uvarint(value, 0)
        assert frame == 1, f"frame version {frame}"
        key, at = _uvarint(value, at)
        self.version, at = _uvarint(value, at)
        message = Record.types()[key]
        self.name = message.name.removesuffix("Record")
        self.fields = decode(message, self.version, value[at:])

    @classmethod
    def types(cls):
        if cls._types is None:
            cls._types = {m.key: m for m in Apis.all_messages() if m.kind == "MetadataRecord"}
        return cls._types

    def get(self, field, default=None):
        return self.fields.get(field, default)


class Partition:
    def __init__(self, fields):
        self.leader, self.leader_epoch, self.epoch = fields["leader"], fields["leader_epoch"], fields["partition_epoch"]
        self.replicas, self.isr = fields["replicas"], fields["isr"]
        self.adding, self.removing = fields["adding_replicas"], fields["removing_replicas"]
        self.directories = fields["directories"]

    def change(self, fields):
        def changed(field, current):
            return current if fields.get(field) is None else fields[field]
        self.replicas, self.isr = changed("replicas", self.replicas), changed("isr", self.isr)
        self.adding, self.removing = changed("adding_replicas", self.adding), changed("removing_replicas", self.removing)
        self.directories = changed("directories", self.directories)
        if fields.get("leader", NO_LEADER_CHANGE) != NO_LEADER_CHANGE:
            self.leader = fields["leader"]
            self.leader_epoch += 1
        self.epoch += 1


class Image:
    """What the records so far say of topics and brokers."""

    def __init__(self):
        self.topics = {}      # name -> id
        self.names = {}       # id -> name, of topics that are gone too
        self.partitions = {}  # (topic id, index) -> Partition
        self.brokers = {}     # id -> {"epoch", "fenced", "stopping", "rack", "dirs"}
        self.features = {}
        self.configs = {}     # (type, name) -> {key: value}

    def partition(self, topic, index):
        return self.partitions.get((self.topics.get(topic), index))

    def is_active(self, broker):
        b = self.brokers.get(broker)
        return b is not None and not b["fenced"] and not b["stopping"]

    def is_online(self, p, replica):
        """Whether its broker is active and hasn't lost its directory."""
        where = dict(zip(p.replicas, p.directories)).get(replica, UNASSIGNED)
        return self.is_active(replica) and where != LOST and (where in (UNASSIGNED, MIGRATING) or where in self.brokers[replica]["dirs"])

    def due_elections(self):
        """Partitions without leader that the next round of unclean elections gives one."""
        unclean = {name for (kind, name), values in self.configs.items()
                   if kind == TOPIC_CONFIG and values.get("unclean.leader.election.enable") == "true"}
        return [(self.names[t], index) for (t, index), p in self.partitions.items()
                if p.leader == -1 and self.names[t] in unclean and any(self.is_online(p, r) for r in p.replicas)]

    def apply(self, record):
        f = record.fields
        match record.name:
            case "Topic":
                self.topics[f["name"]] = f["topic_id"]
                self.names[f["topic_id"]] = f["name"]
            case "RemoveTopic":
                name = self.names[f["topic_id"]]
                del self.topics[name]
                self.configs.pop((TOPIC_CONFIG, name), None)
                for key in [k for k in self.partitions if k[0] == f["topic_id"]]:
                    del self.partitions[key]
            case "Partition":
                self.partitions[f["topic_id"], f["partition_id"]] = Partition(f)
            case "PartitionChange":
                self.partitions[f["topic_id"], f["partition_id"]].change(f)
            case "RegisterBroker":
                self.brokers[f["broker_id"]] = {"epoch": f["broker_epoch"], "fenced": f["fenced"], "rack": f["rack"],
                                                "stopping": f.get("in_controlled_shutdown", False), "dirs": f.get("log_dirs", [])}
            case "BrokerRegistrationChange":
                broker = self.brokers[f["broker_id"]]
                record.again = f.get("fenced") == 1 and broker["fenced"]
                if f.get("fenced"):
                    broker["fenced"] = f["fenced"] > 0
                if f.get("in_controlled_shutdown"):
                    broker["stopping"] = True
                if f.get("log_dirs"):
                    broker["dirs"] = f["log_dirs"]
            case "UnregisterBroker":
                del self.brokers[f["broker_id"]]
            case "Config":
                self.configs.setdefault((f["resource_type"], f["resource_name"]), {})[f["name"]] = f["value"]
            case "FeatureLevel":
                self.features[f["name"]] = f["feature_level"]


class MetadataLog:
    """An observer without an id. `connection` leads to the active controller."""
    VERSION = 17

    def __init__(self, connection):
        self.connection = connection
        self.next, self.last_epoch = 0, 0
        self.high_watermark = -1
        self.image = Image()
        self._epoch = self._leader_epoch()

    def _leader_epoch(self):
        answer = self.connection.call("DescribeQuorum", 2, {"topics": [{"topic_name": TOPIC, "partitions": [{"partition_index": 0}]}]})
        return answer["topics"][0]["partitions"][0]["leader_epoch"]

    def fetch(self, wait_ms=0, **more):
        """The answer's one partition."""
        answer = self.connection.call("Fetch", self.VERSION, {
            "max_wait_ms": wait_ms, "min_bytes": 0, "max_bytes": 1 << 22, "topics": [{"topic_id": TOPIC_ID, "partitions": [{
                "partition": 0, "current_leader_epoch": self._epoch, "fetch_offset": self.next, "last_fetched_epoch": self.last_epoch,
                "partition_max_bytes": 1 << 22, **more}]}]})
        assert answer["error_code"] == 0, answer
        return answer["responses"][0]["partitions"][0]

    def follow(self, wait_ms=0):
        """Applies all that is committed and wasn't known; returns those records."""
        new = []
        while True:
            answer = self.fetch(wait_ms if not new else 0)
            assert answer["error_code"] == 0, answer
            self.high_watermark = answer["high_watermark"]
            before = self.next
            for batch in read_batches(answer["records"] or b""):
                if "cut_bytes" in batch or batch["base_offset"] >= self.high_watermark:
                    break
                new += self._take(batch)
            if self.next == before or self.next >= self.high_watermark:
                return new

    def _take(self, batch):
        records = [] if batch["attributes"] & CONTROL_BATCH else [Record(o, v) for o, v in _values(batch) if o >= self.next]
        for record in records:
            self.image.apply(record)
        self.next = batch["base_offset"] + batch["last_offset_delta"] + 1
        self.last_epoch = batch["leader_epoch"]
        return records
