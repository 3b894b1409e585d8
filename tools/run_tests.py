#!/usr/bin/env python3
"""Runs every test of the project and counts them; the last line is `N passed, N failed`.

Without --all: the lint, the unit tests of each library, and what lies in tests/ and is marked quick.
With --all: also the tests in tests/ that start real processes of other projects. A test that this machine can't run
is counted as failed and named: nothing is skipped silently. A unit test that skips itself is counted and named as open.
Names, e.g. `./dev test log_test run_wire`, choose unit-test binaries and scripts.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
UNIT_TIMEOUT_S = 900
SCRIPT_TIMEOUT_S, SCRIPT_TIMEOUT_ALL_S = 900, 2400


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.open = []

    def add(self, name, ok, detail=""):
        if ok:
            self.passed += 1
        else:
            self.failed.append(name)
            print(f"FAILED {name}\n{detail}".rstrip(), flush=True)


def run_lint(tally):
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "lint.py")], capture_output=True, text=True)
    tally.add("check", done.returncode == 0, done.stdout)


def run_unit(binary, tally):
    """One GoogleTest binary: every case counts. A crash, a hang or a bad exit without a failed case counts as one more."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        started = time.monotonic()
        try:
            done = subprocess.run([str(binary), f"--gtest_output=json:{report}"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=UNIT_TIMEOUT_S)
        except subprocess.TimeoutExpired as e:
            tally.add(binary.name, False, f"{tail(e.stdout)}\nnot done after {UNIT_TIMEOUT_S} s")
            return
        total, failed = 0, 0
        for suite in json.loads(report.read_text())["testsuites"] if report.exists() else []:
            for case in suite["testsuite"]:
                total += 1
                if case.get("result") == "SKIPPED":  # waits for something that isn't there yet, and says for what
                    name = f"{suite['name']}.{case['name']}"
                    said = done.stdout.partition(f"] {name}\n")[2].partition("[  SKIPPED ]")[0].strip().splitlines()
                    tally.open.append(f"{binary.name}: {name}: {said[-1] if said else 'no reason given'}")
                    continue
                failures = case.get("failures", [])
                failed += bool(failures)
                name = f"{binary.name}: {suite['name']}.{case['name']}"
                tally.add(name, not failures, "\n".join(f["failure"] for f in failures)[:4000])
        if total == 0 or done.returncode != 0 and failed == 0:
            tally.add(binary.name, False, f"{tail(done.stdout)}\nended with {done.returncode} after {total} tests")
        print(f"{binary.name}: {total} tests, {time.monotonic() - started:.1f} s", flush=True)


def tail(output):
    text = output.decode(errors="replace") if isinstance(output, bytes) else output or ""
    return text[-4000:]


def run_script(script, tally, arguments):
    """tests/*/run_*.py print one line a test, `ok NAME` or `not ok NAME: reason`, and what explains a failure before it.
    A script that ends badly without a failed test, prints none, or is not done in time counts as one more failure."""
    name = script.relative_to(ROOT)
    limit = SCRIPT_TIMEOUT_ALL_S if "--all" in arguments else SCRIPT_TIMEOUT_S
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, "-u", str(script), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", cwd=ROOT)
    late = []
    watch = threading.Timer(limit, lambda: (late.append(True), process.terminate()))
    watch.start()
    count, failed, said = 0, 0, []
    for line in process.stdout:
        line = line.rstrip()
        if line.startswith("ok "):
            count += 1
            tally.add(line[3:], True)
            said = []
        elif line.startswith("not ok "):
            count, failed = count + 1, failed + 1
            tally.add(f"{script.name}: {line[7:]}", False, "\n".join(said[-80:]))
            said = []
        else:
            said.append(line)
    code = process.wait()
    watch.cancel()
    if late:
        tally.add(str(name), False, "\n".join(said[-40:] + [f"not done after {limit} s, {count} tests"]))
    elif count == 0 or code != 0 and failed == 0:
        tally.add(str(name), False, "\n".join(said[-40:] + [f"ended with {code} after {count} tests"]))
    print(f"{name}: {count} tests, {time.monotonic() - started:.1f} s", flush=True)


def main():
    everything = "--all" in sys.argv
    only = [a for a in sys.argv[1:] if not a.startswith("--")]
    os.chdir(ROOT)
    tally = Tally()
    if not only:
        run_lint(tally)
    binaries, scripts = sorted(BUILD.glob("*_test")), sorted((ROOT / "tests").glob("*/run_*.py"))
    for missing in set(only) - {b.name for b in binaries} - {s.stem for s in scripts}:
        tally.add(missing, False, "there is no such unit-test binary or script")
    if not binaries:
        tally.add("unit tests", False, f"none are built in {BUILD}")
    for binary in binaries:
        if not only or binary.name in only:
            run_unit(binary, tally)
    for script in scripts:
        if not only or script.stem in only:
            run_script(script, tally, ["--all"] if everything else [])
    for name in tally.open:
        print(f"open: {name}")
    for name in tally.failed:
        print(f"failed: {name}")
    if tally.open:
        print(f"{len(tally.open)} open")
    print(f"{tally.passed} passed, {len(tally.failed)} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
