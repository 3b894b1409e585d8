#!/usr/bin/env python3
"""Holds the tree to the house's rules: layers, pure folders, file sizes, sleeps in tests, format.

Prints one line a finding and exits with 1 if there is any. Standard library only.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
MAX_LINES = 800
MAX_FILES = 40
IMPURE = re.compile(r"<(thread|mutex|atomic|shared_mutex|condition_variable|filesystem|random|chrono|fstream|"
                    r"unistd\.h|fcntl\.h|sys/.*|pthread\.h|time\.h|ctime)>")
PURE_EXCEPTIONS = {"base/time.h": {"chrono"}}  # types only: no clock is read
HIDDEN = re.compile(r"<(fmt/.*|spdlog/.*|gtest/.*)>")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))')


def layers():
    table = {}
    for line in (ROOT / "layers.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        folder, kind, *uses = line.split()
        table[folder] = (kind, {u for u in uses if u != "-"})
    return table


def folder_of(path, table):
    """The layer of a path below src/: the longest folder that layers.txt names."""
    parts = pathlib.PurePosixPath(path).parent.parts
    for n in range(len(parts), 0, -1):
        if "/".join(parts[:n]) in table:
            return "/".join(parts[:n])
    return None


def check_includes(path, table, findings):
    relative = path.relative_to(SRC).as_posix()
    folder = folder_of(relative, table)
    if folder is None:
        findings.append(f"src/{relative}: its folder is not in layers.txt")
        return
    kind, uses = table[folder]
    outside = re.search(r"_(test|fuzz|bench)\.cc$", relative) or "/testdata/" in relative
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, system = match.groups()
        where = f"src/{relative}:{number}"
        if quoted:
            target = folder_of(quoted, table)
            if target and target != folder and target not in uses and not outside:
                findings.append(f"{where}: {folder} may not include from {target} ({quoted})")
        elif kind == "pure" and IMPURE.match(system) and not outside:
            if IMPURE.match(system).group(1) not in PURE_EXCEPTIONS.get(relative, ()):
                findings.append(f"{where}: {folder} is pure and may not include {system}")
        if system and system.startswith("<boost/asio") and folder != "io/posix":
            findings.append(f"{where}: {system}: only io/posix knows Asio; others use io/")
        if system and path.suffix == ".h" and HIDDEN.match(system) and not outside and folder != "io/posix":
            findings.append(f"{where}: {system} in a header; keep it in the .cc file")


def check_sizes(findings):
    counts = {}
    for path in sorted(SRC.rglob("*")):
        if path.suffix in (".cc", ".h"):
            lines = path.read_text(errors="replace").count("\n")
            if lines > MAX_LINES:
                findings.append(f"{path.relative_to(ROOT)}: {lines} lines, at most {MAX_LINES}: it holds two things")
            counts[path.parent] = counts.get(path.parent, 0) + 1
    for folder, count in counts.items():
        if count > MAX_FILES:
            findings.append(f"{folder.relative_to(ROOT)}: {count} files, at most {MAX_FILES}")


def check_tests(findings):
    sleeps = re.compile(r"sleep_for|usleep\(|nanosleep|time\.sleep|this_thread::sleep")
    for path in list(SRC.rglob("*_test.cc")) + list((ROOT / "tests").rglob("*.py")):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if sleeps.search(line) and "polls a condition" not in line:
                findings.append(f"{path.relative_to(ROOT)}:{number}: a test sleeps; wait for a condition")


def formatted_files():
    paths = [p for folder in (SRC, ROOT / "bench") for p in sorted(folder.rglob("*"))]
    return [str(p) for p in paths if p.suffix in (".cc", ".h") and "testdata" not in p.parts]


def check_format(findings):
    if not shutil.which("clang-format"):
        return
    files = formatted_files()
    for n in range(0, len(files), 100):
        done = subprocess.run(["clang-format", "--dry-run", "-Werror", *files[n:n + 100]], capture_output=True, text=True)
        bad = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "error:" in line})
        findings += [f"{pathlib.Path(p).relative_to(ROOT)}: not formatted; run ./dev check --fix" for p in bad]


def fix_format():
    subprocess.run(["clang-format", "-i", *formatted_files()], check=True)


def main():
    if "--fix" in sys.argv:
        fix_format()
    table, findings = layers(), []
    for path in sorted(SRC.rglob("*")):
        if path.suffix in (".cc", ".h"):
            check_includes(path, table, findings)
    check_sizes(findings)
    check_tests(findings)
    check_format(findings)
    for finding in findings:
        print(finding)
    print(f"check: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
