"""The broker under test beside Apache Kafka: both get the same requests, right ones and wrong ones, and the answers are compared
field by field. With --broker kafka two of Kafka are compared: what differs there can't be expected of anybody."""
from harness.cases import case
from pair import PROPERTIES, Pair
import allowed
import requests_admin
import requests_cluster
import requests_controller
import requests_data
import requests_groups

SHOWN = 200


def brokers(context):
    kafka = context.new_broker(PROPERTIES, "kafka", "kafka").start()
    return Pair(context.new_broker(PROPERTIES).start(), kafka)


def controllers(context):
    kafka = context.new_controller(requests_controller.PROPERTIES, "kafka", "kafka").start()
    return Pair(context.new_controller(requests_controller.PROPERTIES).start(), kafka, allowed.OF_CONTROLLERS)


def differential(name, prepare, rows, within, of=brokers):
    def run(context):
        pair = of(context)
        for side in pair.sides:
            prepare(side)
        for row in rows:
            if context.options.api in (None, row.api):
                pair.run(row)
        found = pair.lines()
        for line in found[:SHOWN]:
            print(f"  {line}")
        print(f"  {pair.compared} requests compared, {len(found)} differences", flush=True)
        assert not found, f"{len(found)} differences from Apache Kafka, the first: {found[0]}"
    run.__name__ = name
    case(full=True, within=within)(run)


differential("differential_data", requests_data.prepare, requests_data.ROWS, 900)
differential("differential_groups", requests_groups.prepare, requests_groups.ROWS, 900)
differential("differential_admin", requests_admin.prepare, requests_admin.ROWS, 900)
differential("differential_cluster", requests_cluster.prepare, requests_cluster.ROWS, 900)
differential("differential_controller", requests_controller.prepare, requests_controller.ROWS, 900, controllers)
