#!/usr/bin/env python3
"""Apache Kafka 4.4.0 for tests and benchmarks: its jars (fetched with Maven, once a machine), its tools, its nodes.

  kafka.py fetch                     get the jars
  kafka.py start FOLDER [PORT]       one node, broker and controller, in the foreground; Ctrl-C stops it
  kafka.py tool NAME [ARGUMENT...]   one of Kafka's tools, e.g. kafka.py tool topics --bootstrap-server 127.0.0.1:9092 --list
  kafka.py tools                     their names
Environment: MOLDAU_CACHE (default ~/.cache/moldau): where the jars are kept; JAVA (default java).
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness.processes import free_port, run  # noqa: E402

VERSION = "4.4.0"
HERE = pathlib.Path(__file__).resolve().parent
JAVA = os.environ.get("JAVA", "java")
# A broker runs with the collector settings of Kafka's own start script; a tool starts as fast as it can.
BROKER_JVM = ["-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35",
              "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"]
TOOL_JVM = ["-Xmx512M", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true"]
TOOLS = {
    "topics": "org.apache.kafka.tools.TopicCommand",
    "configs": "org.apache.kafka.tools.ConfigCommand",
    "get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
    "consumer-perf-test": "org.apache.kafka.tools.ConsumerPerformance",
    "broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "dump-log": "org.apache.kafka.tools.DumpLogSegments",
    "storage": "kafka.tools.StorageTool",
    "delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "features": "org.apache.kafka.tools.FeatureCommand",
    "metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "cluster": "org.apache.kafka.tools.ClusterTool",
    "acls": "org.apache.kafka.tools.AclCommand",
    "leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "client-metrics": "org.apache.kafka.tools.ClientMetricsCommand",
}
LOGGING = """rootLogger.level = WARN
rootLogger.appenderRef.c.ref = c
appender.c.type = Console
appender.c.name = c
appender.c.target = SYSTEM_ERR
appender.c.layout.type = PatternLayout
appender.c.layout.pattern = [%d] %p %m (%c)%n
logger.lifecycle.name = org.apache.kafka.server.BrokerLifecycleManager
logger.lifecycle.level = INFO
logger.lifecycle_scala.name = kafka.server.BrokerLifecycleManager
logger.lifecycle_scala.level = INFO
"""


def cache():
    home = os.environ.get("MOLDAU_CACHE") or pathlib.Path.home() / ".cache" / "moldau"
    return pathlib.Path(home) / f"kafka-{VERSION}"


def fetch():
    """The folder with the jars. Safe when several runs fetch at once: the finished folder appears in one step."""
    jars = cache() / "libs"
    if not jars.exists():
        cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache()) as temporary:
            fresh = pathlib.Path(temporary) / "libs"
            run(["mvn", "-q", "-B", "-f", HERE / "pom.xml", f"-Dkafka.version={VERSION}", "dependency:copy-dependencies",
                 f"-DoutputDirectory={fresh}"], within=900, check=True)
            if not jars.exists():
                fresh.rename(jars)
    logging = cache() / "log4j2.properties"
    if not logging.exists() or logging.read_text() != LOGGING:
        logging.write_text(LOGGING)
    return jars


def java(main, arguments=(), jvm=TOOL_JVM, classpath=()):
    """The command line that runs a class with Kafka's jars."""
    jars = fetch()
    paths = ":".join([f"{jars}/*", *map(str, classpath)])
    return [JAVA, *jvm, f"-Dlog4j2.configurationFile={cache() / 'log4j2.properties'}", f"-Dkafka.logs.dir={tempfile.gettempdir()}",
            "-cp", paths, main, *map(str, arguments)]


def node_command(properties, heap="1G"):
    return java("kafka.Kafka", [properties], [f"-Xms{heap}", f"-Xmx{heap}", *BROKER_JVM])


def tool_command(name, arguments):
    return java(TOOLS[name], arguments)


# Features that Moldau doesn't have yet: it refuses a cluster that has them, and formatting with the first one even writes a dynamic
# min.insync.replicas. So Moldau is compared with clusters, and given directories, without them.
ABSENT = ("eligible.leader.replicas.version", "group.version", "share.version", "streams.version", "transaction.version")


def format_storage(properties, cluster_id):
    features = [word for feature in ABSENT for word in ("--feature", f"{feature}=0")]
    run(tool_command("storage", ["format", "-t", cluster_id, "-c", properties, *features]), check=True)


def main(arguments):
    from harness.broker import KafkaBroker
    match arguments:
        case ["fetch"]:
            print(fetch())
        case ["tools"]:
            print("\n".join(sorted(TOOLS)))
        case ["tool", name, *rest] if name in TOOLS:
            return subprocess.run(tool_command(name, rest)).returncode
        case ["start", folder, *port]:
            broker = KafkaBroker(folder, port=int(port[0]) if port else free_port())
            broker.start()
            print(f"Apache Kafka {VERSION} on {broker.bootstrap}, process {broker.process.pid}, data in {broker.data}", flush=True)
            try:
                broker.process.wait(10 ** 6)
            except KeyboardInterrupt:
                broker.stop()
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
