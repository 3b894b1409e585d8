// How the table-driven code reaches the members that a FieldInfo describes.
#pragma once
#include <utility>

#include "base/assert.h"
#include "protocol/message.h"

namespace moldau::protocol {

inline void* member(void* structure, const FieldInfo& field) {
  return static_cast<uint8_t*>(structure) + field.offset;
}
inline const void* member(const void* structure, const FieldInfo& field) {
  return static_cast<const uint8_t*>(structure) + field.offset;
}

template <class T>
T& as(void* p) {
  return *static_cast<T*>(p);
}
template <class T>
const T& as(const void* p) {
  return *static_cast<const T*>(p);
}

// Calls f with a null pointer of the type that a scalar of `type` has in memory.
template <class F>
decltype(auto) with_scalar(FieldType type, F&& f) {
  switch (type) {
    case FieldType::kBool: return f(static_cast<bool*>(nullptr));
    case FieldType::kInt8: return f(static_cast<int8_t*>(nullptr));
    case FieldType::kInt16: return f(static_cast<int16_t*>(nullptr));
    case FieldType::kUint16: return f(static_cast<uint16_t*>(nullptr));
    case FieldType::kInt32: return f(static_cast<int32_t*>(nullptr));
    case FieldType::kUint32: return f(static_cast<uint32_t*>(nullptr));
    case FieldType::kInt64: return f(static_cast<int64_t*>(nullptr));
    case FieldType::kFloat64: return f(static_cast<double*>(nullptr));
    case FieldType::kUuid: return f(static_cast<Uuid*>(nullptr));
    case FieldType::kString: return f(static_cast<std::string_view*>(nullptr));
    case FieldType::kBytes: return f(static_cast<Bytes*>(nullptr));
    case FieldType::kRecords: return f(static_cast<Records*>(nullptr));
    case FieldType::kStruct: break;
  }
  ASSERT(false, "a struct is no scalar");
  std::unreachable();
}

template <class T>
using Pointee = std::remove_pointer_t<T>;

// Element types that stand in arrays of scalars.
template <class T>
inline constexpr bool kStandsInArray = !std::is_same_v<T, bool> && !std::is_same_v<T, double> &&
                                       !std::is_same_v<T, Bytes> && !std::is_same_v<T, Records>;

// The vector of an array field of type T, or null if the field is null.
template <class T>
const std::vector<T>* scalar_array(const FieldInfo& field, const void* at) {
  if (!field.is(FieldInfo::kOptional)) return &as<std::vector<T>>(at);
  const auto& maybe = as<std::optional<std::vector<T>>>(at);
  return maybe ? &*maybe : nullptr;
}

// The structs of an array field; first is null if the field is null.
struct StructArray {
  const uint8_t* first = nullptr;
  size_t count = 0;
  bool null = false;
};
inline StructArray struct_array(const FieldInfo& field, const void* at) {
  const ContainerOps& ops = field.structure->ops;
  const void* vector = field.is(FieldInfo::kOptional) ? ops.get_vector(at) : at;
  StructArray out;
  out.null = vector == nullptr;
  if (vector) out.first = static_cast<const uint8_t*>(ops.view(vector, out.count));
  return out;
}
// A struct field's struct, or null if the field is null.
inline const void* struct_value(const FieldInfo& field, const void* at) {
  return field.is(FieldInfo::kOptional) ? field.structure->ops.get(at) : at;
}

bool is_default(const FieldInfo& field, const void* at);

}  // namespace moldau::protocol
