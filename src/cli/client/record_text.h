// Records as lines: JSON objects, which `moldau consume` prints and `moldau produce` reads, and the bytes in them.
//
//   {"topic":"orders","partition":0,"offset":5,"timestamp":1764504000000,"key":"k","value":"v","headers":[{"key":"a","value":"b"}]}
//
// Bytes that are no UTF-8 text stand in base64 under key_base64, value_base64. A null is null.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "record/record.h"

namespace moldau::cli {

std::string record_json(std::string_view topic, int32_t partition, const RecordView& record);

struct RecordToSend {
  std::optional<std::string> key, value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
  std::optional<WallMs> timestamp;
  std::optional<int32_t> partition;
};

// topic and offset are read over. Error: INVALID_REQUEST with what is wrong.
Result<RecordToSend> parse_record(std::string_view json);

bool is_utf8(std::string_view text);
// The partition that Kafka's own clients choose for a key.
int32_t partition_of_key(std::string_view key, int32_t partitions);

}  // namespace moldau::cli
