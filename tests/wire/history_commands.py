"""The commands of histories, done on one controller by fake brokers and an administrator. histories.py makes them.

    register B incarnation=N dirs=N,N [previous=clean] [rack=R]     again B      intrude B
    heartbeat B [fence] [shutdown] [lagging] [stale] [offline=N]    silent B     unregister B
    create T assign=1,2;3,4 [key=value…]     grow T COUNT [assign=…]     auto PARTITIONS FACTOR     delete T
    config T key=value…          "none" takes the value away
    elect preferred|unclean P    reassign P 1,2|cancel [same_factor]     list
    isr P active|alone|1,2 [recovering] [from=B] [leader=-1|+1] [partition=-1|+1] [broker=stale] [member=stale]
    directory B N P
"""
import collections
import json

from fake_brokers import FakeBrokers, Unsteady, directory

TIMEOUT_MS = 10000
TOPIC, SET, DELETE = 2, 0, 1


def numbers(text):
    return [] if text == "none" else [int(n) for n in text.split(",")]


def place(text):
    """(topic, partition) of t1-0."""
    topic, _, index = text.rpartition("-")
    return topic, int(index)


def assignment(text):
    return [{"broker_ids": numbers(row)} for row in text.split(";")]


class Player(FakeBrokers):
    def play(self, commands):
        """A note a command: [command, answer, records]."""
        self.begin()
        notes = []
        for command in commands:
            self.beat_if_due()
            words = command.split()
            options = dict(w.split("=", 1) for w in words if "=" in w)
            answer = getattr(self, "do_" + words[0])(*(w for w in words[1:] if "=" not in w), **{"options": options})
            self.settle()
            records = self.news()
            notes.append([command, self.plain(answer), records])
        return json.loads(json.dumps(notes))

    # ---- brokers

    def do_register(self, number, options):
        b = self.broker(int(number))
        known = self.image.brokers.get(b.id)
        if known and not known["fenced"]:
            self.fall_silent(b)
        previous = b.epoch if options.get("previous") == "clean" else -1
        return self.register(b, self.registration(b.id, int(options["incarnation"]), numbers(options["dirs"]), previous,
                                                  options.get("rack")))

    def do_again(self, number, options):
        b = self.broker(int(number))
        return self.call("BrokerRegistration", 4, b.request) if b.request and b.id in self.image.brokers else None

    def do_intrude(self, number, options):
        b = self.broker(int(number))
        if not b.beats:
            return None
        self.beat()
        answer = self.call("BrokerRegistration", 4, self.registration(b.id, 9999, [5000 + b.id], -1, None))
        if answer["error_code"] == 0:
            raise Unsteady(f"the session of broker {b.id} ran out between two requests")
        return answer

    def do_heartbeat(self, number, *words, options):
        b = self.broker(int(number))
        wishes = {}
        if "offline" in options:
            b.offline = [directory(n) for n in numbers(options["offline"])]
        if "fence" in words:
            wishes["want_fence"] = True
        if "shutdown" in words and b.beats:
            b.stopping = True
        if "lagging" in words:
            wishes["current_metadata_offset"] = 0
        if "stale" in words:
            return self.call(*self.heartbeat(b, broker_epoch=b.epoch + 1))
        return self.ask(b, **wishes)

    def do_silent(self, number, options):
        b = self.broker(int(number))
        if b.beats:
            self.fall_silent(b)

    def do_unregister(self, number, options):
        b = self.broker(int(number))
        answer = self.call("UnregisterBroker", 0, {"broker_id": b.id})
        b.beats = b.stopping = False
        return answer

    # ---- topics

    def do_create(self, name, options):
        rows = [{"partition_index": i, **row} for i, row in enumerate(assignment(options["assign"]))]
        configs = [{"name": k, "value": v} for k, v in options.items() if "." in k]
        return self._created({"name": name, "num_partitions": -1, "replication_factor": -1, "assignments": rows, "configs": configs})

    def _created(self, topic):
        answer = self.call("CreateTopics", 7, {"topics": [topic], "timeout_ms": TIMEOUT_MS})
        self.follow()  # for the name of its id
        return answer

    def do_auto(self, partitions, factor, options):
        """A topic that is placed by chance, for a moment: how it is spread."""
        name = "auto"
        answer = self._created({"name": name, "num_partitions": int(partitions), "replication_factor": int(factor)})
        answer["spread"] = self._spread(name)
        deleted = self.do_delete(name, {}) if name in self.image.topics else None
        self.follow()
        self._new = [r for r in self._new if r.name not in ("Topic", "Partition", "RemoveTopic")]
        return [answer, deleted]

    def _spread(self, name):
        topic = self.image.topics.get(name)
        rows = [p for (t, _), p in self.image.partitions.items() if t == topic]
        leaders = collections.Counter(p.leader for p in rows)
        return {"partitions": len(rows), "factors": sorted(len(set(p.replicas)) for p in rows),
                "racks": sorted(len({self.image.brokers[r]["rack"] for r in p.replicas}) for p in rows),
                "isrs": sorted(len(p.isr) for p in rows), "without leader": leaders[-1],
                "fenced first": sum(self.image.brokers[p.replicas[0]]["fenced"] for p in rows)}

    def do_grow(self, name, count, options):
        rows = assignment(options["assign"]) if "assign" in options else None
        return self.call("CreatePartitions", 3, {"topics": [{"name": name, "count": int(count), "assignments": rows}],
                                                 "timeout_ms": TIMEOUT_MS})

    def do_delete(self, name, options):
        return self.call("DeleteTopics", 6, {"topics": [{"name": name}], "timeout_ms": TIMEOUT_MS})

    def do_config(self, name, options):
        changes = [{"name": k, "config_operation": DELETE if v == "none" else SET, "value": None if v == "none" else v}
                   for k, v in options.items()]
        return self.call("IncrementalAlterConfigs", 1, {"resources": [{"resource_type": TOPIC, "resource_name": name, "configs": changes}]})

    # ---- partitions

    def do_elect(self, kind, where, options):
        topic, index = place(where)
        return self.call("ElectLeaders", 2, {"election_type": 1 if kind == "unclean" else 0, "timeout_ms": TIMEOUT_MS,
                                             "topic_partitions": [{"topic": topic, "partitions": [index]}]})

    def do_reassign(self, where, target, *words, options):
        topic, index = place(where)
        return self.call("AlterPartitionReassignments", 1, {
            "timeout_ms": TIMEOUT_MS, "allow_replication_factor_change": "same_factor" not in words,
            "topics": [{"name": topic, "partitions": [
                {"partition_index": index, "replicas": None if target == "cancel" else numbers(target)}]}]})

    def do_list(self, options):
        answer = self.call("ListPartitionReassignments", 0, {"timeout_ms": TIMEOUT_MS, "topics": None})
        answer["topics"].sort(key=lambda t: t["name"])
        for topic in answer["topics"]:
            topic["partitions"].sort(key=lambda p: p["partition_index"])
        return answer

    def do_isr(self, where, members, *words, options):
        topic, index = place(where)
        p = self.image.partition(topic, index)
        if p is None:
            return None
        sender = int(options.get("from", p.leader))
        ids = [r for r in p.replicas if self.image.is_active(r)] if members == "active" else \
            [sender] if members == "alone" else numbers(members)
        stale = options.get("member") == "stale"
        wish = {"partition_index": index, "leader_epoch": p.leader_epoch + int(options.get("leader", 0)),
                "partition_epoch": p.epoch + int(options.get("partition", 0)), "leader_recovery_state": int("recovering" in words),
                "new_isr_with_epochs": [{"broker_id": i, "broker_epoch": self.epoch_of(i) + stale} for i in ids]}
        epoch = self.epoch_of(sender) + (options.get("broker") == "stale")
        return self.call("AlterPartition", 3, {"broker_id": sender, "broker_epoch": epoch, "topics": [
            {"topic_id": self.image.topics[topic], "partitions": [wish]}]})

    def do_directory(self, number, where_to, where, options):
        topic, index = place(where)
        if self.image.partition(topic, index) is None:
            return None
        number = int(number)
        return self.call("AssignReplicasToDirs", 0, {"broker_id": number, "broker_epoch": self.epoch_of(number), "directories": [
            {"id": directory(int(where_to)), "topics": [{"topic_id": self.image.topics[topic], "partitions": [{"partition_index": index}]}]}]})

    def epoch_of(self, number):
        known = self.image.brokers.get(number)
        return known["epoch"] if known else -1
