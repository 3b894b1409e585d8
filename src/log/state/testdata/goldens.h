// For tests: bytes of files that Apache Kafka 4.4.0 wrote, by name, from testdata/kafka_files.txt.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace moldau::test {

inline std::string golden(const std::string& name) {
  std::ifstream in(std::string(MOLDAU_TESTDATA) + "/kafka_files.txt");
  std::string word, hex;
  for (std::string line; std::getline(in, line);) {
    const size_t space = line.find(' ');
    if (line.starts_with("#") || line.substr(0, space) != name) continue;
    hex = line.substr(space + 1);
  }
  EXPECT_FALSE(hex.empty()) << name;
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

}  // namespace moldau::test
