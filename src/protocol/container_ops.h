// What the generated tables need of each struct type; a container that no field has costs no code.
#pragma once
#include <memory>

#include "protocol/message.h"

namespace moldau::protocol {

template <class T, bool kInArray, bool kInOptional, bool kInOptionalArray>
constexpr ContainerOps container_ops() {
  using Vector = std::vector<T>;
  ContainerOps ops;
  if constexpr (kInArray) {
    ops.resize = [](void* v, size_t count) -> void* {
      auto& vector = *static_cast<Vector*>(v);
      vector = Vector(count);
      return vector.data();
    };
    ops.view = [](const void* v, size_t& count) -> const void* {
      const auto& vector = *static_cast<const Vector*>(v);
      count = vector.size();
      return vector.data();
    };
  }
  if constexpr (kInOptional) {
    ops.emplace = [](void* o) -> void* { return &static_cast<std::optional<T>*>(o)->emplace(); };
    ops.clear = [](void* o) { static_cast<std::optional<T>*>(o)->reset(); };
    ops.get = [](const void* o) -> const void* {
      const auto& optional = *static_cast<const std::optional<T>*>(o);
      return optional ? &*optional : nullptr;
    };
  }
  if constexpr (kInOptionalArray) {
    ops.emplace_vector = [](void* o) -> void* { return &static_cast<std::optional<Vector>*>(o)->emplace(); };
    ops.clear_vector = [](void* o) { static_cast<std::optional<Vector>*>(o)->reset(); };
    ops.get_vector = [](const void* o) -> const void* {
      const auto& optional = *static_cast<const std::optional<Vector>*>(o);
      return optional ? &*optional : nullptr;
    };
  }
  return ops;
}

template <class T>
void* create() {
  return new T;
}
template <class T>
void destroy(void* p) {
  delete static_cast<T*>(p);
}
template <class T>
void reset(void* p) {
  std::destroy_at(static_cast<T*>(p)), std::construct_at(static_cast<T*>(p));
}

}  // namespace moldau::protocol
