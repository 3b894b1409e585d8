"""Writes straight code for the hot messages: what the table-driven codec does, with every decision taken here."""
from .model import EMPTY, least_bytes_of
from .structs import header_path, inner_first, member_name
from .tables import cpp_name

READ = {"bool": "boolean", "int8": "i8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64",
        "float64": "f64", "uuid": "uuid"}
LENGTHED = {"string": "string", "bytes": "bytes_field", "records": "records"}


def within(wanted, possible):
    """The condition that the version v, one of `possible`, is in `wanted`: C++ text, "true" or "false"."""
    tests = []
    if wanted == EMPTY or wanted.last < possible.first or wanted.first > possible.last:
        return "false"
    if wanted.first > possible.first:
        tests.append(f"v >= {wanted.first}")
    if wanted.last < possible.last:
        tests.append(f"v <= {wanted.last}")
    return " && ".join(tests) or "true"


class StructCode:
    def __init__(self, message, structure):
        self.message = message
        self.structure = structure
        self.cpp = cpp_name(message, structure)
        self.possible = type(message.versions)(min(r.first for r in structure.used_in), max(r.last for r in structure.used_in))
        self.flexible = within(message.flexible, self.possible)

    def compact(self, f):
        if self.flexible in ("true", "false"):
            return "false" if f.inflexible else self.flexible
        return "false" if f.inflexible else "flexible"

    def nullable(self, f):
        return within(f.nullable, self.possible)

    def fields(self, tagged):
        return [f for f in self.structure.wire_fields() if (f.tag is not None) == tagged]

    def prologue(self):
        return [] if self.flexible in ("true", "false") else [f"  const bool flexible = {self.flexible};"]

    def when_flexible(self, lines):
        if self.flexible == "true":
            return [f"  {line}" for line in lines]
        if self.flexible == "false":
            return []
        if len(lines) == 1:
            return [f"  if (flexible) {lines[0]}"]
        return ["  if (flexible) {", *(f"    {line}" for line in lines), "  }"]

    def guarded(self, f, statement):
        condition = within(f.versions, self.possible)
        return f"  {statement}" if condition == "true" else f"  if ({condition}) {statement}"

    # Decoding

    def read_statement(self, f):
        member = f"out.{member_name(f)}"
        arguments = self.compact(f) + (f", {self.nullable(f)}" if f.optional else "")
        if f.array and f.structure:
            least = least_bytes_of(self.message, f.structure)
            return f"in.structs({arguments}, {least}, {member}, [&](auto& each) {{ read(in, v, each); }});"
        if f.array:
            return f"in.array({arguments}, {member});"
        if f.structure:
            if not f.optional:
                return f"read(in, v, {member});"
            marker = "in.uvarint() != 0" if f.tag is not None else "in.struct_follows()"
            return f"if ({marker}) read(in, v, {member}.emplace()); else {member}.reset();"
        if f.type in LENGTHED:
            call = LENGTHED[f.type]
            return f"in.{call}({arguments}, {member});" if f.optional else f"{member} = in.{call}({arguments});"
        return f"{member} = in.{READ[f.type]}();"

    def read_tags(self):
        fields = self.fields(tagged=True)
        if not fields:
            return self.when_flexible(["in.skip_tagged_part();"])
        cases = []
        for f in fields:
            condition = within(f.versions, self.possible)
            unknown = "" if condition == "true" else f"if (!({condition})) return false; "
            cases.append(f"    case {f.tag}: {unknown}{self.read_statement(f)} return true;")
        return self.when_flexible(["in.tagged_part([&](uint32_t tag) {", "  switch (tag) {", *cases, "    default: return false;",
                                   "  }", "});"])

    def read(self):
        body = [self.guarded(f, self.read_statement(f)) for f in self.fields(tagged=False)] + self.read_tags()
        return self.function("void", "read", f"Decoder& in, int v, {self.cpp}& out", body)

    # Encoding

    def write_statement(self, f):
        member = f"m.{member_name(f)}"
        arguments = self.compact(f) + (f", {self.nullable(f)}" if f.optional else "")
        if f.array and f.structure:
            return f"out.structs({arguments}, {member}, [&](const auto& each) {{ write(out, v, each); }});"
        if f.array:
            return f"out.array({arguments}, {member});"
        if f.structure:
            if not f.optional:
                return f"write(out, v, {member});"
            marker = "out.uvarint(1)" if f.tag is not None else "out.i8(1)"
            null = "out.uvarint(0)" if f.tag is not None else "out.i8(-1)"
            return f"if ({member}) {marker}, write(out, v, *{member}); else {null};"
        if f.type in LENGTHED:
            return f"out.{LENGTHED[f.type]}({arguments}, {member});"
        return f"out.{READ[f.type]}({member});"

    def write_tags(self):
        fields = self.fields(tagged=True)
        if not fields:
            return self.when_flexible(["out.uvarint(0);"])
        flags, writes = [], []
        for f in fields:
            condition = within(f.versions, self.possible)
            present = f"!({is_default(self.message, f, 'm.' + member_name(f))})"
            flags.append(f"const bool has_{f.tag} = {present if condition == 'true' else condition + ' && ' + present};")
            writes.append(f"if (has_{f.tag}) out.tagged({f.tag}, [&] {{ {self.write_statement(f)} }});")
        count = " + ".join(f"has_{f.tag}" for f in fields)
        return self.when_flexible([*flags, f"out.uvarint(static_cast<uint32_t>({count}));", *writes])

    def write(self):
        body = [self.guarded(f, self.write_statement(f)) for f in self.fields(tagged=False)] + self.write_tags()
        return self.function("void", "write", f"Encoder& out, int v, const {self.cpp}& m", body)

    def function(self, result, name, parameters, body):
        return [f"{result} {name}({parameters}) {{", *self.prologue_if_used(body), *body, "}", ""]

    def prologue_if_used(self, body):
        return self.prologue() if any("flexible" in line for line in body) else []


def is_default(message, f, member):
    if f.optional:
        if f.default == "null":
            return f"!{member}"
        if f.structure and not f.array:
            return f"{member} && {struct_default(message, f.structure, '(*' + member + ')')}"
        return f"{member} && {member}->empty()"
    if f.array or f.type in LENGTHED:
        return f"{member}.empty()"
    if f.structure:
        return struct_default(message, f.structure, member)
    if f.type == "uuid":
        return f"{member}.is_zero()"
    zero = {"bool": "false", "float64": "0.0"}.get(f.type, "0")
    return f"{member} == {f.default or zero}"


def struct_default(message, structure, member):
    return "(" + " && ".join(f"({is_default(message, f, member + '.' + member_name(f))})" for f in structure.fields) + ")"


def source(units):
    units = [unit for unit in units if any(m.hot for m in unit.messages)]
    messages = [m for unit in units for m in unit.messages if m.hot]
    out = ["// Made from schema/: code of the hot messages' own.", '#include "protocol/decoder.h"', '#include "protocol/encoder.h"']
    out += [f'#include "{header_path(unit)}"' for unit in units]
    out += ["", '#pragma GCC diagnostic ignored "-Wunused-parameter"', "", "namespace moldau::protocol {", "namespace {", ""]
    for m in messages:
        for structure in inner_first(m.root, []) + [m.root]:
            code = StructCode(m, structure)
            out += [*code.read(), *code.write()]
    out += ["}  // namespace", ""]
    for m in messages:
        out += [f"void decode_{m.name}(Decoder& in, int16_t version, void* out) {{ read(in, version, *static_cast<{m.name}*>(out)); }}",
                f"void encode_{m.name}(Encoder& out, int16_t version, const void* m) {{ write(out, version, *static_cast<const {m.name}*>(m)); }}"]
    return "\n".join(out + ["", "}  // namespace moldau::protocol", ""])
