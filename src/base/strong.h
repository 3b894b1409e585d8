// Strong<Tag, Rep>: an integer that can't be mistaken for another kind of integer.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace moldau {

template <class Tag, class Rep>
struct Strong {
  using rep = Rep;
  Rep value{};

  constexpr Strong() = default;
  constexpr explicit Strong(Rep v) : value(v) {}
  constexpr auto operator<=>(const Strong&) const = default;
  constexpr Strong& operator++() { return ++value, *this; }

  // A distance is a plain number; position + distance is a position.
  friend constexpr Strong operator+(Strong a, Rep d) { return Strong(a.value + d); }
  friend constexpr Strong operator-(Strong a, Rep d) { return Strong(a.value - d); }
  friend constexpr Rep operator-(Strong a, Strong b) { return a.value - b.value; }

  template <class H>
  friend H AbslHashValue(H h, Strong s) {
    return H::combine(std::move(h), s.value);
  }
};

}  // namespace moldau

template <class Tag, class Rep>
struct std::hash<moldau::Strong<Tag, Rep>> {
  size_t operator()(moldau::Strong<Tag, Rep> s) const noexcept { return std::hash<Rep>{}(s.value); }
};
