"""Brokers without a log, of one controller: they register, send heartbeats and go when they are told to. What the controller
writes meanwhile is noted, without what differs between any two runs.

One thread, one connection. Between commands all living brokers send heartbeats; what is written then counts to the next note.
A broker that was fenced although it should be heard was not heard in time: this machine was too slow, and the history is void
(Unsteady).
"""
import json
import time
import uuid

from harness.client import Connection
from harness.metadata_log import MetadataLog
from harness.waiting import wait_until

SESSION_MS = 500
PROPERTIES = {"broker.session.timeout.ms": str(SESSION_MS), "broker.heartbeat.interval.ms": "100",
              "metadata.max.idle.interval.ms": "0",          # no records that do nothing
              "controller.quorum.append.linger.ms": "0",     # Kafka would wait 25 ms with each write
              "auto.leader.rebalance.enable": "false",       # preferred leaders only when somebody asks
              "unclean.leader.election.interval.ms": "100"}  # Player waits for it, see settle()
BEAT_EVERY_S = SESSION_MS / 1000 / 6
PATIENCE_S = 15
UNSAID = {"error_message", "throttle_time_ms", "configs"}
BY_NAME = {"end_points", "features"}
DUPLICATE_BROKER_REGISTRATION = 101
FEATURES = [{"name": "metadata.version", "min_supported_version": 7, "max_supported_version": 33},
            {"name": "eligible.leader.replicas.version", "min_supported_version": 0, "max_supported_version": 1}]


class Unsteady(Exception):
    pass


def directory(n):
    return uuid.UUID(int=(9 << 64) + n)


class FakeBroker:
    def __init__(self, number):
        self.id = number
        self.epoch = -1
        self.beats = False     # sends heartbeats by itself
        self.stopping = False  # wants to shut down
        self.offline = []      # directories
        self.request = None    # its last registration


class FakeBrokers:
    def __init__(self, port):
        self.connection = Connection(port, PATIENCE_S)
        self.log = MetadataLog(self.connection)
        self.brokers, self.history = {}, 0
        self.cluster_id = self.call("DescribeCluster", 1, {"endpoint_type": 2})["cluster_id"]
        self._beaten_at = 0
        self._new = []  # records that no note has yet
        self._may_be_fenced = set()
        self._epochs, self._incarnations = {}, {}

    @property
    def image(self):
        return self.log.image

    def call(self, api, version, value):
        return self.connection.call(api, version, value)

    def begin(self):
        """Removes all that earlier histories have left."""
        self.history += 1
        for b in self.brokers.values():
            b.beats = False
        self.brokers = {}
        self.follow(watch=False)
        if self.image.topics:
            self.call("DeleteTopics", 6, {"topics": [{"name": t} for t in self.image.topics], "timeout_ms": 10000})
        for number in list(self.image.brokers):
            self.call("UnregisterBroker", 0, {"broker_id": number})
        self.follow(watch=False)
        assert not self.image.brokers and not self.image.topics, "a history begins with an empty cluster"
        self._new, self._may_be_fenced = [], set()
        self._epochs, self._incarnations = {}, {}

    # ---- notes

    def follow(self, watch=True):
        for record in self.log.follow():
            self._new.append(record)
            if not watch or record.name != "BrokerRegistrationChange" or record.get("fenced") != 1:
                continue
            if record.get("broker_id") not in self._may_be_fenced:
                raise Unsteady(f"broker {record.get('broker_id')} was not heard in time")

    def news(self):
        """The records since the last note, sorted: where one operation makes several, their order says nothing."""
        self.follow()
        new, self._new = self._new, []
        return sorted(([r.name + " again" * r.again, r.version, self.plain(r.fields)] for r in new), key=json.dumps)

    def plain(self, value, key=""):
        """With names for ids, and without words."""
        if isinstance(value, dict):
            return {k: self.plain(v, k) for k, v in value.items() if k not in UNSAID}
        if isinstance(value, (list, tuple)):
            out = [self.plain(v, key) for v in value]
            return sorted(out, key=lambda row: row["name"]) if key in BY_NAME else out
        if isinstance(value, uuid.UUID):
            return self.image.names.get(value) or self._incarnations.get(value) or value.int & 0xffff
        if key == "broker_epoch" and value not in (-1, 0):
            return self._epochs.setdefault(value, f"epoch {len(self._epochs)}")
        return value

    # ---- brokers

    def broker(self, number):
        return self.brokers.setdefault(number, FakeBroker(number))

    def register(self, b, request):
        """Asks again while the session of the former incarnation lasts, as brokers do."""
        def answered():
            self.beat_if_due()
            answer = self.call("BrokerRegistration", 4, request)
            return answer if answer["error_code"] != DUPLICATE_BROKER_REGISTRATION else None
        answer = wait_until(answered, PATIENCE_S, f"the end of the session of broker {b.id}")
        if answer["error_code"] == 0:
            b.epoch, b.request = answer["broker_epoch"], request
            b.beats = b.stopping = False
            b.offline = []
        return answer

    def registration(self, number, incarnation, dirs, previous_epoch, rack):
        identity = uuid.UUID(int=(77 << 64) + (self.history << 32) + (number << 16) + incarnation)
        self._incarnations[identity] = f"incarnation {number}.{incarnation}"
        return {"broker_id": number, "cluster_id": self.cluster_id, "incarnation_id": identity,
                "listeners": [{"name": "PLAINTEXT", "host": "127.0.0.1", "port": 9000 + number, "security_protocol": 0}],
                "features": FEATURES, "rack": rack, "log_dirs": [directory(n) for n in dirs],
                "previous_broker_epoch": previous_epoch}

    def fall_silent(self, b):
        """Until it is fenced."""
        b.beats = False
        self._may_be_fenced.add(b.id)
        self.until(lambda: self.image.brokers[b.id]["fenced"], f"broker {b.id} to be fenced")
        b.stopping = False

    # ---- heartbeats

    def heartbeat(self, b, **wishes):
        return "BrokerHeartbeat", 2, {
            "broker_id": b.id, "broker_epoch": b.epoch, "current_metadata_offset": self.log.next - 1,
            "want_shut_down": b.stopping, "offline_log_dirs": b.offline, **wishes}

    def ask(self, b, **wishes):
        """One heartbeat; the broker does what the answer says."""
        if b.stopping or wishes.get("want_fence"):
            self._may_be_fenced.add(b.id)
        answer = self.call(*self.heartbeat(b, **wishes))
        self._heed(b, answer)
        if b.beats and not b.stopping:
            self.follow()
            self._may_be_fenced.discard(b.id)
        return answer

    def _heed(self, b, answer):
        if answer["error_code"]:
            return
        b.beats = not answer["is_fenced"] and not answer["should_shut_down"]
        if answer["should_shut_down"]:
            b.stopping = False

    def beat(self):
        """All brokers that live, in one go."""
        living = [b for b in self.brokers.values() if b.beats]
        self._beaten_at = time.monotonic()
        for b in living:
            self.connection.send(*self.heartbeat(b))
        for b in living:
            self._heed(b, self.connection.receive())

    def beat_if_due(self):
        if time.monotonic() - self._beaten_at > BEAT_EVERY_S:
            self.beat()

    def until(self, condition, what):
        """Waits for something that the log tells, and keeps the brokers alive meanwhile."""
        def holds():
            self.beat_if_due()
            self.follow()
            return condition()
        wait_until(holds, PATIENCE_S, what)

    def settle(self):
        """What goes on without a command: brokers that shut down, once the others know; the next round of unclean elections."""
        for _ in range(3):
            if not any(b.stopping and b.beats for b in self.brokers.values()):
                break
            self.follow()
            self.beat()
        self.follow()
        self.until(lambda: not self.image.due_elections(), "unclean elections")
