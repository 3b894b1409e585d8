#include "protocol/table_codec.h"

#include "protocol/field_access.h"

namespace moldau::protocol {
namespace {

class TableDecoder {
 public:
  TableDecoder(Decoder& in, int16_t version, bool flexible)
      : in_(in), version_(version), flexible_(flexible) {}

  bool structure(const StructInfo& info, void* at) {
    for (const FieldInfo& field : info.untagged())
      if (field.versions.contains(version_) && !named(field, member(at, field))) return false;
    if (!flexible_) return true;
    const size_t begin = in_.position();
    in_.tagged_part([&](uint32_t tag) {
      for (const FieldInfo& field : info.tagged())
        if (static_cast<uint32_t>(field.tag) == tag && field.versions.contains(version_))
          return named(field, member(at, field)), true;
      return false;
    });
    if (!in_.ok() && where_.empty()) where_ = "tagged fields", begin_ = begin;
    return in_.ok();
  }
  std::string& where() { return where_; }
  size_t field_begin() const { return begin_; }

 private:
  // Decodes the field; on failure puts its name in front of what failed within it.
  bool named(const FieldInfo& field, void* at) {
    const size_t begin = in_.position();
    value(field, at);
    if (in_.ok()) [[likely]]
      return true;
    if (where_.empty()) begin_ = begin;
    const bool within = !where_.empty() && where_.front() != '[';
    where_ = field.name + (within ? "." + where_ : where_);
    return false;
  }

  void value(const FieldInfo& field, void* at) {
    const bool nullable = field.nullable.contains(version_);
    const bool compact = flexible_ && !field.is(FieldInfo::kInflexible);
    if (field.is(FieldInfo::kArray)) return array(field, at, compact, nullable);
    if (field.type == FieldType::kStruct) return single(field, at, nullable);
    with_scalar(field.type, [&]<class T>(T*) {
      if constexpr (std::is_same_v<T, std::string_view>) {
        if (field.is(FieldInfo::kOptional))
          in_.string(compact, nullable, as<std::optional<T>>(at));
        else
          as<T>(at) = in_.string(compact);
      } else if constexpr (std::is_same_v<T, Bytes>) {
        if (field.is(FieldInfo::kOptional))
          in_.bytes_field(compact, nullable, as<std::optional<T>>(at));
        else
          as<T>(at) = in_.bytes_field(compact);
      } else if constexpr (std::is_same_v<T, Records>) {
        if (field.is(FieldInfo::kOptional))
          in_.records(compact, nullable, as<std::optional<T>>(at));
        else
          as<T>(at) = in_.records(compact);
      } else if constexpr (std::is_same_v<T, Uuid>) {
        as<T>(at) = in_.uuid();
      } else if constexpr (std::is_same_v<T, bool>) {
        as<T>(at) = in_.boolean();
      } else if constexpr (std::is_same_v<T, double>) {
        as<T>(at) = in_.f64();
      } else if constexpr (sizeof(T) == 1) {
        as<T>(at) = in_.i8();
      } else if constexpr (sizeof(T) == 2) {
        as<T>(at) = static_cast<T>(in_.i16());
      } else if constexpr (sizeof(T) == 4) {
        as<T>(at) = static_cast<T>(in_.i32());
      } else {
        as<T>(at) = in_.i64();
      }
    });
  }

  void single(const FieldInfo& field, void* at, bool nullable) {
    if (!field.is(FieldInfo::kOptional)) return void(structure(*field.structure, at));
    // Within a tagged field the marker is a varint: 0 or 1.
    const bool present = !nullable || (field.tagged() ? in_.uvarint() != 0 : in_.struct_follows());
    if (!in_.ok()) return;
    if (present)
      structure(*field.structure, field.structure->ops.emplace(at));
    else
      field.structure->ops.clear(at);
  }

  void array(const FieldInfo& field, void* at, bool compact, bool nullable) {
    if (field.type == FieldType::kStruct) return structs(field, at, compact, nullable);
    with_scalar(field.type, [&]<class T>(T*) {
      if constexpr (kStandsInArray<T>) {
        if (field.is(FieldInfo::kOptional))
          in_.array(compact, nullable, as<std::optional<std::vector<T>>>(at));
        else
          in_.array(compact, as<std::vector<T>>(at));
      }
    });
  }

  void structs(const FieldInfo& field, void* at, bool compact, bool nullable) {
    const StructInfo& info = *field.structure;
    const int64_t n = in_.array_length(compact, nullable, info.least_bytes, info.size);
    if (!in_.ok()) return;
    if (n == Decoder::kNull) return info.ops.clear_vector(at);
    void* vector = field.is(FieldInfo::kOptional) ? info.ops.emplace_vector(at) : at;
    auto* element = static_cast<uint8_t*>(info.ops.resize(vector, static_cast<size_t>(n)));
    for (int64_t i = 0; i < n; ++i, element += info.size) {
      if (structure(info, element)) [[likely]]
        continue;
      where_ = "[" + std::to_string(i) + "]" + (where_.empty() ? "" : "." + where_);
      return;
    }
  }

  Decoder& in_;
  const int16_t version_;
  const bool flexible_;
  std::string where_;
  size_t begin_ = 0;
};

class TableEncoder {
 public:
  TableEncoder(Encoder& out, int16_t version, bool flexible)
      : out_(out), version_(version), flexible_(flexible) {}

  void structure(const StructInfo& info, const void* at) {
    for (const FieldInfo& field : info.untagged())
      if (field.versions.contains(version_)) value(field, member(at, field));
    if (!flexible_) return;
    uint32_t count = 0;
    for (const FieldInfo& field : info.tagged()) count += written(field, at);
    out_.uvarint(count);
    if (count == 0) return;
    for (const FieldInfo& field : info.tagged())
      if (written(field, at))
        out_.tagged(static_cast<uint32_t>(field.tag), [&] { value(field, member(at, field)); });
  }

 private:
  bool written(const FieldInfo& field, const void* structure) const {
    return field.versions.contains(version_) && !is_default(field, member(structure, field));
  }

  void value(const FieldInfo& field, const void* at) {
    const bool nullable = field.nullable.contains(version_);
    const bool compact = flexible_ && !field.is(FieldInfo::kInflexible);
    if (field.is(FieldInfo::kArray)) return array(field, at, compact, nullable);
    if (field.type == FieldType::kStruct) return single(field, at, nullable);
    with_scalar(field.type, [&]<class T>(T*) {
      if constexpr (std::is_same_v<T, std::string_view>) {
        if (field.is(FieldInfo::kOptional))
          out_.string(compact, nullable, as<std::optional<T>>(at));
        else
          out_.string(compact, as<T>(at));
      } else if constexpr (std::is_same_v<T, Bytes>) {
        if (field.is(FieldInfo::kOptional))
          out_.bytes_field(compact, nullable, as<std::optional<T>>(at));
        else
          out_.bytes_field(compact, as<T>(at));
      } else if constexpr (std::is_same_v<T, Records>) {
        if (field.is(FieldInfo::kOptional))
          out_.records(compact, nullable, as<std::optional<T>>(at));
        else
          out_.records(compact, as<T>(at));
      } else if constexpr (std::is_same_v<T, Uuid>) {
        out_.uuid(as<T>(at));
      } else if constexpr (std::is_same_v<T, bool>) {
        out_.boolean(as<T>(at));
      } else if constexpr (std::is_same_v<T, double>) {
        out_.f64(as<T>(at));
      } else if constexpr (sizeof(T) == 1) {
        out_.i8(as<T>(at));
      } else if constexpr (sizeof(T) == 2) {
        out_.u16(static_cast<uint16_t>(as<T>(at)));
      } else if constexpr (sizeof(T) == 4) {
        out_.u32(static_cast<uint32_t>(as<T>(at)));
      } else {
        out_.i64(as<T>(at));
      }
    });
  }

  void single(const FieldInfo& field, const void* at, bool nullable) {
    const void* value = struct_value(field, at);
    if (nullable && field.tagged())
      out_.uvarint(value ? 1 : 0);
    else if (nullable)
      out_.i8(value ? 1 : -1);
    if (value)
      structure(*field.structure, value);
    else
      ASSERT(nullable, "the schema compiler lets a struct be null in all its versions or in none");
  }

  void array(const FieldInfo& field, const void* at, bool compact, bool nullable) {
    if (field.type == FieldType::kStruct) return structs(field, at, compact, nullable);
    with_scalar(field.type, [&]<class T>(T*) {
      if constexpr (kStandsInArray<T>) {
        const std::vector<T>* values = scalar_array<T>(field, at);
        if (values)
          out_.array(compact, *values);
        else if (nullable)
          out_.null32(compact);
        else
          out_.length32(compact, 0);
      }
    });
  }

  void structs(const FieldInfo& field, const void* at, bool compact, bool nullable) {
    const StructArray elements = struct_array(field, at);
    if (elements.null && nullable) return out_.null32(compact);
    out_.length32(compact, elements.count);
    for (size_t i = 0; i < elements.count; ++i)
      structure(*field.structure, elements.first + i * field.structure->size);
  }

  Encoder& out_;
  const int16_t version_;
  const bool flexible_;
};

}  // namespace

bool decode_with_tables(const MessageInfo& info, Decoder& in, int16_t version, void* message,
                        std::string& where) {
  TableDecoder decoder(in, version, info.flexible.contains(version));
  if (decoder.structure(*info.root, message)) return true;
  where = decoder.where() + " at byte " + std::to_string(decoder.field_begin());
  return false;
}

void encode_with_tables(const MessageInfo& info, const void* message, int16_t version, Encoder& out) {
  TableEncoder(out, version, info.flexible.contains(version)).structure(*info.root, message);
}

}  // namespace moldau::protocol
