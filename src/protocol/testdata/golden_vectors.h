// The golden vectors in testdata/: what Apache Kafka 4.4 writes for every message and version. For tests only.
//
//   messages.tsv.zst   kind, message, version, case, bytes in hex, the same framed as it is stored (or empty), JSON
//   frames.tsv.zst     message, version, header version, case, where the body begins, the whole frame in hex
//
// Cases: default, full (no field has its default), nulls, empty, extremes, unknown-tags (can only be decoded).
#pragma once
#include <zstd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "protocol/message.h"

namespace moldau::protocol {

struct GoldenMessage {
  std::string kind, message, name;  // name: the case
  int16_t version = 0;
  std::string bytes, framed, json;
  const MessageInfo* info = nullptr;
};

struct GoldenFrame {
  std::string message, name;
  int16_t version = 0, header_version = 0;
  size_t body_offset = 0;
  std::string bytes;
  const MessageInfo* info = nullptr;
};

inline std::string from_hex(std::string_view hex) {
  std::string out;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return out;
}

inline const MessageInfo* info_of(std::string_view message) {
  for (const MessageInfo* info : all_messages())
    if (info->name == message) return info;
  return nullptr;
}

inline std::vector<std::vector<std::string>> read_table(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  ASSERT(size < (1u << 30), "a file of testdata is missing or damaged");
  std::string text(size, '\0');
  ASSERT(ZSTD_decompress(text.data(), size, packed.data(), packed.size()) == size);
  std::vector<std::vector<std::string>> rows;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    auto& row = rows.emplace_back(1);
    for (char c : std::string_view(text).substr(begin, end - begin)) {
      if (c == '\t')
        row.emplace_back();
      else
        row.back() += c;
    }
  }
  return rows;
}

inline std::vector<GoldenMessage> golden_messages(const std::string& testdata) {
  std::vector<GoldenMessage> out;
  for (auto& row : read_table(testdata + "/messages.tsv.zst"))
    out.push_back({row[0], row[1], row[3], static_cast<int16_t>(std::stoi(row[2])), from_hex(row[4]),
                   from_hex(row[5]), row[6], info_of(row[1])});
  return out;
}

inline std::vector<GoldenFrame> golden_frames(const std::string& testdata) {
  std::vector<GoldenFrame> out;
  for (auto& row : read_table(testdata + "/frames.tsv.zst"))
    out.push_back({row[0], row[3], static_cast<int16_t>(std::stoi(row[1])),
                   static_cast<int16_t>(std::stoi(row[2])), static_cast<size_t>(std::stoul(row[4])),
                   from_hex(row[5]), info_of(row[0])});
  return out;
}

}  // namespace moldau::protocol
