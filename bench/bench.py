#!/usr/bin/env python3
"""Moldau side by side with Apache Kafka 4.4.0 and with the floor: the table of docs/PERFORMANCE.md.

  ./dev bench                     every figure, median of 5, alternating
  ./dev bench produce             one figure
  ./dev bench --runs 1 --secs 3   a quick look
  ./dev bench --kafka none        without Apache Kafka
How each figure is measured: docs/PERFORMANCE.md.
"""
import argparse
import datetime
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import figures
import figures_node
from subjects import ROOT

FIGURES = [*figures.FIGURES, *figures_node.FIGURES]


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("names", nargs="*", help=f"figures: {', '.join(f.name for f in FIGURES)}")
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="the same as NAME")
    p.add_argument("--runs", type=int, default=5, help="runs of each; the median counts (5)")
    p.add_argument("--secs", type=float, default=10, help="seconds of one run (10)")
    p.add_argument("--warmup", type=float, default=30, help="seconds of load before Apache Kafka is measured (30)")
    p.add_argument("--kafka", choices=["4.4.0", "none"], default="4.4.0")
    p.add_argument("--moldau", choices=["build", "none"], default="build", help="none: only the others, to look at the machine")
    p.add_argument("--json", metavar="FILE", help="append the result as one line of JSON")
    p.add_argument("--folder", help="where data lies while it runs (a temporary folder)")
    options = p.parse_args()
    options.names += options.only
    unknown = set(options.names) - {f.name for f in FIGURES}
    if unknown:
        p.error(f"no figure {sorted(unknown)}; there are {', '.join(f.name for f in FIGURES)}")
    return options


def measure(options, folder):
    subjects = [n for n, on in (("moldau", options.moldau != "none"), ("kafka", options.kafka != "none"), ("floor", True)) if on]
    out = []
    for figure in FIGURES:
        if options.names and figure.name not in options.names:
            continue
        print(f"measuring {figure.name} ...", file=sys.stderr, flush=True)
        runs = figure.measure(figures.Setting(options, folder / figure.name, subjects))
        shutil.rmtree(folder / figure.name, ignore_errors=True)
        out.append((figure, runs))
    return out


def summary(figure, runs):
    """What one figure comes to: medians, spreads and the ratio to the target."""
    medians = {name: statistics.median(values) for name, values in runs.items() if values}
    row = {"figure": figure.name, "unit": figure.unit, "median": medians,
           "spread": {name: [min(values), max(values)] for name, values in runs.items() if values}}
    if figure.share_of_kafka and {"moldau", "kafka"} <= medians.keys() and medians["kafka"]:
        row["ratio"] = medians["moldau"] / medians["kafka"]
        row["met"] = row["ratio"] <= figure.share_of_kafka
    if figure.at_most and "moldau" in medians:
        row["met"] = medians["moldau"] <= figure.at_most
    if {"moldau", "floor"} <= medians.keys() and medians["floor"]:
        row["floor_ratio"] = medians["moldau"] / medians["floor"]
    return row


def shown(value):
    return "" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def table(rows, by_name):
    lines = ["| figure | Moldau | Apache Kafka 4.4.0 | floor | Moldau : Kafka | target | Moldau : floor | met |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
    for row in rows:
        figure = by_name[row["figure"]]
        cells = [f"{figure.title}, {figure.unit}"]
        for subject in ("moldau", "kafka", "floor"):
            low_high = row["spread"].get(subject)
            spread = f" ({shown(low_high[0])}–{shown(low_high[1])})" if low_high and low_high[0] != low_high[1] else ""
            cells.append(shown(row["median"].get(subject)) + spread)
        target = f"≤ {figure.at_most:g} {figure.unit}" if figure.at_most else f"≤ {figure.share_of_kafka:.2f}" if figure.share_of_kafka else ""
        cells += [shown(row.get("ratio")), target, shown(row.get("floor_ratio")), {True: "yes", False: "no"}.get(row.get("met"), "")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    return f"{os.cpu_count()} cores, {model}"


def main():
    options = parse()
    folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="moldau-bench-"))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    load = os.getloadavg()[0]
    try:
        measured = measure(options, folder)
    finally:
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
    rows = [summary(figure, runs) for figure, runs in measured]
    other = figures.other_load()
    print(table(rows, {f.name: f for f in FIGURES}))
    print(f"\n{machine()}; median of {options.runs}, (lowest–highest); other processes took {other:.2f} cores while measuring, "
          f"the load was {load:.1f} at the start.")
    for note in figures.notes:
        print(note)
    if other > 0.1 or load > 1:
        print("The machine was not quiet: these figures say little.")
    if options.json:
        commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
        line = {"commit": commit, "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "machine": machine(),
                "runs": options.runs, "secs": options.secs, "other_cores": round(other, 3), "load": load, "figures": rows}
        with open(options.json, "a") as file:
            file.write(json.dumps(line) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
