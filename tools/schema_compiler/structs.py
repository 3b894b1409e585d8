"""Writes the headers: one struct a message, the structs of its fields nested inside."""
from .model import snake

CPP = {"bool": "bool", "int8": "int8_t", "int16": "int16_t", "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t",
       "int64": "int64_t", "float64": "double", "uuid": "Uuid", "string": "std::string_view", "bytes": "Bytes",
       "records": "Records"}
KEYWORDS = {"default", "operator", "private", "public", "class", "namespace", "new", "delete", "register", "template", "union",
            "enum", "static", "export", "switch", "case", "and", "or", "not", "protected", "this", "int", "bool"}


def member_name(f):
    return f.name + "_" if f.name in KEYWORDS else f.name


def member_type(f):
    inner = CPP.get(f.type, f.type)
    if f.array:
        inner = f"std::vector<{inner}>"
    return f"std::optional<{inner}>" if f.optional else inner


def initializer(f):
    if f.optional:
        if f.default == "null":
            return ""
        if f.array or f.structure:
            return "{std::in_place}"
        return {"string": ' = ""', "bytes": " = Bytes{}", "records": " = Records{}"}[f.type]
    if f.array or f.structure or f.type in ("string", "bytes", "records", "uuid"):
        return ""
    zero = {"bool": "false", "float64": "0.0"}.get(f.type, "0")
    return f" = {f.default or zero}"


def inner_first(structure, done):
    for f in structure.fields:
        if f.structure and f.structure not in done:
            inner_first(f.structure, done)
            done.append(f.structure)
    return done


def members(structure, indent):
    lines = [(f"{indent}{member_type(f)} {member_name(f)}{initializer(f)};", f) for f in structure.fields]
    width = max((len(text) for text, _ in lines), default=0)
    return [f"{text.ljust(width)}  // {f.shown_versions}" for text, f in lines]


def type_constant(message, unit):
    if message.api:
        return f"  static constexpr ApiKey kApiKey = ApiKey::k{message.api.name};"
    if message.key >= 0:
        enum = record_enum(message, unit)
        return f"  static constexpr {enum} kType = {enum}::k{enumerator(message)};"
    return None


def record_enum(message, unit):
    if message.kind.startswith("Coordinator"):
        return unit.topic.capitalize() + "RecordType"
    return message.kind + "Type"


def enumerator(message):
    suffixes = {"MetadataRecord": "Record", "RemoteLogRecord": "Record", "CoordinatorKey": "Key", "CoordinatorValue": "Value"}
    return message.name.removesuffix(suffixes[message.kind])


def before_message(message):
    """Structs that an optional holds, and those inside them. Their default initializers must be complete before the
    optional is a member, so they can't be nested; the message has aliases for them."""
    done = []
    for structure in inner_first(message.root, []):
        if structure.in_optional:
            inner_first(structure, done)
            done.append(structure)
    return done


def message_struct(message, unit):
    outside = before_message(message)
    out = []
    for structure in outside:
        inner = dict.fromkeys(f.type for f in structure.fields if f.structure)
        out += [f"struct {message.name}_{structure.name} {{", *(f"  using {name} = {message.name}_{name};" for name in inner),
                *members(structure, "  "), "};", ""]
    out += [f"struct {message.name} {{", f'  static constexpr std::string_view kName = "{message.name}";']
    constant = type_constant(message, unit)
    if constant:
        out.append(constant)
    out.append(f"  static constexpr VersionRange kVersions{{{message.versions.first}, {message.versions.last}}};")
    out.append("  static const MessageInfo kInfo;")
    if message.kind == "Request":
        out.append(f"  using Response = {message.api.name}Response;")
    if outside:
        out += ["", *(f"  using {structure.name} = {message.name}_{structure.name};" for structure in outside)]
    for structure in inner_first(message.root, []):
        if structure in outside:
            continue
        out += ["", f"  struct {structure.name} {{", *members(structure, "    "), "  };"]
    if message.root.fields:
        out += ["", *members(message.root, "  ")]
    return out + ["};"]


def header_path(unit):
    folder = "messages" if unit.path.parts[0] == "api" else unit.path.parts[0]
    return f"protocol/{folder}/{unit.path.name}.h"


def header(unit):
    out = [f"// Made from schema/{unit.path}.schema.", "#pragma once", '#include "protocol/message.h"']
    if unit.apis:
        out.append('#include "protocol/api_keys.h"')
    elif any(m.key >= 0 for m in unit.messages):
        out.append('#include "protocol/record_types.h"')
    out += ["", "namespace moldau::protocol {", ""]
    for message in unit.messages:
        if message.kind == "Request":
            out += [f"struct {message.api.name}Response;", ""]
    for message in unit.messages:
        out += [*message_struct(message, unit), ""]
    return "\n".join(out + ["}  // namespace moldau::protocol", ""])


def shouted(name):
    return snake(name).upper()
