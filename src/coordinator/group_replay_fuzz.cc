// Arbitrary bytes as records of __consumer_offsets: replay takes or refuses them, and whatever groups come out of it can be
// joined, expired and written down again.
#include "base/assert.h"
#include "base/reader.h"
#include "coordinator/group_shard.h"

namespace {

using namespace moldau;

void check(const GroupShard& shard) {
  for (const auto& [id, group] : shard.groups()) {
    std::map<std::string, std::string, std::less<>> assignment;
    for (const auto& [member, m] : group.members()) assignment.emplace(member, m.assignment);
    const GroupRecord record = group_record(id, group.to_record(assignment));
    GroupShard again({});
    ASSERT(again.replay(as_bytes(record.key), as_bytes(*record.value), Offset(0)),
           "what is written can be read");
    ASSERT(again.groups().contains(id), "under its name");
    const ClassicGroup& other = again.groups().find(id)->second;
    ASSERT(other.size() == group.size() && other.leader() == group.leader(), "and is the same");
  }
}

}  // namespace

// Records as uint8 kind, uint16 length and key, uint16 length and value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Reader in({data, size});
  GroupShard shard({});
  for (int64_t offset = 0; in.remaining() > 3 && offset < 100; ++offset) {
    const uint8_t kind = in.u8();
    const Bytes key = in.bytes(std::min<size_t>(in.u16(), in.remaining()));
    std::optional<Bytes> value;
    if (kind & 1 && in.remaining() > 2) value = in.bytes(std::min<size_t>(in.u16(), in.remaining()));
    const ProducerId producer = kind & 2 ? ProducerId(kind >> 4) : kNoProducerId;
    if (kind & 4) shard.replay_end_transaction(ProducerId(kind >> 4), kind & 8);
    (void)shard.replay(key, value, Offset(offset), producer);
  }
  check(shard);
  Moment now{Instant(std::chrono::hours(1)), 1'000'000'000};
  (void)shard.loaded(now);
  for (int i = 0; i < 200 && shard.next_deadline(); ++i) {
    now.now = std::max(now.now, *shard.next_deadline());
    now.wall_ms += 60'000;
    const Effects effects = shard.expire(now);
    for (const GroupRecord& r : effects.records) {
      const auto bytes = r.value ? std::optional(as_bytes(*r.value)) : std::nullopt;
      if (effects.replay)
        ASSERT(shard.replay(as_bytes(r.key), bytes, Offset(1000 + i)), "what was planned can be replayed");
    }
  }
  return 0;
}
