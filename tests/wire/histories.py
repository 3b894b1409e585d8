"""Random histories of a cluster as its controller sees them, by seed: commands for history_commands.Player. They are those that
tests/kafka/record_controller_histories.py plays on Kafka's classes, and what only the wire has: sessions, stale epochs,
administrators' requests that fail."""
from kafka.record_controller_histories import BROKERS, History

STALE = ["leader=-1", "leader=1", "partition=-1", "partition=1", "broker=stale", "member=stale"]


class WireHistory(History):
    def __init__(self, seed):
        super().__init__(seed)
        self.rows = {}  # topic -> the replicas of each partition when it was created

    def create(self):
        command = super().create()
        _, name, rows, *_ = command.split()
        self.rows.setdefault(name, [[int(n) for n in row.split(",")] for row in rows.removeprefix("assign=").split(";")])
        return command

    def led_by(self, b):
        """A partition whose preferred leader it is, if there is one."""
        led = [f"{name}-{i}" for name in self.topics for i, row in enumerate(self.rows.get(name, [])) if row[0] == b]
        return self.random.choice(led or [self.partition()])

    def commands(self, count):
        for b in BROKERS:
            if self.random.random() < 0.97:
                yield from self.start(b)
        for _ in range(2):
            yield self.create()
        made = 0
        while made < count:
            for command in self.more() if self.random.random() < 0.3 else self.any():
                if command != "unclean":  # on the wire that goes by time: Player.settle
                    yield command
                    made += 1

    def more(self):
        b = self.random.choice(list(BROKERS))
        kind = self.random.choices(["stale", "config", "unclean config", "grow", "auto", "again", "intrude", "lagging", "stale heartbeat",
                                    "from another", "list", "odd create", "rack", "comeback", "blackout"],
                                   [5, 3, 3, 4, 3, 2, 1, 2, 1, 2, 2, 2, 1, 4, 2])[0]
        if kind == "stale":
            yield f"isr {self.partition()} active {self.random.choice(STALE)}"
        elif kind == "config":
            yield f"config {self.topic()} min.insync.replicas={self.random.choice(['1', '2', '3', 'none', '0'])}"
        elif kind == "unclean config":
            yield f"config {self.topic()} unclean.leader.election.enable={self.random.choice(['true', 'true', 'false', 'none', 'x'])}"
        elif kind == "grow":
            yield self.grow()
        elif kind == "auto":
            yield f"auto {self.random.randint(1, 6)} {self.random.randint(1, 6)}"
        elif kind == "again":
            yield f"again {b}"
        elif kind == "intrude":
            yield f"intrude {b}"
        elif kind == "lagging":
            yield f"heartbeat {b} lagging"
        elif kind == "stale heartbeat":
            yield f"heartbeat {b} stale"
        elif kind == "from another":
            yield f"isr {self.partition()} active from={b}"
        elif kind == "list":
            yield "list"
        elif kind == "odd create":
            name = f"t{self.random.randrange(5, 8)}"
            rows = self.random.choice(["1,1", "1;2,3", "9", "none", "1,-1"])
            yield f"create {name} assign={rows}"
        elif kind == "comeback":  # a leader goes, comes back into the ISR, and leads again
            where = self.led_by(b)
            yield f"silent {b}"
            yield from self.start(b)
            yield f"isr {where} active"
            yield f"elect preferred {where}"
        elif kind == "blackout":
            where = self.led_by(b)
            gone = [b, *self.random.sample([other for other in BROKERS if other != b], 2)]
            yield from (f"silent {g}" for g in gone)
            yield f"elect unclean {where}"
            yield from self.start(gone[0])
            yield f"elect unclean {where}"
            yield f"isr {where} active"
        elif kind == "rack":
            self.incarnations[b] += 1
            yield f"register {b} incarnation={self.incarnations[b]} dirs={1000 + b},{2000 + b} rack=r{self.random.randrange(3)}"
            yield from self.beat(b)

    def topic(self):
        return self.random.choice(list(self.topics) or ["none"])

    def grow(self):
        name = self.topic()
        count = self.topics.get(name, 1) + self.random.choice([1, 1, 1, 0, -1])
        width = self.random.randint(1, 3)
        rows = [",".join(map(str, self.random.sample(list(BROKERS), width)))]
        if name in self.topics:
            self.topics[name] = max(self.topics[name], min(count, 4))
        return f"grow {name} {count} assign={';'.join(rows)}"
