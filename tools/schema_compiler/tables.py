"""Writes the field tables, a few dozen messages to a source."""
from .model import EMPTY, least_bytes_of
from .structs import header_path, inner_first, member_name

TYPES = {"bool": "kBool", "int8": "kInt8", "int16": "kInt16", "uint16": "kUint16", "int32": "kInt32", "uint32": "kUint32",
         "int64": "kInt64", "float64": "kFloat64", "uuid": "kUuid", "string": "kString", "bytes": "kBytes",
         "records": "kRecords"}


def table_name(message, structure):
    return f"k{message.name}" if structure is message.root else f"k{message.name}_{structure.name}"


def cpp_name(message, structure):
    return message.name if structure is message.root else f"{message.name}::{structure.name}"


def flags(f):
    names = [("kArray", f.array), ("kOptional", f.optional), ("kIgnorable", f.ignorable), ("kMapKey", f.key),
             ("kDefaultsToNull", f.default == "null"), ("kInflexible", f.inflexible)]
    return " | ".join("F::" + name for name, on in names if on) or "0"


def default_number(f):
    if f.array or f.structure or f.default in (None, "null"):
        return "0"
    return {"true": "1", "false": "0"}.get(f.default, f.default)


def field_row(message, structure, f):
    inner = "&" + table_name(message, f.structure) if f.structure else "nullptr"
    kind = "kStruct" if f.structure else TYPES[f.type]
    nullable = "{}" if f.nullable == EMPTY else f"{{{f.nullable.first}, {f.nullable.last}}}"
    return (f'    {{"{f.json}", {inner}, {default_number(f)}, {{{f.versions.first}, {f.versions.last}}}, {nullable}, '
            f"offsetof({cpp_name(message, structure)}, {member_name(f)}), T::{kind}, {-1 if f.tag is None else f.tag}, {flags(f)}}},")


def struct_table(message, structure):
    table, cpp = table_name(message, structure), cpp_name(message, structure)
    fields = structure.wire_fields()
    tagged = sum(f.tag is not None for f in fields)
    out = []
    rows = "nullptr"
    if fields:
        rows = f"{table}Fields"
        out += [f"constexpr FieldInfo {rows}[] = {{", *(field_row(message, structure, f) for f in fields), "};"]
    ops = ", ".join(str(flag).lower() for flag in (structure.in_array, structure.in_optional, structure.in_optional_array))
    out.append(f'constexpr StructInfo {table}{{"{structure.name}", {rows}, {len(fields)}, {tagged}, sizeof({cpp}), '
               f"{least_bytes_of(message, structure)}, container_ops<{cpp}, {ops}>()}};")
    return out


def message_info(message):
    direct = f"&decode_{message.name}, &encode_{message.name}" if message.hot else "nullptr, nullptr"
    flexible = "{}" if message.flexible == EMPTY else f"{{{message.flexible.first}, {message.flexible.last}}}"
    return (f'constexpr MessageInfo {message.name}::kInfo{{"{message.name}", MessageKind::k{message.kind}, {message.key}, '
            f"{message.name}::kVersions, {flexible}, {str(message.version_prefix).lower()}, &{table_name(message, message.root)},\n"
            f"    create<{message.name}>, destroy<{message.name}>, reset<{message.name}>, {direct}}};")


def source(units):
    out = ["// Made from schema/.", "#include <cstddef>", "", '#include "protocol/container_ops.h"']
    out += [f'#include "{header_path(unit)}"' for unit in units]
    out += ["", "namespace moldau::protocol {"]
    messages = [m for unit in units for m in unit.messages]
    for m in messages:
        if m.hot:
            out += [f"void decode_{m.name}(Decoder&, int16_t, void*);", f"void encode_{m.name}(Encoder&, int16_t, const void*);"]
    out += ["namespace {", "using F = FieldInfo;", "using T = FieldType;", ""]
    for m in messages:
        for structure in inner_first(m.root, []) + [m.root]:
            out += [*struct_table(m, structure), ""]
    out += ["}  // namespace", "", *(message_info(m) for m in messages), "", "}  // namespace moldau::protocol", ""]
    return "\n".join(out)
