#!/usr/bin/env python3
"""Runs the fuzzers of build/fuzz, each for some seconds, from its seeds: `ok NAME` or `not ok NAME: reason`.

  run_fuzz.py                the protocol's decoders for 60 s: what ./dev test waits for
  run_fuzz.py --all          and every other fuzzer for 20 s
  run_fuzz.py NAME [SECONDS] one of them; inputs that it finds interesting are kept in build/fuzz/corpus
"""
import pathlib
import subprocess
import sys

BUILD = pathlib.Path(__file__).resolve().parent.parent.parent / "build" / "fuzz"
QUICK = {"protocol_fuzz": 60}
OTHERS_SECONDS = 20
# A zstd frame may ask for a window of 128 MiB, and is given it.
MALLOC_LIMIT_MB = {"record_fuzz": 200, "codec_fuzz": 200}


def fuzz(binary, seconds):
    """Whether it ran clean, and what it printed last."""
    corpus = BUILD / "corpus" / binary.name
    corpus.mkdir(parents=True, exist_ok=True)
    if "--write-seeds" in (BUILD.parent.parent / "src").joinpath(source_of(binary.name)).read_text():
        subprocess.run([str(binary), "--write-seeds", str(corpus)], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([str(binary), f"-max_total_time={seconds}", "-print_final_stats=1", "-rss_limit_mb=4096",
                           f"-malloc_limit_mb={MALLOC_LIMIT_MB.get(binary.name, 512)}",
                           f"-artifact_prefix={BUILD}/{binary.name}-", str(corpus)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=BUILD)
    return done.returncode == 0, done.stdout[-3000:]


def source_of(name):
    root = BUILD.parent.parent / "src"
    return next(root.rglob(f"{name}.cc")).relative_to(root)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    binaries = {p.name: p for p in sorted(BUILD.glob("*_fuzz")) if p.is_file()}
    if arguments:
        plan = {arguments[0]: int(arguments[1]) if len(arguments) > 1 else 60}
    elif "--all" in sys.argv:
        plan = {name: QUICK.get(name, OTHERS_SECONDS) for name in binaries} | QUICK
    else:
        plan = QUICK
    failed = 0
    for name, seconds in plan.items():
        if name not in binaries:
            ok, output = False, "it isn't built"
        else:
            ok, output = fuzz(binaries[name], seconds)
        if not ok:
            failed += 1
            print(output)
        print(f"ok fuzz {name} {seconds} s" if ok else f"not ok fuzz {name}: the input is in build/fuzz/{name}-*", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
