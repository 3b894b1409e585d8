#!/usr/bin/env python3
"""Real clients against one node: kcat and librdkafka; with --all also Java's clients, Kafka's tools and Kafka's own nodes.

  run_compat.py [NAME...]                  against build/moldau
  run_compat.py --broker kafka [NAME...]   against Apache Kafka: shows that a test is right before it accuses anybody
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parent / "wire")]
from harness import cases  # noqa: E402

for module in sorted(HERE.glob("cases_*.py")):
    __import__(module.stem)

if __name__ == "__main__":
    cases.finish("real clients")
