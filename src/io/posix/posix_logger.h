// PosixLogger: lines on the standard output, as Kafka's are:
//
//   [2026-11-30 06:17:50,123] INFO started in 41 ms (server)
//
// Each line is flushed. Control characters in it are escaped: what a client sends can't forge a line or steer
// a terminal. Any thread may call it; a lock keeps lines whole.
#pragma once
#include <memory>

#include "io/logger.h"

namespace moldau::io {

class PosixLogger final : public Logger {
 public:
  explicit PosixLogger(Level least);  // the root's level, until levels() are changed
  ~PosixLogger() override;
  void write(Level level, std::string_view component, std::string_view line) override;

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace moldau::io
