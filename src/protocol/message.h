// What generated message structs are made of, and the tables that describe them.
//
// A message is a plain struct, nested structs inside it, members in the order of its schema. Decoded strings, bytes and
// records are views into the frame: the frame must outlive the struct. What a version lacks keeps its default.
// The tables drive the codec of all but the hot messages, JSON, comparison and the check before encoding.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/uuid.h"
#include "protocol/records.h"

namespace moldau::protocol {

struct VersionRange {  // both ends included; empty if last < first
  int16_t first = 0;
  int16_t last = -1;
  constexpr bool contains(int16_t version) const { return version >= first && version <= last; }
  constexpr bool empty() const { return last < first; }
  constexpr bool operator==(const VersionRange&) const = default;
};

enum class FieldType : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kFloat64,
  kUuid,
  kString,
  kBytes,
  kRecords,
  kStruct
};

// Access to the containers of one struct type without knowing it. Entries that no field needs are null.
struct ContainerOps {
  void* (*resize)(void* vector, size_t count) = nullptr;  // elements become default ones; returns the first
  const void* (*view)(const void* vector, size_t& count) = nullptr;
  void* (*emplace)(void* optional) = nullptr;  // optional<T>
  void (*clear)(void* optional) = nullptr;
  const void* (*get)(const void* optional) = nullptr;  // null: nothing in it
  void* (*emplace_vector)(void* optional) = nullptr;   // optional<vector<T>>; returns the vector
  void (*clear_vector)(void* optional) = nullptr;
  const void* (*get_vector)(const void* optional) = nullptr;
};

struct StructInfo;

struct FieldInfo {
  static constexpr uint8_t kArray = 1, kOptional = 2, kIgnorable = 4, kMapKey = 8, kDefaultsToNull = 16,
                           kInflexible = 32;

  const char* name;             // as JSON has it
  const StructInfo* structure;  // of a struct, or of an array's elements; else null
  int64_t default_number;
  VersionRange versions;
  VersionRange nullable;  // where null may be written; kOptional is set if any version has it
  uint16_t offset;
  FieldType type;
  int8_t tag;  // -1: not a tagged field
  uint8_t flags;

  constexpr bool is(uint8_t flag) const { return (flags & flag) != 0; }
  constexpr bool tagged() const { return tag >= 0; }
};

struct StructInfo {
  const char* name;
  const FieldInfo* fields;  // untagged ones in wire order, then tagged ones by tag
  uint16_t field_count;
  uint16_t tagged_count;  // how many of them are tagged
  uint32_t size;          // of the C++ struct
  uint32_t least_bytes;   // that an encoded one has in any version; at least 1 for what stands in an array
  ContainerOps ops;

  std::span<const FieldInfo> all() const { return {fields, field_count}; }
  std::span<const FieldInfo> untagged() const { return all().first(field_count - tagged_count); }
  std::span<const FieldInfo> tagged() const { return all().last(tagged_count); }
};

enum class MessageKind : uint8_t {
  kRequest,
  kResponse,
  kHeader,
  kMetadataRecord,
  kCoordinatorKey,
  kCoordinatorValue,
  kRemoteLogRecord,
  kData
};

class Decoder;
class Encoder;

struct MessageInfo {
  const char* name;
  MessageKind kind;
  int16_t key;  // API key or record type; -1: none
  VersionRange versions;
  VersionRange flexible;
  bool version_prefix;  // stands behind its version as an int16 where it is stored
  const StructInfo* root;
  void* (*create)();
  void (*destroy)(void*);
  void (*reset)(void*);                                     // back to the defaults
  void (*direct_decode)(Decoder&, int16_t version, void*);  // null: the tables do it
  void (*direct_encode)(Encoder&, int16_t version, const void*);
};

template <class T>
concept Message = requires {
  { T::kInfo } -> std::same_as<const MessageInfo&>;
};

// Messages by the tables; every message of `schema/`, requests and responses by API key first.
std::span<const MessageInfo* const> all_messages();

}  // namespace moldau::protocol
