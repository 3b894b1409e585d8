"""The schema texts as values. The notation is described in docs/WIRE.md."""
import re
from dataclasses import dataclass, field as dataclass_field
from pathlib import Path

SCALARS = {"bool": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "float64": 8, "uuid": 16,
           "string": 0, "bytes": 0, "records": 0}
NULLABLE_SCALARS = {"string", "bytes", "records"}


class SchemaError(Exception):
    pass


@dataclass(frozen=True)
class Range:
    first: int
    last: int

    def __contains__(self, version):
        return self.first <= version <= self.last

    def __iter__(self):
        return iter(range(self.first, self.last + 1))


EMPTY = Range(0, -1)


@dataclass
class Field:
    name: str
    json: str
    type: str            # a scalar, or a struct's name
    array: bool
    versions: Range
    nullable: Range      # EMPTY: never
    tag: int | None = None
    default: str | None = None  # as written; None: the zero value
    ignorable: bool = False
    key: bool = False
    inflexible: bool = False
    structure: "Struct | None" = None

    @property
    def optional(self):
        return self.nullable != EMPTY

    @property
    def shown_versions(self):
        return str(self.versions.first) if self.versions.first == self.versions.last else f"{self.versions.first}-{self.versions.last}"


@dataclass(eq=False)
class Struct:
    name: str
    fields: list = dataclass_field(default_factory=list)
    used_in: list = dataclass_field(default_factory=list)  # version ranges of the fields that have this type
    in_array: bool = False
    in_optional: bool = False
    in_optional_array: bool = False

    def wire_fields(self):
        """Untagged ones in order, then tagged ones by tag: the order of the bytes."""
        tagged = sorted((f for f in self.fields if f.tag is not None), key=lambda f: f.tag)
        return [f for f in self.fields if f.tag is None] + tagged


@dataclass
class Message:
    name: str
    kind: str            # as MessageKind has it, without the k
    key: int
    versions: Range
    flexible: Range
    version_prefix: bool = False
    root: Struct | None = None
    structs: list = dataclass_field(default_factory=list)  # inner ones first, without the root
    api: "Api | None" = None
    hot: bool = False


@dataclass
class Api:
    key: int
    name: str
    versions: Range = EMPTY
    flexible: Range = EMPTY
    advertised: Range = EMPTY
    listeners: tuple = ()
    unstable: int | None = None  # the first version that isn't yet promised
    cluster_action: bool = False
    forwardable: bool = False
    hot: bool = False
    request: Message | None = None
    response: Message | None = None


@dataclass
class Unit:
    """What one schema text declares."""
    path: Path           # relative to schema/, without suffix
    messages: list = dataclass_field(default_factory=list)
    apis: list = dataclass_field(default_factory=list)
    topic: str = ""      # of coordinator records: group, transaction or share


def camel(snake):
    head, *rest = snake.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def snake(pascal):
    return re.sub(r"(?<=[a-z0-9])([A-Z])|(?<=[A-Z])([A-Z])(?=[a-z])", lambda m: "_" + m.group(0), pascal).lower()


def least_bytes(fields, version, flexible):
    """The fewest bytes that a struct takes at a version."""
    total = 1 if flexible else 0
    for f in fields:
        if f.tag is not None or version not in f.versions:
            continue
        if f.array:
            total += 1 if flexible else 4
        elif f.structure:
            total += 1 if version in f.nullable else least_bytes(f.structure.fields, version, flexible)
        elif f.type == "string":
            total += 1 if flexible and not f.inflexible else 2
        elif f.type in NULLABLE_SCALARS:
            total += 1 if flexible else 4
        else:
            total += SCALARS[f.type]
    return total


def least_bytes_of(message, structure):
    """Over all versions that have the struct. What stands in arrays never has none: a count would cost nothing."""
    versions = {v for used in structure.used_in for v in used if v in message.versions}
    least = min(least_bytes(structure.fields, v, v in message.flexible) for v in versions)
    if structure.in_array and least == 0:
        raise SchemaError(f"{message.name}: elements of type {structure.name} take no bytes in some version")
    return max(least, 1)


def all_messages(units):
    return [m for unit in units for m in unit.messages]


def all_apis(units):
    return sorted((a for unit in units for a in unit.apis), key=lambda a: a.key)
