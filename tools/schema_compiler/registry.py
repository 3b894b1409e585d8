"""Writes what speaks of all messages: API keys and their table, record types, the list of messages."""
from .model import all_apis, all_messages
from .structs import enumerator, header_path, record_enum, shouted


def enum_text(name, rows, comment):
    return [comment, f"enum class {name} : int16_t {{", *(f"  k{text} = {number}," for text, number in rows), "};", ""]


def api_keys(units):
    rows = [(a.name, a.key) for a in all_apis(units)]
    return "\n".join(["// Made from schema/api.", "#pragma once", "#include <cstdint>", "", "namespace moldau::protocol {", "",
                      *enum_text("ApiKey", rows, "// Numbers of the requests. api_info.h says what is known of each."),
                      "}  // namespace moldau::protocol", ""])


def record_types(units):
    enums = {}
    for unit in units:
        for m in unit.messages:
            if m.key >= 0 and not m.api and m.kind != "CoordinatorValue":
                enums.setdefault(record_enum(m, unit), []).append((enumerator(m), m.key))
    out = ["// Made from schema/.", "#pragma once", "#include <cstdint>", "", "namespace moldau::protocol {", ""]
    for name, rows in sorted(enums.items()):
        out += enum_text(name, sorted(rows, key=lambda row: row[1]), f"// {name}: the number in front of such a record.")
    return "\n".join(out + ["}  // namespace moldau::protocol", ""])


def metadata_records(units):
    """The list of record types that src/protocol/metadata_record.h makes a variant of."""
    of_log = sorted(((m.key, unit, m) for unit in units for m in unit.messages if m.kind == "MetadataRecord"), key=lambda row: row[0])
    names = ", ".join(m.name for _, _, m in of_log)
    out = ["// Made from schema/metadata.", "#pragma once", *(f'#include "{header_path(unit)}"' for _, unit, _ in of_log), "",
           "namespace moldau::protocol {", "", "// All metadata records, by type; Apply<std::variant> is a variant of them.",
           "struct MetadataRecords {", "  template <template <class...> class Of>", f"  using Apply = Of<{names}>;", "};", ""]
    return "\n".join(out + ["}  // namespace moldau::protocol", ""])


def api_row(a):
    def shown(r):
        return f"{{{r.first}, {r.last}}}"
    last_stable = a.versions.last if a.unstable is None else a.unstable - 1
    has = [str(on).lower() for on in ("broker" in a.listeners, "controller" in a.listeners, a.cluster_action, a.forwardable)]
    messages = f"&{a.request.name}::kInfo, &{a.response.name}::kInfo" if a.request else "nullptr, nullptr"
    return (f'    {{ApiKey::k{a.name}, "{a.name}", "{shouted(a.name)}", {shown(a.versions)}, {shown(a.flexible)}, '
            f"{shown(a.advertised)}, {last_stable}, {', '.join(has)}, {messages}}},")


def registry(units):
    messages = sorted(all_messages(units), key=lambda m: (m.api is None, m.key if m.api else 0, m.kind, m.key, m.name))
    apis = all_apis(units)
    ok = [a.key for a in apis] == list(range(len(apis)))
    assert ok, "API keys have a gap"
    out = ["// Made from schema/.", '#include "protocol/api_info.h"']
    out += [f'#include "{header_path(unit)}"' for unit in units if unit.messages]
    out += ["", "namespace moldau::protocol {", "namespace {", "", "constexpr ApiInfo kApis[] = {", *map(api_row, apis), "};", "",
            "constexpr const MessageInfo* kMessages[] = {", *(f"    &{m.name}::kInfo," for m in messages), "};", "",
            "}  // namespace", "", "std::span<const ApiInfo> all_apis() { return kApis; }",
            "std::span<const MessageInfo* const> all_messages() { return kMessages; }", "", "}  // namespace moldau::protocol", ""]
    return "\n".join(out)
