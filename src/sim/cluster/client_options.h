// What the simulated clients work on.
#pragma once
#include <string>

#include "io/transport.h"

namespace moldau::sim {

struct ClientTarget {
  io::Endpoint broker;
  std::string topic;
  int32_t partition = 0;
};

}  // namespace moldau::sim
