#!/usr/bin/env python3
"""Makes the C++ tables of configuration keys from schema/config/*.config.

Usage: config_compiler.py SCHEMA_FOLDER OUTPUT.cc
"""
import pathlib
import re
import shlex
import sys

TYPES = {t: "k" + t.capitalize() for t in "boolean string int short long double list class password".split()}
UPDATES = {"read-only": "kReadOnly", "per-broker": "kPerBroker", "cluster-wide": "kClusterWide"}
NAMED_CHECKS = {"-": "kNone", "nonempty": "kNonEmpty", "nonnull": "kNonNull", "throttled-replicas": "kThrottledReplicas",
                "quorum-voters": "kQuorumVoters", "bootstrap-servers": "kBootstrapServers",
                "auto-offset-reset": "kAutoOffsetReset"}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def parse_check(text):
    """-> (enumerator, low, high, choices)"""
    if text in NAMED_CHECKS:
        return NAMED_CHECKS[text], None, None, []
    minus_one = text.startswith("-1|")
    match = re.fullmatch(r"(-?[\d.]*?)\.\.(-?[\d.]*)", text[3:] if minus_one else text)
    if match:
        return "kRangeOrMinusOne" if minus_one else "kRange", match.group(1) or None, match.group(2) or None, []
    match = re.fullmatch(r"(list|one|ione)(?:\(([^)]*)\))?(\+?)", text)
    if not match:
        raise SystemExit(f"config_compiler: unknown check {text}")
    kind, choices, more = match.groups()
    name = {"list": "kNonEmptyList" if more else "kList", "one": "kOneOf", "ione": "kOneOfAnyCase"}[kind]
    return name, None, None, choices.split("|") if choices else []


def compile_file(path, out):
    table = path.stem
    keys, extras = [], []
    for line in path.read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        name, kind, default, valid, importance, *rest = shlex.split(line)
        last = rest[0] if rest else "-"
        check, low, high, choices = parse_check(valid)
        index = len(keys)
        fields = [f".name = {quoted(name)}", f".type = Type::{TYPES[kind]}"]
        if default == "required":
            fields += [".default_value = std::nullopt", ".required = true"]
        elif default == "null":
            fields.append(".default_value = std::nullopt")
        else:
            fields.append(f".default_value = {quoted(default)}")
        fields.append(f".check = Check::{check}")
        if low:
            fields.append(f".low = {low}")
        if high:
            fields.append(f".high = {high}")
        if choices:
            extras.append(f"constexpr std::string_view k_{table}_choices_{index}[] = {{{', '.join(map(quoted, choices))}}};")
            fields.append(f".choices = k_{table}_choices_{index}")
        fields.append(f".importance = {quoted(importance)}")
        if "internal" in rest:
            fields.append(".internal = true")
        if last in UPDATES:
            fields.append(f".update = UpdateMode::{UPDATES[last]}")
        elif last not in ("-", "internal"):
            synonyms = []
            for synonym in last.split(","):
                key, _, times = synonym.partition("*")
                synonyms.append(f"{{{quoted(key)}, {times or 1}}}")
            extras.append(f"constexpr Synonym k_{table}_synonyms_{index}[] = {{{', '.join(synonyms)}}};")
            fields.append(f".synonyms = k_{table}_synonyms_{index}")
        keys.append((name, fields))
    if [k for k, _ in keys] != sorted(k for k, _ in keys):
        raise SystemExit(f"config_compiler: {path.name} is not sorted by key")
    out += extras
    out.append(f"constexpr Key k_{table}_keys[] = {{")
    out += ["    {" + ", ".join(fields) + "}," for _, fields in keys]
    out.append("};\n")
    return table


def main():
    folder, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out = ["// Generated from schema/config by tools/config_compiler.py.", '#include "config/keys.h"', "",
           "namespace moldau::config {", "namespace {", ""]
    tables = [compile_file(path, out) for path in sorted(folder.glob("*.config"))]
    out.append("}  // namespace\n")
    out += [f"std::span<const Key> {t}_keys() {{ return k_{t}_keys; }}" for t in tables]
    out.append("\n}  // namespace moldau::config")
    text = "\n".join(out) + "\n"
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


if __name__ == "__main__":
    main()
