#!/usr/bin/env python3
"""Makes the protocol's structs, tables and codecs from the schema texts.

    compile_schema.py --schema schema --out build/generated      writes what changed
    compile_schema.py --schema schema --out build/generated --list
                                          prints the files it would write, relative to --out, one a line
"""
import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from schema_compiler import direct, registry, structs, tables  # noqa: E402
from schema_compiler.model import SchemaError  # noqa: E402
from schema_compiler.parser import parse_all  # noqa: E402

APIS_PER_SOURCE = 12


def table_groups(units):
    """Sources of the field tables by name. An API stays in its group when others come or go."""
    groups = {}
    for unit in units:
        if unit.messages:
            kind = unit.path.parts[0]
            name = f"api_{unit.apis[0].key // APIS_PER_SOURCE * APIS_PER_SOURCE:02}" if kind == "api" else kind
            groups.setdefault(name, []).append(unit)
    return groups


def outputs(units):
    """Path -> a function that makes the text."""
    out = {"protocol/api_keys.h": lambda: registry.api_keys(units), "protocol/record_types.h": lambda: registry.record_types(units),
           "protocol/metadata_records.h": lambda: registry.metadata_records(units),
           "protocol/registry.cc": lambda: registry.registry(units)}
    for unit in units:
        if unit.messages:
            out[structs.header_path(unit)] = lambda unit=unit: structs.header(unit)
    for name, members in table_groups(units).items():
        out[f"protocol/tables_{name}.cc"] = lambda members=members: tables.source(members)
        if any(m.hot for unit in members for m in unit.messages):
            out[f"protocol/direct_{name}.cc"] = lambda members=members: direct.source(members)
    return out


def write_if_changed(path, text):
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--schema", type=Path, required=True)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--list", action="store_true")
    options = arguments.parse_args()
    try:
        files = outputs(parse_all(options.schema))
        if options.list:
            print("\n".join(sorted(files)))
            return 0
        for name, make in files.items():
            write_if_changed(options.out / name, make())
        (options.out / "protocol/schema.stamp").touch()
    except SchemaError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
