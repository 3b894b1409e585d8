#!/usr/bin/env python3
"""Makes the C++ tables of configuration keys from schema/config/*.config and broker.effects.

Usage: config_compiler.py SCHEMA_FOLDER OUTPUT.cc
       config_compiler.py SCHEMA_FOLDER --document docs/CONFIG.md [--check]   the same as a page; --check only compares
"""
import fnmatch
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


EFFECTS = {"force": "kForce", "none": "kNone", "refuse": "kRefuse"}


def rows(path):
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield shlex.split(line)


def read_effects(folder):
    """[(pattern, effect, reason)]; effect_of() says what they make of a key."""
    effects = []
    for pattern, effect, *reason in rows(folder / "broker.effects"):
        if effect not in EFFECTS or (effect == "force") == bool(reason):
            raise SystemExit(f"config_compiler: broker.effects: {pattern}: {effect} {reason}")
        effects.append((pattern, effect, reason[0] if reason else ""))
    return effects


def effect_of(effects, name, used=None):
    for pattern, effect, reason in effects:
        if fnmatch.fnmatchcase(name, pattern):
            if used is not None:
                used.add(pattern)
            return effect, reason
    raise SystemExit(f"config_compiler: broker.effects says nothing about {name}")


def check_effects(folder, effects):
    used = set()
    for name, *_ in rows(folder / "broker.config"):
        effect_of(effects, name, used)
    for pattern, *_ in effects:
        if pattern not in used:
            raise SystemExit(f"config_compiler: broker.effects: no key is left for {pattern}")


def compile_file(path, out, effects):
    table = path.stem
    keys, extras = [], []
    for name, kind, default, valid, importance, *rest in rows(path):
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
        if table == "broker":
            effect, reason = effect_of(effects, name)
            if effect != "force":
                fields += [f".effect = Effect::{EFFECTS[effect]}", f".reason = {quoted(reason)}"]
        keys.append((name, fields))
    if [k for k, _ in keys] != sorted(k for k, _ in keys):
        raise SystemExit(f"config_compiler: {path.name} is not sorted by key")
    out += extras
    out.append(f"constexpr Key k_{table}_keys[] = {{")
    out += ["    {" + ", ".join(fields) + "}," for _, fields in keys]
    out.append("};\n")
    return table


HOW = {"read-only": "no", "per-broker": "one broker", "cluster-wide": "yes"}
DOES = {"force": "", "none": "no effect: ", "refuse": "other values are refused: "}


def document(folder, effects):
    """docs/CONFIG.md."""
    out = ["# Configuration", "",
           "Generated from schema/config by tools/config_compiler.py; `./dev check` holds it to that.", "",
           "Keys, types, defaults and valid values are Apache Kafka 4.4's. A value counts from the first place that has it: set for",
           "this broker while it runs, set for all brokers while they run, `--override`, the environment (`KAFKA_LOG_DIRS` is",
           "`log.dirs`; `KAFKA_CFG_…` means the same), the file, the default. An unknown key is a line in the log at the start.", "",
           "## Brokers and controllers", "",
           "*While it runs*: whether kafka-configs can change it. A key without effect is named once at the start, if it is set.", "",
           "| key | type | default | valid | while it runs | in Moldau |", "| --- | --- | --- | --- | --- | --- |"]
    for name, kind, default, valid, _, *rest in rows(folder / "broker.config"):
        effect, reason = effect_of(effects, name)
        how = HOW.get(rest[0] if rest else "", "no")
        out.append(f"| {name} | {kind} | {shown(default)} | {shown(valid)} | {how} | {DOES[effect]}{reason} |")
    for title, file, column in (("Topics", "topic", "falls back on"), ("Groups", "group", "falls back on"),
                                ("Client metrics subscriptions", "client_metrics", None)):
        out += ["", f"## {title}", "", "| key | type | default | valid |" + (f" {column} |" if column else ""),
                "| --- | --- | --- | --- |" + (" --- |" if column else "")]
        for name, kind, default, valid, _, *rest in rows(folder / f"{file}.config"):
            synonyms = rest[0] if rest and rest[0] not in ("-", "internal") else ""
            out.append(f"| {name} | {kind} | {shown(default)} | {shown(valid)} |" + (f" {synonyms.replace(',', ', ')} |" if column else ""))
    return "\n".join(out) + "\n"


def shown(text):
    text = text.replace("|", ", ")
    return {"": "empty", "-": "", "required": "(required)"}.get(text, text if len(text) < 60 else text.replace(",", ", "))


def main():
    folder, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    effects = read_effects(folder)
    check_effects(folder, effects)
    if sys.argv[2] == "--document":
        page, text = pathlib.Path(sys.argv[3]), document(folder, effects)
        if "--check" in sys.argv:
            return 0 if page.exists() and page.read_text() == text else 1
        page.write_text(text)
        return 0
    out = ["// Generated from schema/config by tools/config_compiler.py.", '#include "config/keys.h"', "",
           "namespace moldau::config {", "namespace {", ""]
    tables = [compile_file(path, out, effects) for path in sorted(folder.glob("*.config"))]
    out.append("}  // namespace\n")
    out += [f"std::span<const Key> {t}_keys() {{ return k_{t}_keys; }}" for t in tables]
    out.append("\n}  // namespace moldau::config")
    text = "\n".join(out) + "\n"
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text() != text:
        target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
