"""Reads schema texts. Every complaint names the file and the line."""
from pathlib import Path

from .model import EMPTY, NULLABLE_SCALARS, SCALARS, Api, Field, Message, Range, SchemaError, Struct, Unit, camel

ALWAYS_HOT = {"Header", "MetadataRecord"}
RECORD_KINDS = {"metadata": "MetadataRecord", "remote_log": "RemoteLogRecord"}


def parse_all(folder):
    paths = sorted(Path(folder).glob("*/*.schema"))
    if not paths:
        raise SchemaError(f"no schema texts in {folder}")
    units = [UnitParser(path, path.relative_to(folder).with_suffix("")).parse() for path in paths]
    seen = {}
    for unit in units:
        for m in unit.messages:
            if m.name in seen:
                raise SchemaError(f"{m.name} is declared in {seen[m.name]} and in {unit.path}")
            seen[m.name] = unit.path
    return units


class UnitParser:
    def __init__(self, path, name):
        self.path = path
        self.unit = Unit(name)
        self.number = 0

    def fail(self, why):
        raise SchemaError(f"{self.path}:{self.number}: {why}")

    def parse(self):
        self.message = None
        for self.number, raw in enumerate(self.path.read_text().splitlines(), 1):
            line = raw.split("#")[0].rstrip()
            if not line:
                continue
            if line[0] == " ":
                self.field(line)
            else:
                self.declaration(line.split())
        self.finish()
        return self.unit

    # Declarations: what stands at the left edge.

    def declaration(self, words):
        keyword = words[0]
        if keyword == "api":
            self.api(words)
        elif keyword in ("request", "response"):
            self.start(self.of_api(keyword))
        elif keyword in ("header", "data"):
            options = self.options(words[2:])
            self.start(self.versioned(words[1], keyword.capitalize(), -1, options))
        elif keyword in RECORD_KINDS:
            self.start(self.versioned(words[2], RECORD_KINDS[keyword], int(words[1]), self.options(words[3:])))
        elif keyword == "coordinator":
            self.unit.topic, self.type, self.base = words[1], int(words[2]), words[3]
        elif keyword in ("key", "value"):
            suffix = keyword.capitalize()
            self.start(self.versioned(self.base + suffix, "Coordinator" + suffix, self.type, self.options(words[1:])))
        else:
            self.fail(f"unknown declaration '{keyword}'")

    def options(self, words):
        """`versions 3-13 flexible 9+ listeners broker controller hot` as a dictionary of lists."""
        known = ("versions", "flexible", "listeners", "advertised", "unstable", "prefix", "removed", "cluster_action",
                 "forwardable", "hot")
        out, current = {}, None
        for word in words:
            if word in known:
                current = out.setdefault(word, [])
            elif current is None:
                self.fail(f"unknown option '{word}'")
            else:
                current.append(word)
        return out

    def range(self, text, end=None):
        try:
            if text.endswith("+"):
                if end is None:
                    self.fail(f"'{text}' needs an end")
                return Range(int(text[:-1]), end)
            first, _, last = text.partition("-")
            return Range(int(first), int(last or first))
        except ValueError:
            self.fail(f"'{text}' is no range of versions")

    def versioned(self, name, kind, key, options):
        versions = self.range(options["versions"][0])
        flexible = self.range(options["flexible"][0], versions.last) if "flexible" in options else EMPTY
        return Message(name, kind, key, versions, flexible, version_prefix="prefix" in options, hot=kind in ALWAYS_HOT)

    def api(self, words):
        options = self.options(words[3:])
        api = Api(int(words[1]), words[2], cluster_action="cluster_action" in options, hot="hot" in options)
        self.unit.apis.append(api)
        if "removed" in options:
            return
        api.versions = self.range(options["versions"][0])
        api.flexible = self.range(options["flexible"][0], api.versions.last) if "flexible" in options else EMPTY
        api.advertised = self.range(options["advertised"][0]) if "advertised" in options else api.versions
        api.listeners = tuple(options["listeners"])
        api.unstable = int(options["unstable"][0]) if "unstable" in options else None
        api.forwardable = "forwardable" in options

    def of_api(self, keyword):
        api = self.unit.apis[-1]
        message = Message(api.name + keyword.capitalize(), keyword.capitalize(), api.key, api.versions, api.flexible,
                          api=api, hot=api.hot)
        setattr(api, keyword, message)
        return message

    # Fields: indentation is structure.

    def start(self, message):
        self.finish()
        self.message = message
        message.root = Struct(message.name, used_in=[message.versions])
        self.unit.messages.append(message)
        self.by_name = {}
        self.open = [(0, message.root)]  # (indentation, struct) of the structs that a field may be added to

    def finish(self):
        if self.message:
            for structure in self.message.structs:
                if not structure.fields:
                    self.fail(f"{structure.name} has no fields")

    def field(self, line):
        indentation = len(line) - len(line.lstrip())
        while self.open[-1][0] >= indentation:
            self.open.pop()
        if not self.open:
            self.open.append((0, self.message.root))
        parent = self.open[-1][1]
        words = line.split()
        if len(words) < 3:
            self.fail("a field is: name, type, versions")
        f = self.typed(*words[:3])
        self.attributes(f, words[3:])
        self.check(f)
        parent.fields.append(f)
        if f.type not in SCALARS:
            self.structure(f, indentation)

    def typed(self, name, kind, versions):
        nullable = kind.endswith("?")
        kind = kind.removesuffix("?")
        array = kind.startswith("[]")
        kind = kind.removeprefix("[]")
        if kind not in SCALARS and not kind[0].isupper():
            self.fail(f"unknown type '{kind}'")
        present = self.range(versions, self.message.versions.last)
        return Field(name, camel(name), kind, array, present, present if nullable else EMPTY)

    def attributes(self, f, words):
        words = list(words)
        while words:
            word = words.pop(0)
            if word in ("ignorable", "key", "inflexible"):
                setattr(f, word, True)
            elif word == "tag":
                f.tag = int(words.pop(0))
            elif word == "null":
                f.nullable = self.range(words.pop(0), self.message.versions.last)
            elif word == "=":
                f.default = words.pop(0)
            elif word == "json":
                f.json = words.pop(0)
            else:
                self.fail(f"unknown attribute '{word}'")

    def check(self, f):
        m = self.message
        if not (m.versions.first <= f.versions.first <= f.versions.last <= m.versions.last):
            self.fail(f"{f.name} has versions that {m.name} lacks")
        if f.optional and not f.array and f.type in SCALARS and f.type not in NULLABLE_SCALARS:
            self.fail(f"a {f.type} can't be null")
        if f.optional and not f.array and f.type not in SCALARS and f.nullable != f.versions:
            self.fail(f"{f.name}: a struct may be null in all its versions or in none")
        if f.array and f.type in ("bool", "float64", "bytes", "records"):
            self.fail(f"no message has an array of {f.type} yet: teach field_access.h first")
        if f.tag is not None and (f.tag > 63 or f.versions.first not in m.flexible):
            self.fail(f"{f.name}: tags are at most 63, and only in flexible versions")
        if f.default == "null" and not f.optional:
            self.fail(f"{f.name} defaults to null, but can't be null")

    def structure(self, f, indentation):
        structure = self.by_name.get(f.type)
        if structure is None:
            structure = self.by_name[f.type] = Struct(f.type)
            self.message.structs.append(structure)
            self.open.append((indentation, structure))
        f.structure = structure
        structure.used_in.append(f.versions)
        structure.in_array |= f.array
        structure.in_optional |= f.optional and not f.array
        structure.in_optional_array |= f.optional and f.array
