// Messages as JSON, in the form that Kafka's own converters print: fields in the schema's order under their camelCase names,
// without those that the version lacks and without tagged ones that have their default; bytes and records as standard
// base64, uuids as URL-safe base64 without padding, 64-bit integers as plain numbers, NaN and infinities as strings.
#pragma once
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/result.h"
#include "protocol/message.h"

namespace moldau::protocol {

// Bytes of strings that aren't UTF-8 are shown as U+FFFD. External records are shown as empty ones.
std::string to_json(const MessageInfo& info, const void* message, int16_t version);

// Fields that are left out keep their defaults. The strings and bytes of the message are views into the arena.
// Error: INVALID_REQUEST with the field and the reason; unknown fields and numbers out of range are errors.
Status from_json(const MessageInfo& info, std::string_view json, void* message, Arena& arena);

template <Message T>
std::string to_json(const T& message, int16_t version) {
  return to_json(T::kInfo, &message, version);
}

template <Message T>
Status from_json(std::string_view json, T& message, Arena& arena) {
  return from_json(T::kInfo, json, &message, arena);
}

}  // namespace moldau::protocol
