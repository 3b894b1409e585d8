"""Requests and responses as dictionaries, coded from the texts in schema/.

It is a second, independent reader of those texts beside the product's; and since what it makes and reads is recorded from
Apache Kafka, a wrong text shows. Names are the texts' (snake_case). Fields that are left out have their default; fields
that a version lacks are dropped, names that no version has are refused.
"""
import struct
import sys
import uuid

from . import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from schema_compiler.parser import parse_all  # noqa: E402

_FORMATS = {"int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "int64": ">q", "float64": ">d"}
_TEXTS = ("string", "bytes", "records")


class Apis:
    """All APIs by name, read once."""
    _by_name = None

    @classmethod
    def get(cls, name):
        if cls._by_name is None:
            units = parse_all(ROOT / "schema")
            cls._by_name = {a.name: a for u in units for a in u.apis}
            cls._messages = {m.name: m for u in units for m in u.messages}
        return cls._by_name[name]

    @classmethod
    def message(cls, name):
        cls.get("Produce")
        return cls._messages[name]

    @classmethod
    def all_messages(cls):
        cls.get("Produce")
        return cls._messages.values()


def uvarint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _default(field, version):
    if field.array:
        return None if field.default == "null" and version in field.nullable else []
    if field.default is not None:
        if field.default == "null":
            return None if version in field.nullable else ("" if field.type == "string" else b"")
        if field.type in ("string",):
            return field.default.strip('"')
        if field.type == "bool":
            return field.default == "true"
        return float(field.default) if field.type == "float64" else int(field.default, 0)
    if field.structure:
        return {}
    return {"string": "", "bytes": b"", "records": b"", "bool": False, "uuid": uuid.UUID(int=0), "float64": 0.0}.get(field.type, 0)


class Encoder:
    def __init__(self, message, version):
        self.version = version
        self.flexible = version in message.flexible

    def struct(self, structure, value, where):
        unknown = set(value) - {f.name for f in structure.fields}
        if unknown:
            raise KeyError(f"{where} has no field {sorted(unknown)}")
        out, tagged = [], []
        for f in structure.wire_fields():
            if self.version not in f.versions:
                continue
            given = value.get(f.name, _default(f, self.version))
            if f.tag is None:
                out.append(self.field(f, given, f"{where}.{f.name}"))
            elif f.name in value and given != _default(f, self.version):
                body = self.field(f, given, f"{where}.{f.name}")
                tagged.append(uvarint(f.tag) + uvarint(len(body)) + body)
        if self.flexible:
            out.append(uvarint(len(tagged)) + b"".join(tagged))
        return b"".join(out)

    def field(self, f, value, where):
        if f.array:
            count = self.length(None if value is None else len(value), False)
            return count + b"".join(self.one(f, v, where, False) for v in value or ())
        return self.one(f, value, where, True)

    def one(self, f, value, where, alone):
        if f.structure:
            nullable = alone and self.version in f.nullable
            if value is None:
                return b"\xff"
            return (b"\x01" if nullable else b"") + self.struct(f.structure, value, where)
        if f.type in _TEXTS:
            data = value.encode() if isinstance(value, str) else value
            size = self.length(None if data is None else len(data), f.type == "string", f.inflexible)
            return size + (data or b"")
        if f.type == "bool":
            return b"\x01" if value else b"\x00"
        if f.type == "uuid":
            return value.bytes
        return struct.pack(_FORMATS[f.type], value)

    def length(self, n, short, inflexible=False):
        if self.flexible and not inflexible:
            return uvarint(0 if n is None else n + 1)
        return struct.pack(">h" if short else ">i", -1 if n is None else n)


class Decoder:
    def __init__(self, message, version, data):
        self.version = version
        self.flexible = version in message.flexible
        self.data, self.at = data, 0

    def take(self, n):
        if n < 0 or self.at + n > len(self.data):
            raise ValueError(f"the response ends at {len(self.data)}, {n} bytes are needed at {self.at}")
        self.at += n
        return self.data[self.at - n:self.at]

    def uvarint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def length(self, short, inflexible=False):
        if self.flexible and not inflexible:
            return self.uvarint() - 1
        return struct.unpack(">h" if short else ">i", self.take(2 if short else 4))[0]

    def struct(self, structure):
        value, tags = {}, {}
        for f in structure.wire_fields():
            if self.version not in f.versions:
                continue
            if f.tag is None:
                value[f.name] = self.field(f)
            else:
                tags[f.tag] = f
        if self.flexible:
            for _ in range(self.uvarint()):
                tag, size = self.uvarint(), self.uvarint()
                end = self.at + size
                if tag not in tags:
                    raise ValueError(f"tag {tag} is unknown in {structure.name}")
                value[tags[tag].name] = self.field(tags[tag])
                if self.at != end:
                    raise ValueError(f"tag {tag} of {structure.name} says {size} bytes")
        return value

    def field(self, f):
        if f.array:
            count = self.length(False)
            return None if count < 0 else [self.one(f, False) for _ in range(count)]
        return self.one(f, True)

    def one(self, f, alone):
        if f.structure:
            if alone and self.version in f.nullable and self.take(1) == b"\xff":
                return None
            return self.struct(f.structure)
        if f.type in _TEXTS:
            size = self.length(f.type == "string", f.inflexible)
            if size < 0:
                return None
            data = self.take(size)
            return data.decode() if f.type == "string" else data
        if f.type == "bool":
            return self.take(1) != b"\x00"
        if f.type == "uuid":
            return uuid.UUID(bytes=self.take(16))
        form = _FORMATS[f.type]
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]


def encode(message, version, value):
    return Encoder(message, version).struct(message.root, value, message.name)


def decode(message, version, data):
    """Every byte has to be used."""
    decoder = Decoder(message, version, data)
    value = decoder.struct(message.root)
    if decoder.at != len(data):
        raise ValueError(f"{message.name} v{version}: {len(data) - decoder.at} bytes are left over")
    return value


def request_frame(api, version, correlation, value, client_id="raw"):
    """Header and body, without the size; for a version that the texts lack, `value` is the body's bytes."""
    flexible = version in api.flexible or version > api.versions.last and api.flexible.last >= api.versions.last
    client = struct.pack(">h", -1) if client_id is None else struct.pack(">h", len(client_id)) + client_id.encode()
    header = struct.pack(">hhi", api.key, version, correlation) + client + (b"\x00" if flexible else b"")
    return header + (value if isinstance(value, bytes) else encode(api.request, version, value))


def read_response(api, version, data):
    """(correlation id, body)."""
    decoder = Decoder(api.response, version, data)
    correlation = struct.unpack(">i", decoder.take(4))[0]
    if decoder.flexible and api.name != "ApiVersions":  # its answer must be readable before versions are known (KIP-511)
        if decoder.take(1) != b"\x00":
            raise ValueError("tags in a response header")
    return correlation, decode(api.response, version, data[decoder.at:])
