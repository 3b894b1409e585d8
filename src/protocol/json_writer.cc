#include <algorithm>

#include "protocol/field_access.h"
#include "protocol/json.h"
#include "protocol/json_value.h"

namespace moldau::protocol {
namespace {

class JsonWriter {
 public:
  explicit JsonWriter(int16_t version) : version_(version) {}

  void structure(const StructInfo& info, const void* at) {
    out_ += '{';
    const char* separator = "";
    for (const FieldInfo* field : in_schema_order(info)) {
      const void* value = member(at, *field);
      if (!field->versions.contains(version_) || (field->tagged() && is_default(*field, value))) continue;
      ((out_ += separator) += '"') += field->name;
      out_ += "\":";
      this->value(*field, value);
      separator = ",";
    }
    out_ += '}';
  }
  std::string take() { return std::move(out_); }

 private:
  // The tables have the order of the bytes, tagged fields last; members of the struct have the schema's.
  static std::vector<const FieldInfo*> in_schema_order(const StructInfo& info) {
    std::vector<const FieldInfo*> out;
    for (const FieldInfo& field : info.all()) out.push_back(&field);
    std::ranges::sort(out, {}, &FieldInfo::offset);
    return out;
  }

  void value(const FieldInfo& field, const void* at) {
    if (field.type == FieldType::kStruct) return structs(field, at);
    with_scalar(field.type, [&]<class T>(T*) {
      if (field.is(FieldInfo::kArray)) {
        if constexpr (kStandsInArray<T>) array(scalar_array<T>(field, at));
        return;
      }
      if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, Bytes> ||
                    std::is_same_v<T, Records>) {
        if (field.is(FieldInfo::kOptional)) {
          const auto& maybe = as<std::optional<T>>(at);
          return maybe ? scalar(*maybe) : void(out_ += "null");
        }
      }
      scalar(as<T>(at));
    });
  }

  template <class T>
  void array(const std::vector<T>* values) {
    if (!values) return void(out_ += "null");
    out_ += '[';
    for (size_t i = 0; i < values->size(); ++i) {
      if (i > 0) out_ += ',';
      scalar((*values)[i]);
    }
    out_ += ']';
  }

  void structs(const FieldInfo& field, const void* at) {
    const StructInfo& info = *field.structure;
    if (!field.is(FieldInfo::kArray)) {
      const void* value = struct_value(field, at);
      return value ? structure(info, value) : void(out_ += "null");
    }
    const StructArray elements = struct_array(field, at);
    if (elements.null) return void(out_ += "null");
    out_ += '[';
    for (size_t i = 0; i < elements.count; ++i) {
      if (i > 0) out_ += ',';
      structure(info, elements.first + i * info.size);
    }
    out_ += ']';
  }

  template <class T>
  void scalar(const T& v) {
    if constexpr (std::is_same_v<T, std::string_view>)
      append_json_string(out_, v);
    else if constexpr (std::is_same_v<T, Bytes>)
      base64(v);
    else if constexpr (std::is_same_v<T, Records>)
      base64(v.bytes());
    else if constexpr (std::is_same_v<T, Uuid>)
      ((out_ += '"') += v.text()) += '"';
    else if constexpr (std::is_same_v<T, double>)
      append_json_number(out_, v);
    else if constexpr (std::is_same_v<T, bool>)
      out_ += v ? "true" : "false";
    else
      out_ += std::to_string(v);
  }
  void base64(Bytes v) {
    out_ += '"';
    append_base64(out_, v);
    out_ += '"';
  }

  const int16_t version_;
  std::string out_;
};

}  // namespace

std::string to_json(const MessageInfo& info, const void* message, int16_t version) {
  JsonWriter writer(version);
  writer.structure(*info.root, message);
  return writer.take();
}

}  // namespace moldau::protocol
