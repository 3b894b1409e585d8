// TopicAccess: which topics the sender of a request may see and touch. Authorisation decides, planners ask,
// by name.
#pragma once
#include <functional>
#include <string_view>

namespace moldau {

struct TopicAccess {
  using Test = std::function<bool(std::string_view topic)>;  // empty: all of them
  Test create;
  Test describe;
  Test describe_configs;
  Test remove;
  Test alter;

  static bool allows(const Test& test, std::string_view topic) { return !test || test(topic); }
};

}  // namespace moldau
