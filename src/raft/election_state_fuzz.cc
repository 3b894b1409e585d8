// Arbitrary bytes as the file quorum-state: refused, or read as what is then written again.
#include "base/assert.h"
#include "base/bytes.h"
#include "raft/election_state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace moldau;
  const auto state = parse_election_state(as_text({data, size}));
  if (!state) return 0;
  const auto again = parse_election_state(format_election_state(*state));
  ASSERT(again && *again == *state);
  return 0;
}
