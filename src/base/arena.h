// Arena: keeps strings alive for views that point to them, such as those of a protocol message that is being put
// together. Move it along with the message.
#pragma once
#include <deque>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace moldau {

class Arena {
 public:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  Bytes keep_bytes(std::string bytes) { return as_bytes(texts_.emplace_back(std::move(bytes))); }

 private:
  std::deque<std::string> texts_;  // elements never move
};

}  // namespace moldau
