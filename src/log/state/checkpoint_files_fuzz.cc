// Arbitrary bytes as each of the small text files of a data directory: refused, or read as what is then written again.
#include "base/assert.h"
#include "base/bytes.h"
#include "log/state/checkpoint_files.h"

namespace {

using namespace moldau;

template <class Parse, class Format>
void round_trip(std::string_view text, const Parse& parse, const Format& format) {
  const auto read = parse(text);
  if (!read) return;
  const auto again = parse(format(*read));
  ASSERT(again && *again == *read);
}

// The file names epochs in any order; what a log takes of them rises (E1).
void assign_all(const std::vector<EpochEntry>& entries) {
  LeaderEpochs epochs;
  for (const EpochEntry& entry : entries) epochs.assign(entry.epoch, entry.start);
  const auto taken = epochs.entries();
  for (size_t i = 1; i < taken.size(); ++i)
    ASSERT(taken[i - 1].epoch < taken[i].epoch && taken[i - 1].start < taken[i].start);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = as_text({data, size});
  round_trip(text, parse_offset_checkpoint, format_offset_checkpoint);
  round_trip(text, parse_leader_epochs, [](const auto& entries) { return format_leader_epochs(entries); });
  round_trip(text, parse_partition_metadata, format_partition_metadata);
  round_trip(text, parse_clean_shutdown, format_clean_shutdown);
  round_trip(text, parse_meta_properties, format_meta_properties);
  if (const auto entries = parse_leader_epochs(text)) assign_all(*entries);
  return 0;
}
