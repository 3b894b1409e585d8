// What can be said of a message's values with the tables alone: equality, defaults, whether a version can carry them.
#include <cstring>

#include "protocol/codec.h"
#include "protocol/field_access.h"

namespace moldau::protocol {
namespace {

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Bytes>)
    return equal(a, b);
  else if constexpr (std::is_same_v<T, Records>)
    return a.is_external() == b.is_external() &&
           (a.is_external() ? a.token() == b.token() && a.size() == b.size() : equal(a.bytes(), b.bytes()));
  else if constexpr (std::is_same_v<T, double>)
    return std::memcmp(&a, &b, sizeof a) == 0;  // a NaN equals itself
  else
    return a == b;
}

template <class T>
constexpr bool kMayBeNull =
    std::is_same_v<T, std::string_view> || std::is_same_v<T, Bytes> || std::is_same_v<T, Records>;

bool equal_scalars(const FieldInfo& field, const void* a, const void* b) {
  return with_scalar(field.type, [&]<class T>(T*) {
    if constexpr (kStandsInArray<T>) {
      if (field.is(FieldInfo::kArray)) {
        const auto* left = scalar_array<T>(field, a);
        const auto* right = scalar_array<T>(field, b);
        return left && right ? *left == *right : left == right;
      }
    }
    if constexpr (kMayBeNull<T>) {
      if (field.is(FieldInfo::kOptional)) {
        const auto& left = as<std::optional<T>>(a);
        const auto& right = as<std::optional<T>>(b);
        return left && right ? same(*left, *right) : left.has_value() == right.has_value();
      }
    }
    return same(as<T>(a), as<T>(b));
  });
}

bool equal_structs(const FieldInfo& field, const void* a, const void* b) {
  const StructInfo& info = *field.structure;
  if (!field.is(FieldInfo::kArray)) {
    const void* left = struct_value(field, a);
    const void* right = struct_value(field, b);
    return left && right ? same_value(info, left, right) : left == right;
  }
  const StructArray left = struct_array(field, a);
  const StructArray right = struct_array(field, b);
  if (left.null != right.null || left.count != right.count) return false;
  for (size_t i = 0; i < left.count; ++i)
    if (!same_value(info, left.first + i * info.size, right.first + i * info.size)) return false;
  return true;
}

// An array: has a default one this many elements? Nullable ones default to null or to none.
bool is_default_array(const FieldInfo& field, const void* at) {
  const bool null_by_default = field.is(FieldInfo::kDefaultsToNull);
  if (field.type == FieldType::kStruct) {
    const StructArray elements = struct_array(field, at);
    return elements.null ? null_by_default : !null_by_default && elements.count == 0;
  }
  return with_scalar(field.type, [&]<class T>(T*) {
    if constexpr (kStandsInArray<T>) {
      const auto* values = scalar_array<T>(field, at);
      return values ? !null_by_default && values->empty() : null_by_default;
    }
    return false;
  });
}

bool is_default_struct(const FieldInfo& field, const void* at) {
  const void* value = struct_value(field, at);
  if (!value || field.is(FieldInfo::kDefaultsToNull)) return !value && field.is(FieldInfo::kDefaultsToNull);
  for (const FieldInfo& inner : field.structure->all())
    if (!is_default(inner, member(value, inner))) return false;
  return true;
}

class EncodableCheck {
 public:
  EncodableCheck(int16_t version) : version_(version) {}

  bool structure(const StructInfo& info, const void* at) {
    for (const FieldInfo& field : info.all()) {
      if (check(field, member(at, field))) continue;
      const bool within = !where_.empty() && where_.front() != '[';
      where_ = field.name + (within ? "." + where_ : where_);
      return false;
    }
    return true;
  }
  std::string sentence() const { return where_ + " " + why_; }

 private:
  bool refuse(const char* why) { return why_ = why, false; }

  bool check(const FieldInfo& field, const void* at) {
    if (!field.versions.contains(version_))
      return field.is(FieldInfo::kIgnorable) || is_default(field, at) ||
             refuse("has a value, but this version lacks the field");
    const bool nullable = field.nullable.contains(version_);
    if (field.type == FieldType::kStruct) return structs(field, at, nullable);
    return with_scalar(field.type, [&]<class T>(T*) { return scalar<T>(field, at, nullable); });
  }

  bool structs(const FieldInfo& field, const void* at, bool nullable) {
    const StructInfo& info = *field.structure;
    if (!field.is(FieldInfo::kArray)) {
      const void* value = struct_value(field, at);
      return value ? structure(info, value) : nullable || refuse("is null, which this version can't say");
    }
    const StructArray elements = struct_array(field, at);
    if (elements.null) return nullable || refuse("is null, which this version can't say");
    for (size_t i = 0; i < elements.count; ++i) {
      if (structure(info, elements.first + i * info.size)) continue;
      where_ = "[" + std::to_string(i) + "]." + where_;
      return false;
    }
    return true;
  }

  template <class T>
  bool scalar(const FieldInfo& field, const void* at, bool nullable) {
    if constexpr (kStandsInArray<T>) {
      if (field.is(FieldInfo::kArray)) {
        const auto* values = scalar_array<T>(field, at);
        if (!values) return nullable || refuse("is null, which this version can't say");
        for (const T& v : *values)
          if (!fits(v)) return refuse("has a string of more than 32767 bytes");
        return true;
      }
    }
    if constexpr (kMayBeNull<T>) {
      if (field.is(FieldInfo::kOptional)) {
        const auto& value = as<std::optional<T>>(at);
        if (!value) return nullable || refuse("is null, which this version can't say");
        return fits(*value) || refuse("is longer than 32767 bytes");
      }
    }
    return fits(as<T>(at)) || refuse("is longer than 32767 bytes");
  }
  template <class T>
  static bool fits(const T& v) {
    if constexpr (std::is_same_v<T, std::string_view>) return v.size() <= kMaxStringBytes;
    return true;
  }

  const int16_t version_;
  std::string where_;
  const char* why_ = "";
};

}  // namespace

bool same_value(const StructInfo& structure, const void* a, const void* b) {
  for (const FieldInfo& field : structure.all()) {
    const void* left = member(a, field);
    const void* right = member(b, field);
    const bool same = field.type == FieldType::kStruct ? equal_structs(field, left, right)
                                                       : equal_scalars(field, left, right);
    if (!same) return false;
  }
  return true;
}

bool is_default(const FieldInfo& field, const void* at) {
  if (field.is(FieldInfo::kArray)) return is_default_array(field, at);
  if (field.type == FieldType::kStruct) return is_default_struct(field, at);
  return with_scalar(field.type, [&]<class T>(T*) {
    if constexpr (kMayBeNull<T>) {
      if (!field.is(FieldInfo::kOptional)) return as<T>(at).empty();
      const auto& value = as<std::optional<T>>(at);
      return field.is(FieldInfo::kDefaultsToNull) ? !value : value && value->empty();
    } else if constexpr (std::is_same_v<T, Uuid>) {
      return as<T>(at).is_zero();
    } else {
      return as<T>(at) == static_cast<T>(field.default_number);
    }
  });
}

Status check_encodable(const MessageInfo& info, const void* message, int16_t version) {
  EncodableCheck check(version);
  if (check.structure(*info.root, message)) return {};
  return fail(ErrorCode::kInvalidRequest,
              std::string(info.name) + " version " + std::to_string(version) + ": " + check.sentence());
}

}  // namespace moldau::protocol
