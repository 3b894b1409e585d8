#!/usr/bin/env python3
"""Raw-protocol tests: recorded scenarios and what must hold whatever comes over a connection.

  run_wire.py [NAME...]                          against build/moldau
  run_wire.py --broker kafka [NAME...]           against Apache Kafka
  run_wire.py --broker kafka --record [NAME...]  records Kafka's answers anew
  run_wire.py --show NAME                        prints a recording
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from harness import cases  # noqa: E402
import recording  # noqa: E402

for module in sorted(HERE.glob("scenarios_*.py")) + sorted(HERE.glob("cases_*.py")):
    __import__(module.stem)


def main():
    parser = cases.parser("raw-protocol tests")
    parser.add_argument("--record", action="store_true", help="keep the answers as the expected ones (with --broker kafka)")
    parser.add_argument("--show", metavar="NAME", help="print a recording")
    parser.add_argument("--api", metavar="NAME", help="only this API of the differential cases")
    parser.add_argument("--histories", type=int, default=40, metavar="N", help="of controller_beside_kafka")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of its first history")
    options = parser.parse_args()
    if options.show:
        for label, answer in recording.load(options.show):
            print(f"{label}\n    {json.dumps(answer)}")
        return 0
    if options.record and options.broker != "kafka":
        parser.error("only Apache Kafka's answers are recorded: add --broker kafka")
    return cases.main("", options)


if __name__ == "__main__":
    sys.exit(main())
