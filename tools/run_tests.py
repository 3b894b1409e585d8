#!/usr/bin/env python3
"""Runs every test of the project and counts them; the last line is `N passed, N failed`.

Without --all: the lint, the unit tests of each library, and what lies in tests/ and is marked quick.
With --all: also the tests in tests/ that start real processes of other projects. A test that this machine can't run
is counted as failed and named: nothing is skipped silently.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []

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
    """One GoogleTest binary: every case counts. A crash fails the case that was running."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        started = time.monotonic()
        done = subprocess.run([str(binary), f"--gtest_output=json:{report.name}", "--gtest_brief=1"],
                              capture_output=True, text=True, errors="replace")
        seconds = time.monotonic() - started
        text = pathlib.Path(report.name).read_text()
        if not text:
            tally.add(binary.name, False, (done.stdout + done.stderr)[-4000:])
            return
        total = 0
        for suite in json.loads(text)["testsuites"]:
            for case in suite["testsuite"]:
                total += 1
                failures = case.get("failures", [])
                name = f"{binary.name}: {suite['name']}.{case['name']}"
                tally.add(name, not failures, "\n".join(f["failure"] for f in failures)[:4000])
        if done.returncode != 0 and not tally.failed:
            tally.add(binary.name, False, (done.stdout + done.stderr)[-4000:])
        print(f"{binary.name}: {total} tests, {seconds:.1f} s", flush=True)


def run_scripts(tally, everything):
    """tests/*/run_*.py print one line a test: `ok NAME` or `not ok NAME: reason`."""
    for script in sorted((ROOT / "tests").glob("*/run_*.py")):
        arguments = ["--all"] if everything else []
        started = time.monotonic()
        process = subprocess.Popen([sys.executable, str(script), *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT)
        count, tail = 0, []
        for line in process.stdout:
            line = line.rstrip()
            tail = tail[-40:] + [line]
            if line.startswith("ok "):
                count += 1
                tally.add(line[3:], True)
            elif line.startswith("not ok "):
                count += 1
                tally.add(f"{script.name}: {line[7:]}", False, "\n".join(tail))
                tail = []
        if process.wait() != 0 and not (tail and tail[-1].startswith("not ok")) and count == 0:
            tally.add(script.name, False, "\n".join(tail))
        print(f"{script.relative_to(ROOT)}: {count} tests, {time.monotonic() - started:.1f} s", flush=True)


def main():
    everything = "--all" in sys.argv
    only = [a for a in sys.argv[1:] if not a.startswith("--")]
    os.chdir(ROOT)
    tally = Tally()
    if not only:
        run_lint(tally)
    for binary in sorted(BUILD.glob("*_test")):
        if not only or binary.name in only:
            run_unit(binary, tally)
    if not only:
        run_scripts(tally, everything)
    for name in tally.failed:
        print(f"failed: {name}")
    print(f"{tally.passed} passed, {len(tally.failed)} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
