// Arbitrary bytes as a producer snapshot, as they are and with the version, checksum and count that fit: refused, or read
// as a state that, written and read again, is the same.
#include <algorithm>
#include <string>

#include "base/assert.h"
#include "base/crc32c.h"
#include "base/endian.h"
#include "log/state/producer_snapshot.h"

namespace {

using namespace moldau;

constexpr size_t kHead = 10;
constexpr size_t kEntry = 46;
constexpr WallMs kNow = 1'700'000'000'000;

void restore(ProducerState& state, Bytes content) {
  const auto entries = parse_producer_snapshot(content);
  if (!entries) return;
  for (const SnapshotEntry& entry : *entries) state.restore(entry.id, entry.state, kNow);
}

void check(Bytes content) {
  ProducerState state, again;
  restore(state, content);
  for (const auto& [id, entry] : state.entries()) {
    ASSERT(entry.batch_count <= 1 && entry.last_seen_ms <= kNow);
    if (entry.in_transaction()) ASSERT(*state.first_undecided() <= entry.transaction_start);
  }
  const std::string written = format_producer_snapshot(state);
  ASSERT(written.size() == kHead + state.size() * kEntry);
  restore(again, as_bytes(written));
  ASSERT(format_producer_snapshot(again) == written);
  ASSERT(again.first_undecided() == state.first_undecided());
  state.remove_expired(kNow, 1000);
}

std::string made_plausible(Bytes bytes) {
  std::string content(kHead + bytes.size() / kEntry * kEntry, '\0');
  std::copy_n(bytes.begin(), content.size() - kHead, content.begin() + kHead);
  auto* p = reinterpret_cast<uint8_t*>(content.data());
  store_be<int16_t>(p, 1);
  store_be<int32_t>(p + 6, static_cast<int32_t>(bytes.size() / kEntry));
  store_be<uint32_t>(p + 2, crc32c(as_bytes(content).subspan(6)));
  return content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes(data, size);
  check(bytes);
  check(as_bytes(made_plausible(bytes)));
  return 0;
}
