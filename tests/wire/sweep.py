"""Variations of a right request: in turn each field that a version has takes each value of its type's table, wrong ones among
them, and null whether allowed or not; each array is emptied, and its first element doubled. Nothing here talks to a broker."""
import copy
import uuid

DOUBLED = object()  # as a value: the array with its first element twice
INTEGERS = {"int8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64}
VALUES = {
    "bool": (False, True),
    "string": ("", "..", "sweep-none", "with space", "ünïcode", "n" * 250, None),
    "uuid": (uuid.UUID(int=0), uuid.UUID(int=1), uuid.UUID(int=77)),
    "bytes": (b"", b"\x00", None),
    "records": (b"", b"\x00" * 70, None),
    "float64": (-1.0, 0.0, 0.5, 1e300, float("inf"), float("nan")),
}


def values_of(field):
    if field.type in INTEGERS:
        bits = INTEGERS[field.type]
        if field.type.startswith("u"):
            return (0, 1, (1 << bits) - 1)
        return (-(1 << bits - 1), -2, -1, 0, 1, 2, (1 << bits - 1) - 1)
    return VALUES[field.type]


def variations(message, version, body, instead=None):
    """(label, path, value) of each. `instead` has values by field name, in place of the type's."""
    yield from _of_struct(message.root, version, body, (), instead or {})


def _of_struct(structure, version, value, path, instead):
    for field in structure.fields:
        if version not in field.versions:
            continue
        here = (*path, field.name)
        current = value.get(field.name)
        if field.array:
            yield from _of_array(field, version, current, here, instead)
        elif field.structure:
            if version in field.nullable:
                yield _named(here, "null"), here, None
            if current or version not in field.nullable:
                yield from _of_struct(field.structure, version, current or {}, here, instead)
        else:
            yield from ((_named(here, v), here, v) for v in instead.get(field.name, values_of(field)))


def _of_array(field, version, current, path, instead):
    if field.name in instead:
        yield from ((_named(path, v), path, v) for v in instead[field.name])
        return
    yield _named(path, "null"), path, None
    yield _named(path, "empty"), path, []
    if not current:
        return
    yield _named(path, "doubled"), path, DOUBLED
    first = (*path, 0)
    if field.structure:
        yield from _of_struct(field.structure, version, current[0], first, instead)
    else:
        yield from ((_named(first, v), first, v) for v in instead.get(field.name, values_of(field)))


def changed(body, path, value):
    """The body with another value at the path."""
    body = copy.deepcopy(body)
    at = body
    for step in path[:-1]:
        at = at[step] if isinstance(step, int) else at.setdefault(step, {})
    last = path[-1]
    at[last] = [copy.deepcopy(at[last][0]), *at[last]] if value is DOUBLED else value
    return body


def _named(path, value):
    name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
    shown = f"id {value.int}" if isinstance(value, uuid.UUID) else value if value in ("null", "empty", "doubled") else repr(value)
    return f"{name} = {shown}" if len(shown) <= 24 else f"{name} = {shown[:12]}… ({len(shown)})"
