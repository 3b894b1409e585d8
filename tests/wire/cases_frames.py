"""What comes over a connection that no well-behaved client sends: it is refused as Apache Kafka refuses it, costs little, and
disturbs nobody."""
import os
import random
import select
import socket
import struct
import sys
import threading
import time

from bodies import fetch, list_offsets, produce
from harness.batches import batch, read_batches
from harness.cases import case
from harness.client import Closed, Connection, call
from harness.messages import Apis, decode, request_frame
from harness.processes import raise_descriptor_limit, run
from harness.waiting import wait_until
from recording import RECORDED, Scenario, scenario

HELLO = {"client_software_name": "raw", "client_software_version": "1"}
# What Moldau advertises at this stage of its life. Whatever else it advertises has to have Kafka's versions too.
NEEDED = ("Produce", "Fetch", "ListOffsets", "Metadata", "ApiVersions", "CreateTopics", "DeleteTopics", "InitProducerId",
          "OffsetForLeaderEpoch", "DescribeConfigs", "DescribeCluster", "DescribeTopicPartitions")


def framed(body):
    return struct.pack(">i", len(body)) + body


def still_serves(port):
    assert call(port, "ApiVersions", 3, HELLO)["error_code"] == 0


@case()
def advertised_versions(context):
    """Each range is Kafka's; nothing is advertised that Kafka doesn't have."""
    for version in range(6):
        shown = {k["api_key"]: (k["min_version"], k["max_version"])
                 for k in call(context.broker.port, "ApiVersions", version, HELLO)["api_keys"]}
        Apis.get("Produce")
        for api in Apis._by_name.values():
            if api.key in shown:
                last = api.advertised.last if api.unstable is None else api.unstable - 1
                assert shown[api.key] == (api.advertised.first, last), f"{api.name}: {shown[api.key]}, Kafka has {api.advertised}"
                assert "broker" in api.listeners, f"{api.name} is not for clients"
        missing = [name for name in NEEDED if Apis.get(name).key not in shown]
        assert not missing, f"not advertised: {missing}"


@case()
def D2_unknown_version_of_api_versions(context):
    """Answered at version 0 with error 35 and the range of ApiVersions, so that a newer client can step back (KIP-511)."""
    api = Apis.get("ApiVersions")
    for version in (6, 7, 100, 32767):
        with Connection(context.broker.port) as connection:
            connection.send_bytes(framed(request_frame(api, version, 5, b"\x00\x00\x00")))
            answer = connection.receive_frame()
            assert answer[:4] == struct.pack(">i", 5)
            value = decode(api.response, 0, answer[4:])
            assert value["error_code"] == 35, value["error_code"]
            shown = [(k["api_key"], k["min_version"], k["max_version"]) for k in value["api_keys"]]
            assert (18, 0, 5) in shown, shown
            assert connection.call("ApiVersions", 3, HELLO)["error_code"] == 0, "the connection goes on"


def outcome(port, data, within=5):
    """`closed`, `silence` or `an answer`."""
    connection = Connection(port, within)
    try:
        connection.send_bytes(data)
        connection.receive_frame()
        return "an answer"
    except Closed:
        return "closed"
    except TimeoutError:
        return "silence"
    finally:
        connection.close()


def good(name="Metadata", version=9, value=None):
    return request_frame(Apis.get(name), version, 1, {"topics": []} if value is None else value)


@scenario()
def frames(s):
    """How broken frames end."""
    port, body = s.broker.port, good()
    s.topic("frames")
    metadata_key = struct.pack(">h", 3)
    cases = {
        "size 0": struct.pack(">i", 0),
        "size -1": struct.pack(">i", -1),
        "size -2147483648": struct.pack(">i", -2 ** 31),
        "size 104857601": struct.pack(">i", 104857601),
        "size 2147483647": struct.pack(">i", 2 ** 31 - 1),
        "a header of 4 bytes": framed(body[:4]),
        "a header of 7 bytes": framed(body[:7]),
        "a header without its client id": framed(body[:8]),
        "a client id longer than the frame": framed(body[:8] + struct.pack(">h", 500) + b"abc"),
        "a client id of size -2": framed(body[:8] + struct.pack(">h", -2) + b"\x00" + good()[14:]),
        "no client id": framed(request_frame(Apis.get("Metadata"), 9, 1, {"topics": []}, None)),
        "a client id that is no UTF-8": framed(body[:8] + struct.pack(">h", 3) + b"\xff\xfe\xfd" + body[13:]),
        "an unknown API": framed(struct.pack(">hhih", 1000, 0, 1, -1)),
        "a negative API": framed(struct.pack(">hhih", -1, 0, 1, -1)),
        "a removed API (LeaderAndIsr)": framed(struct.pack(">hhih", 4, 0, 1, -1)),
        "a controllers' API (Vote)": framed(struct.pack(">hhih", 52, 0, 1, -1) + b"\x00\x00"),
        "Metadata v99": framed(metadata_key + struct.pack(">hih", 99, 1, -1) + b"\x00\x00"),
        "Metadata v-1": framed(metadata_key + struct.pack(">hih", -1, 1, -1) + b"\x00\x00"),
        "Produce v2": framed(struct.pack(">hhih", 0, 2, 1, -1) + struct.pack(">hii", 1, 1000, 0)),
        "Fetch v3": framed(struct.pack(">hhih", 1, 3, 1, -1) + struct.pack(">iiiii", -1, 0, 0, 0, 0)),
        "ApiVersions v-1": framed(struct.pack(">hhih", 18, -1, 1, -1)),
        "a body that is cut": framed(good("Metadata", 1, {"topics": [{"name": "frames"}]})[:-3]),
        "a body with bytes after it": framed(body + b"more"),
        "an array of 2147483647": framed(good("Metadata", 1, struct.pack(">i", 2 ** 31 - 1))),
        "an array of -2": framed(good("Metadata", 1, struct.pack(">i", -2))),
        "a compact array of 4294967294": framed(good("Metadata", 9, b"\xff\xff\xff\xff\x0f")),
        "a varint of six bytes": framed(good("Metadata", 9, b"\xff\xff\xff\xff\xff\x0f")),
        "a string of -2": framed(good("Metadata", 1, struct.pack(">ih", 1, -2))),
        "a null string where none may be": framed(good("Metadata", 1, struct.pack(">ih", 1, -1))),
        "a name that is no UTF-8": framed(good("Metadata", 1, struct.pack(">ih", 1, 3) + b"\xff\xfe\xfd")),
        "unknown tags": framed(body[:-1] + b"\x01\x64\x02ab"),
        "a tag longer than the frame": framed(body[:-1] + b"\x01\x64\x7fab"),
        "a tag twice": framed(body[:-1] + b"\x02\x64\x01a\x64\x01b"),
        "tags in the header": framed(body[:13] + b"\x01\x64\x02ab" + body[14:]),
        "more records than the frame has": framed(good("Produce", 3, struct.pack(
            ">hhiih", -1, 1, 1000, 1, 6) + b"frames" + struct.pack(">iii", 1, 0, 1000) + b"short")),
        "an HTTP request": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "a TLS hello": bytes.fromhex("16030100c8010000c40303") + bytes(180),
    }
    for label, data in cases.items():
        s.note(label, outcome(port, data))
    still_serves(port)


@case()
def rubbish(context):
    """Random bytes, and good frames with random damage, end one connection each and nothing else."""
    port, chance = context.broker.port, random.Random(4)
    frames = [framed(good()), framed(good("Metadata", 1, {"topics": [{"name": "rubbish"}]})),
              framed(request_frame(Apis.get("Fetch"), 12, 1, fetch("rubbish"))),
              framed(request_frame(Apis.get("ListOffsets"), 7, 1, list_offsets("rubbish", -1))),
              framed(request_frame(Apis.get("Produce"), 9, 1, produce("rubbish", batch([b"a"]))))]
    for n in range(300):
        if n % 3 == 0:
            data = chance.randbytes(chance.randrange(1, 2000))
        else:
            data = bytearray(chance.choice(frames))
            for _ in range(chance.randrange(1, 6)):
                data[chance.randrange(4 if n % 3 == 1 else 0, len(data))] = chance.randrange(256)
        with Connection(port) as connection:
            try:
                connection.send_bytes(bytes(data))
            except Closed:
                pass
            select.select([connection.socket], [], [], 0.005)
    still_serves(port)


@case()
def null_records_get_an_answer(context):
    """Apache Kafka 4.4.0 stays silent here: its error handling fails on the null. A client must not wait for nothing."""
    s = Scenario(context.broker)
    s.topic(context.topic())
    got = outcome(context.broker.port, framed(request_frame(Apis.get("Produce"), 9, 1, produce(context.topic(), None))), 3)
    assert got != "silence" or context.broker.kind == "kafka", got
    still_serves(context.broker.port)


@case()
def a_writer_of_single_bytes(context):
    s = Scenario(context.broker)
    s.topic(context.topic())
    with Connection(context.broker.port) as connection:
        data = b"".join(connection.frame(*request) for request in (
            ("ApiVersions", 3, HELLO), ("Produce", 9, produce(context.topic(), batch([b"slow"] * 3, s.base_time))),
            ("ListOffsets", 7, list_offsets(context.topic(), -1))))
        for n in range(len(data)):
            connection.send_bytes(data[n:n + 1])
        assert connection.receive()["error_code"] == 0
        assert connection.receive()["responses"][0]["partition_responses"][0]["error_code"] == 0
        assert connection.receive()["topics"][0]["partitions"][0]["offset"] == 3


@case()
def pipelined_requests_are_answered_in_order(context):
    """400 of six kinds in one write, among them fetches that wait."""
    s = Scenario(context.broker)
    s.topic(context.topic())
    kinds = [("ApiVersions", 3, HELLO), ("Metadata", 12, {"topics": [{"name": context.topic()}]}),
             ("Produce", 9, produce(context.topic(), batch([b"x"], s.base_time))), ("Fetch", 12, fetch(context.topic())),
             ("Fetch", 12, fetch(context.topic(), 0, wait_ms=2, min_bytes=1 << 20)), ("ListOffsets", 7, list_offsets(context.topic(), -1))]
    with Connection(context.broker.port) as connection:
        requests = [kinds[n % 6] for n in range(400)]
        data = b"".join(connection.frame(*r) for r in requests)
        sender = threading.Thread(target=connection.send_bytes, args=(data,))
        sender.start()
        produced = 0
        for name, _, _ in requests:
            answer = connection.receive()  # checks the correlation id
            if name == "Produce":
                assert answer["responses"][0]["partition_responses"][0]["base_offset"] == produced
                produced += 1
            elif name == "ListOffsets":
                assert answer["topics"][0]["partitions"][0]["offset"] == produced, "a request overtook an earlier one"
        sender.join()


@case()
def a_half_closed_connection(context):
    """A client that ends its side: the broker ends its own, with or without the last answer."""
    with Connection(context.broker.port) as connection:
        connection.send("ApiVersions", 3, HELLO)
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.is_closed_by_broker(10), "the broker keeps the connection"
    still_serves(context.broker.port)


@case()
def connections_that_break_off(context):
    """Resets in the middle of a frame, before and after answers."""
    data = framed(good())
    for n in range(200):
        connection = Connection(context.broker.port)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.send_bytes(data[:n % len(data)] if n % 2 else data * 3)
        connection.close()
    still_serves(context.broker.port)


@case()
def a_slow_reader(context):
    """Fetches 60 MB in flight without reading: others are served at once, and in the end every byte is right."""
    s = Scenario(context.broker)
    s.topic(context.topic())
    chunk = os.urandom(900_000)
    for n in range(4):
        s.prepare("Produce", 9, produce(context.topic(), batch([chunk], s.base_time)))
    before = context.broker.process.resident_bytes()
    with Connection(context.broker.port, 60) as connection:
        for _ in range(16):
            connection.send("Fetch", 12, fetch(context.topic(), partition_max_bytes=1 << 23))
        for _ in range(200):
            started = time.monotonic()
            still_serves(context.broker.port)
            assert time.monotonic() - started < 5, "another client had to wait"
        grown = context.broker.process.resident_bytes() - before
        assert grown < 32 << 20 or context.broker.kind == "kafka", f"{grown >> 20} MiB for a reader that doesn't read"
        for _ in range(16):
            records = connection.receive()["responses"][0]["partitions"][0]["records"]
            assert [b["base_offset"] for b in read_batches(records)] == [0, 1, 2, 3]
            assert all(chunk in b["whole"] for b in read_batches(records))


@case()
def half_sent_frames_cost_little(context):
    """100 connections that announce 50 MB each and send a few bytes. (A JVM's heap takes no more than a few of them.)"""
    before = context.broker.process.resident_bytes()
    connections = [Connection(context.broker.port) for _ in range(4 if context.broker.kind == "kafka" else 100)]
    for connection in connections:
        connection.send_bytes(struct.pack(">i", 50_000_000) + good()[:10])
    still_serves(context.broker.port)
    grown = context.broker.process.resident_bytes() - before
    for connection in connections:
        connection.close()
    assert grown < 64 << 20 or context.broker.kind == "kafka", f"{grown >> 20} MiB for frames that aren't there"
    still_serves(context.broker.port)


@case(within=180)
def five_thousand_connections(context):
    """All open at once, each answered, twice; then all gone without a trace."""
    count = 5000
    assert raise_descriptor_limit(count + 500) >= count + 500, "the descriptor limit is too low: ulimit -n"
    broker = context.new_broker().start()  # after the limit was raised: it inherits it
    connections = []
    try:
        for _ in range(count):
            connections.append(Connection(broker.port, 60))
        for _ in range(2):
            for connection in connections:
                connection.send("ApiVersions", 3, HELLO)
            for connection in connections:
                assert connection.receive()["error_code"] == 0
        still_serves(broker.port)
    finally:
        for connection in connections:
            connection.close()
    descriptors = f"/proc/{broker.process.pid}/fd"
    wait_until(lambda: len(os.listdir(descriptors)) < 1000, 30, lambda: f"{len(os.listdir(descriptors))} descriptors stay open")
    still_serves(broker.port)
    broker.stop()


@case()
def idle_connections_are_closed(context):
    broker = context.new_broker({"connections.max.idle.ms": "1000"}).start()
    with Connection(broker.port) as connection:
        assert connection.call("ApiVersions", 3, HELLO)["error_code"] == 0
        assert connection.is_closed_by_broker(30)
    broker.stop()


@case()
def connections_are_limited(context):
    broker = context.new_broker({"max.connections.per.ip": "5"}).start()
    kept = []
    for _ in range(5):
        kept.append(Connection(broker.port))
        kept[-1].call("ApiVersions", 3, HELLO)
    with Connection(broker.port) as connection:
        assert connection.is_closed_by_broker(10), "a sixth connection stays"
    kept.pop().close()

    def admitted():
        with Connection(broker.port) as connection:
            try:
                return connection.call("ApiVersions", 3, HELLO)["error_code"] == 0
            except Closed:
                return False
    wait_until(admitted, 20, "a connection instead of the one that left")
    broker.stop()


@case()
def request_size_is_limited(context):
    broker = context.new_broker({"socket.request.max.bytes": "100000"}).start()
    assert outcome(broker.port, struct.pack(">i", 100_001) + b"x" * 50_000) == "closed"
    body = good("Metadata", 1, {"topics": [{"name": "n" * 200}] * 400})
    assert outcome(broker.port, framed(body)) == "an answer"
    broker.stop()


@case(full=True, within=600)
def recordings_are_what_apache_kafka_answers(context):
    """Every scenario, made anew against Apache Kafka."""
    names = [path.name.split(".")[0] for path in RECORDED.glob("*.json.gz")]
    names.remove("controller_histories")  # controller_beside_kafka plays histories with Kafka itself
    done = run([sys.executable, str(RECORDED.parent / "run_wire.py"), "--broker", "kafka", "--exactly", *names], within=550)
    assert done.returncode == 0, "\n".join(line for line in done.stdout.splitlines() if line.startswith("not ok"))
    assert done.stdout.count("\nok ") >= len(names) - 1, "a recording has no scenario any more"
