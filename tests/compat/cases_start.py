"""How a node is told what to be: several listeners, the environment, what stops the start."""
import os
import re

from harness.broker import MOLDAU, READY
from harness.cases import case
from harness.client import Connection, call
from harness.processes import Process, free_port, run


def metadata(port, host="127.0.0.1"):
    with Connection(port, host=host) as connection:
        return connection.call("Metadata", 12, {"topics": []})


@case()
def each_listener_tells_its_own_address(context):
    outside, inside, named = free_port(), free_port(), free_port()
    broker = context.new_broker()
    broker.port = outside
    broker.properties |= {
        "listeners": f"PLAINTEXT://127.0.0.1:{outside},TC-0://[::1]:{inside},NAMED://localhost:{named},"
                     f"CONTROLLER://127.0.0.1:{broker.controller_port}",
        "advertised.listeners": f"PLAINTEXT://broker.example:19092,TC-0://[::1]:{inside},NAMED://localhost:{named}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,TC-0:PLAINTEXT,NAMED:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "TC-0"}
    broker.start()
    for host, port, told in (("127.0.0.1", outside, ("broker.example", 19092)), ("::1", inside, ("::1", inside)),
                             ("localhost", named, ("localhost", named))):
        answer = metadata(port, host)
        assert [(b["host"], b["port"]) for b in answer["brokers"]] == [told], answer


@case()
def listeners_that_ask_for_security_stop_the_start(context):
    for protocol in ("SSL", "SASL_PLAINTEXT", "SASL_SSL"):
        broker = context.new_broker(folder=protocol)
        broker.properties |= {"listeners": f"SAFE://127.0.0.1:{broker.port},CONTROLLER://127.0.0.1:{broker.controller_port}",
                              "advertised.listeners": f"SAFE://127.0.0.1:{broker.port}", "inter.broker.listener.name": "SAFE",
                              "listener.security.protocol.map": f"SAFE:{protocol},CONTROLLER:PLAINTEXT"}
        broker.launch()
        assert broker.process.wait(30) == 1
        assert f"cannot start: the listener SAFE asks for {protocol}, which is not supported yet" in broker.process.output()
        assert not broker.data.exists()


@case()
def a_container_is_told_by_its_environment(context):
    """As Testcontainers and compose files do it."""
    context.folder.mkdir(parents=True, exist_ok=True)
    port, controller = free_port(), free_port()
    environment = {
        **os.environ, "CLUSTER_ID": "4L6g3nShT-eMCtK--X86sw", "KAFKA_NODE_ID": "1", "KAFKA_PROCESS_ROLES": "broker,controller",
        "KAFKA_LISTENERS": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "KAFKA_ADVERTISED_LISTENERS": f"PLAINTEXT://localhost:{port}", "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
        "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "KAFKA_CONTROLLER_QUORUM_VOTERS": f"1@127.0.0.1:{controller}", "KAFKA_LOG_DIRS": str(context.folder / "data"),
        "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1", "KAFKA_LOG_FLUSH_INTERVAL_MESSAGES": "9223372036854775807",
        "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0", "KAFKA_HEAP_OPTS": "-Xmx1G", "KAFKA_CFG_NUM_PARTITIONS": "3",
        "KAFKA_NUM_PARTITIONS": "7", "KAFKA_LOG4J_LOGGERS": "raft=ERROR"}
    node = Process([MOLDAU, "start"], context.folder / "log", cwd=context.folder, env=environment)
    node.wait_for_line(READY, 30)
    answer = metadata(port)
    assert answer["cluster_id"] == "4L6g3nShT-eMCtK--X86sw" and answer["brokers"][0]["host"] == "localhost", answer
    made = call(port, "CreateTopics", 7, {"timeout_ms": 30000, "topics": [{"name": "t", "num_partitions": -1, "replication_factor": -1}]})
    assert made["topics"][0]["num_partitions"] == 3, made
    shown = call(port, "DescribeConfigs", 4, {"resources": [{"resource_type": 8, "resource_name": "1", "configuration_keys": ["raft"]}]})
    assert shown["results"][0]["configs"][0]["value"] == "ERROR", shown
    assert node.terminate()[0] == 0


@case()
def what_is_not_obeyed_is_said_or_refused(context):
    broker = context.new_broker({"num.io.threads": "16", "no.such.key": "1"}).start()
    lines = broker.process.output()
    assert len(re.findall(r"WARN num\.io\.threads=16 has no effect: ", lines)) == 1 and "the key no.such.key is not known" in lines, lines
    for key, value in (("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
                       ("remote.log.storage.system.enable", "true"), ("create.topic.policy.class.name", "org.example.Policy")):
        done = run([MOLDAU, "start", broker.folder / "server.properties", "--override", f"{key}={value}"], within=30)
        assert done.returncode == 1 and f"cannot start: {key}={value}: " in done.stderr, done.stderr


@case()
def limits_of_connections_change_while_it_runs(context):
    broker = context.new_broker().start()
    alter = {"resources": [{"resource_type": 4, "resource_name": "1", "configs": [
        {"name": "max.connections.per.ip", "config_operation": 0, "value": "2"}]}]}
    with Connection(broker.port) as admin:
        assert admin.call("IncrementalAlterConfigs", 1, alter)["responses"][0]["error_code"] == 0
        with Connection(broker.port) as second:
            second.call("ApiVersions", 3, {"client_software_name": "raw", "client_software_version": "1"})
            assert Connection(broker.port).is_closed_by_broker()
        alter["resources"][0]["configs"][0] |= {"config_operation": 1, "value": None}
        assert admin.call("IncrementalAlterConfigs", 1, alter)["responses"][0]["error_code"] == 0
        for _ in range(4):
            metadata(broker.port)
