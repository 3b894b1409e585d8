// Arena: keeps strings alive for views that point to them, such as those of a protocol message that is being put
// together. Move it along with the message.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace moldau {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;  // a copy would leave its views behind
  Arena& operator=(Arena&&) = default;

  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  Bytes keep_bytes(std::string bytes) { return as_bytes(texts_.emplace_back(std::move(bytes))); }
  // What the other one keeps is kept here from now on.
  void adopt(Arena other) { adopted_.push_back(std::move(other)); }

 private:
  std::deque<std::string> texts_;  // elements never move
  std::vector<Arena> adopted_;
};

}  // namespace moldau
