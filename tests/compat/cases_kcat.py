"""kcat with its default settings."""
import json
import time

from harness.cases import case
from harness.processes import run

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


def kcat(broker, *arguments, input=None, check=True):
    return run(["kcat", "-b", broker.bootstrap, *arguments], input=input, check=check, within=60)


def send(broker, topic, lines, *arguments):
    kcat(broker, "-P", "-t", topic, *arguments, input="".join(f"{line}\n" for line in lines).encode())


def receive(broker, topic, *arguments, form="%o %s\\n"):
    return kcat(broker, "-C", "-q", "-e", "-t", topic, "-f", form, *arguments).stdout.splitlines()


@case()
def kcat_each_codec(context):
    for codec in CODECS:
        topic, lines = context.topic(codec), [f"{codec}-{n}" for n in range(500)]
        send(context.broker, topic, lines, "-z", codec)  # creates it
        assert receive(context.broker, topic, "-o", "beginning") == [f"{n} {line}" for n, line in enumerate(lines)]


@case()
def kcat_idempotent(context):
    lines = [f"line-{n}" for n in range(2000)]
    send(context.broker, context.topic(), lines, "-X", "enable.idempotence=true", "-z", "lz4")
    assert receive(context.broker, context.topic(), form="%s\\n") == lines


@case()
def kcat_offsets(context):
    """From the beginning, an absolute offset, some before the end, and only the last."""
    lines = [f"line-{n}" for n in range(100)]
    send(context.broker, context.topic(), lines)
    numbered = [f"{n} {line}" for n, line in enumerate(lines)]
    for offset, first in (("beginning", 0), ("0", 0), ("42", 42), ("99", 99), ("-10", 90), ("-1", 99), ("100", 100)):
        assert receive(context.broker, context.topic(), "-p", "0", "-o", offset) == numbered[first:], offset
    assert receive(context.broker, context.topic(), "-p", "0", "-o", "10", "-c", "5") == numbered[10:15]


@case()
def kcat_times(context):
    """`-o s@` reads from a time, `-Q` asks for the offset of one."""
    send(context.broker, context.topic(), ["first", "second"])
    start = time.time()
    while int(time.time() * 1000) <= int(start * 1000) + 1:  # the next record is to be in a later millisecond
        pass
    between = int(time.time() * 1000)
    send(context.broker, context.topic(), ["third"])
    assert receive(context.broker, context.topic(), "-p", "0", "-o", f"s@{between}") == ["2 third"]
    for ask, offset in ((str(between), 2), ("1", 0), ("-1", 3), ("-2", 0)):
        answer = kcat(context.broker, "-Q", "-t", f"{context.topic()}:0:{ask}").stdout
        assert answer.strip() == f"{context.topic()} [0] offset {offset}", (ask, answer)


@case()
def kcat_keys_headers_and_nulls(context):
    send(context.broker, context.topic(), ["k1:v1", ":no key", "k2:"], "-K", ":", "-Z", "-H", "a=b", "-H", "c=d")
    got = receive(context.broker, context.topic(), form="%K|%k|%S|%s|%h\\n")
    assert got == ["2|k1|2|v1|a=b,c=d", "-1||6|no key|a=b,c=d", "2|k2|-1||a=b,c=d"], got


@case()
def kcat_lists_metadata(context):
    send(context.broker, context.topic(), ["x"])
    listed = json.loads(kcat(context.broker, "-L", "-J").stdout)
    assert listed["brokers"] == [{"id": 1, "name": context.broker.bootstrap}], listed["brokers"]
    topic = [t for t in listed["topics"] if t["topic"] == context.topic()][0]
    assert topic["partitions"] == [{"partition": 0, "leader": 1, "replicas": [{"id": 1}], "isrs": [{"id": 1}]}], topic


@case()
def kcat_unknown_and_illegal_topics(context):
    listed = kcat(context.broker, "-L", "-t", "..", check=False).stdout
    assert "Invalid topic" in listed, listed
    done = run(["kcat", "-b", context.broker.bootstrap, "-C", "-e", "-t", context.topic("none"), "-X", "allow.auto.create.topics=false"],
               within=60)
    assert done.returncode != 0 and "Unknown topic or partition" in done.stderr, done.stderr


@case()
def kcat_large_values(context):
    value = b"v" * 990_000
    kcat(context.broker, "-P", "-t", context.topic(), "-D", "|", input=value + b"|" + value)
    assert receive(context.broker, context.topic(), form="%S\\n") == ["990000", "990000"]
