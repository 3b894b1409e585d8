// Who appends: decides how much of a producer's state is checked.
#pragma once
#include <cstdint>

namespace moldau {

enum class AppendOrigin : uint8_t {
  kClient,       // everything is checked, duplicates are found
  kCoordinator,  // epochs and transactions are checked; offset commits and markers carry no sequences
  kReplication,  // nothing is refused: the leader has checked. Oddities count in ProducerState::oddities()
  kRaftLeader,   // the metadata log: offsets and epochs are in the batches already
};

}  // namespace moldau
