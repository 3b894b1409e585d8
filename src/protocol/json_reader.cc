#include <charconv>
#include <limits>

#include "protocol/field_access.h"
#include "protocol/json.h"
#include "protocol/json_value.h"

namespace moldau::protocol {
namespace {

using Kind = JsonValue::Kind;

class JsonReader {
 public:
  explicit JsonReader(Arena& arena) : arena_(arena) {}

  bool structure(const StructInfo& info, void* at, const JsonValue& json) {
    if (json.kind != Kind::kObject) return refuse("must be an object");
    for (const auto& [name, value] : json.members) {
      const FieldInfo* field = find(info, name);
      if (!field) return where_ = name, refuse("is no field of this message");
      if (this->value(*field, member(at, *field), value)) continue;
      const bool within = !where_.empty() && where_.front() != '[';
      where_ = name + (within ? "." + where_ : where_);
      return false;
    }
    return true;
  }
  std::string sentence() const { return (where_.empty() ? "the message" : where_) + " " + why_; }

 private:
  bool refuse(const char* why) { return why_ = why, false; }

  static const FieldInfo* find(const StructInfo& info, std::string_view name) {
    for (const FieldInfo& field : info.all())
      if (field.name == name) return &field;
    return nullptr;
  }

  bool value(const FieldInfo& field, void* at, const JsonValue& json) {
    if (json.kind == Kind::kNull && !field.is(FieldInfo::kOptional)) return refuse("can't be null");
    if (field.type == FieldType::kStruct)
      return field.is(FieldInfo::kArray) ? structs(field, at, json) : single(field, at, json);
    return with_scalar(field.type, [&]<class T>(T*) {
      if (field.is(FieldInfo::kArray)) {
        if constexpr (kStandsInArray<T>) return array<T>(field, at, json);
        return false;
      }
      if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, Bytes> ||
                    std::is_same_v<T, Records>) {
        if (field.is(FieldInfo::kOptional)) {
          auto& maybe = as<std::optional<T>>(at);
          if (json.kind == Kind::kNull) return maybe.reset(), true;
          return scalar(maybe.emplace(), json);
        }
      }
      return scalar(as<T>(at), json);
    });
  }

  bool single(const FieldInfo& field, void* at, const JsonValue& json) {
    const ContainerOps& ops = field.structure->ops;
    if (!field.is(FieldInfo::kOptional)) return structure(*field.structure, at, json);
    if (json.kind == Kind::kNull) return ops.clear(at), true;
    return structure(*field.structure, ops.emplace(at), json);
  }

  bool structs(const FieldInfo& field, void* at, const JsonValue& json) {
    const StructInfo& info = *field.structure;
    if (json.kind == Kind::kNull) return info.ops.clear_vector(at), true;
    if (json.kind != Kind::kArray) return refuse("must be an array");
    void* vector = field.is(FieldInfo::kOptional) ? info.ops.emplace_vector(at) : at;
    auto* element = static_cast<uint8_t*>(info.ops.resize(vector, json.elements.size()));
    for (size_t i = 0; i < json.elements.size(); ++i, element += info.size) {
      if (structure(info, element, json.elements[i])) continue;
      where_ = "[" + std::to_string(i) + "]" + (where_.empty() ? "" : "." + where_);
      return false;
    }
    return true;
  }

  template <class T>
  bool array(const FieldInfo& field, void* at, const JsonValue& json) {
    std::vector<T>* values = nullptr;
    if (field.is(FieldInfo::kOptional)) {
      auto& maybe = as<std::optional<std::vector<T>>>(at);
      if (json.kind == Kind::kNull) return maybe.reset(), true;
      values = &maybe.emplace();
    } else {
      values = &as<std::vector<T>>(at);
    }
    if (json.kind != Kind::kArray) return refuse("must be an array");
    values->resize(json.elements.size());
    for (size_t i = 0; i < values->size(); ++i) {
      if (scalar((*values)[i], json.elements[i])) continue;
      where_ = "[" + std::to_string(i) + "]";
      return false;
    }
    return true;
  }

  template <class T>
  bool scalar(T& out, const JsonValue& json) {
    if constexpr (std::is_same_v<T, bool>) {
      out = json.boolean;
      return json.kind == Kind::kBool || refuse("must be true or false");
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      out = arena_.keep(json.text);
      return json.kind == Kind::kString || refuse("must be a string");
    } else if constexpr (std::is_same_v<T, Uuid>) {
      const auto id = Uuid::parse(json.text);
      out = id.value_or(Uuid{});
      return (json.kind == Kind::kString && id) || refuse("must be a uuid: 22 characters of URL-safe base64");
    } else if constexpr (std::is_same_v<T, Bytes> || std::is_same_v<T, Records>) {
      auto bytes = parse_base64(json.text);
      if (json.kind != Kind::kString || !bytes) return refuse("must be bytes in base64");
      out = T(arena_.keep_bytes(std::move(*bytes)));
      return true;
    } else {
      return number(out, json);
    }
  }

  template <class T>
  bool number(T& out, const JsonValue& json) {
    const std::string& text = json.text;
    if constexpr (std::is_same_v<T, double>) {
      if (json.kind == Kind::kString) {
        out = text == "NaN" ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity();
        if (text == "-Infinity") out = -out;
        return text == "NaN" || text == "Infinity" || text == "-Infinity" || refuse("must be a number");
      }
    }
    const auto end = std::from_chars(text.data(), text.data() + text.size(), out);
    if (json.kind != Kind::kNumber || end.ptr != text.data() + text.size())
      return refuse("must be a number of its type");
    return end.ec == std::errc() || refuse("is out of its type's range");
  }

  Arena& arena_;
  std::string where_;
  const char* why_ = "";
};

}  // namespace

Status from_json(const MessageInfo& info, std::string_view json, void* message, Arena& arena) {
  TRY_ASSIGN(const JsonValue value, parse_json(json));
  info.reset(message);
  JsonReader reader(arena);
  if (reader.structure(*info.root, message, value)) return {};
  return fail(ErrorCode::kInvalidRequest, std::string(info.name) + ": " + reader.sentence());
}

}  // namespace moldau::protocol
