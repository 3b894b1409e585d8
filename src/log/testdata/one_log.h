// For tests: a process that owns one data directory with one log.
#pragma once
#include <memory>

#include "log/log_directory.h"
#include "log/testdata/log_fixture.h"

namespace moldau::test {

class OneLog {
 public:
  OneLog(sim::SimFileSystem& disk, const LogOptions& with) : options(with), disk_(disk) {}
  ~OneLog() { drop(); }

  Lines lines;
  LogOptions options;
  WallMs now = 5000;
  std::unique_ptr<LogDirectory> directory;
  std::unique_ptr<Log> log;

  // An error is returned, not reported: faults are expected here.
  Status open() {
    TRY_ASSIGN(directory, LogDirectory::open(disk_, lines, {.root = kRoot}));
    const LogOpen how{.options = options, .now_ms = now, .jitter_seed = 7};
    if (directory->found().empty()) {
      TRY_ASSIGN(log, directory->create("t", PartitionId(0), Uuid{1, 2}, how));
    } else {
      TRY_ASSIGN(log, directory->load(directory->found().front(), how));
    }
    log->attach(cache_);
    return {};
  }
  void drop() {  // as a kill does
    if (log) log->detach();
    log.reset();
    directory.reset();
  }

 protected:
  Status close() {
    log->detach();
    return log->close(now);
  }
  Status leave_clean() {
    log.reset();
    TRY(directory->write_clean_shutdown(11));
    directory.reset();
    return {};
  }

  sim::SimFileSystem& disk_;
  FileCache cache_{6};
};

}  // namespace moldau::test
