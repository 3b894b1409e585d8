"""The admin port of a Moldau node: metrics, readiness, liveness."""
import concurrent.futures
import http.client
import re
import time

from cases_cli import moldau
from harness.cases import case
from harness.waiting import wait_until


def get(broker, path):
    connection = http.client.HTTPConnection("127.0.0.1", broker.admin_port, timeout=30)
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body


LINE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-zA-Z_][a-zA-Z0-9_]*="(\\.|[^"\\])*",?)*\})? ([-+0-9.eE]+|NaN|[+-]Inf)$')


def metrics(broker):
    """Samples by name and labels, as they stand in the text."""
    status, text = get(broker, "/metrics")
    assert status == 200
    samples = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        assert LINE.match(line), line
        name, value = line.rsplit(" ", 1)
        assert name not in samples, name
        samples[name] = float(value)
    return samples


@case()
def admin_health(context):
    broker = context.new_broker(kind="moldau").start()
    assert get(broker, "/ready") == (204, "")
    assert get(broker, "/live") == (204, "")
    assert get(broker, "/other")[0] == 404
    assert metrics(broker)["moldau_ready"] == 1


@case()
def admin_port_as_configured(context):
    """None; a taken one that was asked for stops the start."""
    broker = context.new_broker({"moldau.admin.listener": "none"}, kind="moldau").start()
    try:
        get(broker, "/ready")
        raise AssertionError("somebody answers on the admin port")
    except ConnectionRefusedError:
        pass
    second = context.new_broker({"moldau.admin.listener": f"127.0.0.1:{broker.port}"}, kind="moldau", folder="second")
    second.launch()
    assert second.process.wait(30) == 1 and "moldau.admin.listener" in second.log_tail(), second.log_tail()
    third = context.new_broker({"moldau.admin.listener": "nowhere"}, kind="moldau", folder="third")
    third.launch()
    assert third.process.wait(30) == 1 and "moldau.admin.listener" in third.log_tail(), third.log_tail()


@case()
def admin_counts_what_clients_do(context):
    broker, topic = context.new_broker(kind="moldau").start(), context.topic()
    moldau(broker, "topic", "create", topic, "-p", "2")
    moldau(broker, "produce", topic, "-p", "1", input=b"a\nb\nc\n")
    moldau(broker, "consume", topic, "--exit")
    seen, label = metrics(broker), f'{{topic="{topic}"}}'
    traffic = "kafka_server_brokertopicmetrics_{}_total{}"
    for where in ("", label):
        assert seen[traffic.format("messagesin", where)] == 3
        assert seen[traffic.format("bytesin", where)] == seen[traffic.format("bytesout", where)] > 60
        assert seen[traffic.format("totalproducerequests", where)] == 1
        assert seen[traffic.format("failedproducerequests", where)] == 0
        assert seen[traffic.format("totalfetchrequests", where)] >= 1
    partition = f'{{topic="{topic}",partition="1"}}'
    assert seen["kafka_log_log_logendoffset" + partition] == seen["kafka_topic_partition_current_offset" + partition] == 3
    assert seen["kafka_log_log_size" + partition] == seen[traffic.format("bytesin", label)]
    assert seen["kafka_server_replicamanager_partitioncount"] == seen["kafka_server_replicamanager_leadercount"] == 2
    assert seen["kafka_server_replicamanager_underreplicatedpartitions"] == seen["kafka_controller_kafkacontroller_offlinepartitionscount"] == 0
    assert seen["kafka_controller_kafkacontroller_activecontrollercount"] == 1
    assert seen['kafka_network_requestmetrics_requests_total{request="Produce"}'] == 1
    assert seen['kafka_network_requestmetrics_totaltimems{request="Produce",quantile="0.99"}'] > 0
    assert seen["process_resident_memory_bytes"] > 1 << 20 and seen["process_open_fds"] > 5
    wait_until(lambda: metrics(broker)["process_cpu_seconds_total"] > 0, 30, "a hundredth of a second of CPU time, scraping included")
    assert abs(seen["process_start_time_seconds"] - time.time()) < 120
    too_large = moldau(broker, "produce", topic, input=b"x" * (2 << 20), check=False)
    assert too_large.returncode == 1
    assert metrics(broker)[traffic.format("failedproducerequests", "")] == 1
    moldau(broker, "topic", "delete", topic)
    wait_until(lambda: traffic.format("messagesin", label) not in metrics(broker), 30, "the topic to be gone")
    assert metrics(broker)[traffic.format("messagesin", "")] == 3, "counters never fall"


@case(within=300)
def admin_scrapes_ten_thousand_partitions(context):
    """In under 100 ms on a quiet machine; ten at once share one look."""
    broker = context.new_broker(kind="moldau").start()
    for n in range(10):
        moldau(broker, "topic", "create", context.topic(f"t{n}"), "-p", "1000", "--timeout", "120")
    wait_until(lambda: metrics(broker)["kafka_server_replicamanager_partitioncount"] == 10000, 60, "10,000 partitions")
    times = []
    for _ in range(10):
        started = time.monotonic()
        status, text = get(broker, "/metrics")
        times.append(time.monotonic() - started)
        assert status == 200 and text.count("kafka_log_log_size{") == 10000
    print(f"  10,000 partitions: {len(text) / 1e6:.1f} MB in {min(times) * 1000:.0f} ms at best, {max(times) * 1000:.0f} ms at worst")
    assert min(times) < 0.5, times  # what else runs on the machine is not its fault
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        assert all(answer[0] == 200 for answer in pool.map(lambda _: get(broker, "/metrics"), range(10)))
