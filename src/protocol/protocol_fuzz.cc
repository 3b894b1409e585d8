// Feeds bytes to every decoder. The first two bytes choose: a message (the third then chooses its version), a request
// frame, a metadata record, or JSON. What decodes must encode and decode to the same again, through both codecs and
// JSON; and decoding may never hold more memory than 64 times its input and 1 MiB.
//
//   protocol_fuzz --write-seeds DIRECTORY     writes the golden vectors as a corpus
//   protocol_fuzz -max_total_time=60 DIRECTORY
#include <sanitizer/allocator_interface.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/assert.h"
#include "protocol/any_message.h"
#include "protocol/codec.h"
#include "protocol/frame.h"
#include "protocol/json.h"
#include "protocol/metadata_record.h"
#include "protocol/testdata/golden_vectors.h"

namespace {

// Bytes on the heap now, and the most since it was last set.
int64_t live = 0;
int64_t peak = 0;

void count_malloc(const volatile void*, size_t size) {
  live += static_cast<int64_t>(size);
  if (live > peak) peak = live;
}
void count_free(const volatile void* p) {
  if (p) live -= static_cast<int64_t>(__sanitizer_get_allocated_size(p));
}

}  // namespace

namespace moldau::protocol {
namespace {

// Decodes within the bound on memory; a reason of its own for each failure is in the stack trace.
bool decodes(const MessageInfo& info, Bytes bytes, int16_t version, AnyMessage& out, CodecKind codec,
             size_t* left = nullptr) {
  Decoder in(bytes);
  const int64_t before = peak = live;
  const Status done = decode(info, in, version, out.get(), codec);
  ASSERT(static_cast<size_t>(peak - before) <= kAllocationPerByte * bytes.size() + kAllocationAllowance,
         "decoding took too much memory");
  if (left) *left = in.remaining();
  return done.has_value();
}

void check_json(const MessageInfo& info, const AnyMessage& message, int16_t version) {
  const std::string json = to_json(info, message.get(), version);
  if (json.find("\xef\xbf\xbd") != json.npos || json.find("NaN") != json.npos)
    return;  // shown otherwise than they are
  AnyMessage read(info);
  Arena arena;
  ASSERT(from_json(info, json, read.get(), arena).has_value());
  ASSERT(same_value(*info.root, message.get(), read.get()));
}

void check_message(const MessageInfo& info, int16_t version, Bytes bytes) {
  AnyMessage tables(info), direct(info);
  size_t left = 0, left_direct = 0;
  const bool ok = decodes(info, bytes, version, tables, CodecKind::kTables, &left);
  ASSERT(decodes(info, bytes, version, direct, CodecKind::kFastest, &left_direct) == ok);
  if (!ok) return;
  ASSERT(left == left_direct);
  ASSERT(same_value(*info.root, tables.get(), direct.get()));
  ASSERT(check_encodable(info, tables.get(), version).has_value());
  Encoder out, out_direct;
  encode(info, tables.get(), version, out, CodecKind::kTables);
  encode(info, tables.get(), version, out_direct, CodecKind::kFastest);
  ASSERT(out.ok() && equal(out.view(), out_direct.view()));
  AnyMessage again(info);
  ASSERT(decodes(info, out.view(), version, again, CodecKind::kFastest, &left));
  ASSERT(left == 0);
  ASSERT(same_value(*info.root, tables.get(), again.get()));
  check_json(info, tables, version);
}

void check_request(Bytes bytes) {
  Decoder in(bytes);
  const auto head = decode_request_header(in);
  if (!head || !head->api->versions.contains(head->header.request_api_version)) return;
  check_message(*head->api->request, head->header.request_api_version, bytes.subspan(in.position()));
}

void check_record(Bytes bytes) {
  const auto record = decode_metadata_record(bytes);
  if (!record) return;
  Encoder out;
  encode_metadata_record(record->record, record->version, out);
  const auto again = decode_metadata_record(out.view());
  ASSERT(again && again->version == record->version && again->record.index() == record->record.index());
}

void check_text(Bytes bytes) {
  const MessageInfo& info = *find_api("Fetch")->response;
  AnyMessage message(info);
  Arena arena;
  if (from_json(info, as_text(bytes), message.get(), arena)) to_json(info, message.get(), info.versions.last);
}

std::string seed(size_t choice, std::string_view rest) {
  std::string out{static_cast<char>(choice >> 8), static_cast<char>(choice)};
  return out += rest;
}

void write_seeds(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  size_t number = 0;
  const auto write = [&](const std::string& bytes) {
    std::ofstream(directory / std::to_string(number++), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  const auto all = all_messages();
  for (const GoldenMessage& g : golden_messages(MOLDAU_TESTDATA)) {
    const auto at = static_cast<size_t>(std::find(all.begin(), all.end(), g.info) - all.begin());
    write(seed(at, std::string(1, static_cast<char>(g.version - g.info->versions.first)) + g.bytes));
    if (g.info->kind == MessageKind::kMetadataRecord) write(seed(all.size() + 1, g.framed));
    if (g.message == "FetchResponse") write(seed(all.size() + 2, g.json));
  }
  for (const GoldenFrame& g : golden_frames(MOLDAU_TESTDATA))
    if (g.info->kind == MessageKind::kRequest) write(seed(all.size(), std::string_view(g.bytes).substr(4)));
  std::printf("%zu seeds\n", number);
}

}  // namespace
}  // namespace moldau::protocol

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::string_view((*argv)[1]) == "--write-seeds") {
    moldau::protocol::write_seeds((*argv)[2]);
    std::exit(0);
  }
  return __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) > 0 ? 0 : 1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace moldau::protocol;
  if (size < 3) return 0;
  const auto all = all_messages();
  const size_t choice = (size_t{data[0]} << 8 | data[1]) % (all.size() + 3);
  const moldau::Bytes rest{data + 2, size - 2};
  if (choice < all.size()) {
    const MessageInfo& info = *all[choice];
    const int count = info.versions.last - info.versions.first + 1;
    check_message(info, static_cast<int16_t>(info.versions.first + data[2] % count), rest.subspan(1));
  } else if (choice == all.size()) {
    check_request(rest);
  } else if (choice == all.size() + 1) {
    check_record(rest);
  } else {
    check_text(rest);
  }
  return 0;
}
