// For tests: the vectors in testdata, written by Apache Kafka 4.4's own classes. One JSON object a line,
// compressed.
#pragma once
#include <boost/json.hpp>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "record/decompressor.h"

namespace moldau::test {

using Json = boost::json::value;

inline std::vector<Json> golden_vectors(const std::string& file) {
  std::ifstream in(std::string(MOLDAU_TESTDATA) + "/" + file + ".jsonl.zst", std::ios::binary);
  const std::string compressed((std::istreambuf_iterator<char>(in)), {});
  Decompressor decompressor;
  std::istringstream lines(decompressor.whole(Codec::kZstd, as_bytes(compressed), 64 << 20).value());
  std::vector<Json> vectors;
  for (std::string line; std::getline(lines, line);) vectors.push_back(boost::json::parse(line));
  return vectors;
}

inline std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  return out;
}

inline std::string to_hex(Bytes bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const uint8_t b : bytes) out.push_back(kDigits[b >> 4]), out.push_back(kDigits[b & 15]);
  return out;
}

inline std::string text(const Json& object, const char* field) {
  return object.at(field).as_string().c_str();
}
inline int64_t number(const Json& object, const char* field) {
  return object.at(field).to_number<int64_t>();
}
inline std::string bytes_of(const Json& vector) {
  return from_hex(vector.at("hex").as_string());
}

}  // namespace moldau::test
