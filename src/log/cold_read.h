// ColdRead: what a fetch needs from the disk before it can be answered: positions in a segment, aborted transactions.
// Made by Log::read, run once in the pool, given to the next Log::read of the same request. It may ask for more then.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "io/file_system.h"
#include "log/segment_search.h"

namespace moldau {

struct ColdQuestion {
  enum class Kind { kLocate, kOffsetBound, kAborted, kOpen } kind;
  Offset segment;        // its base
  Offset from{0};        // kLocate: the target
  Offset below{0};       // kAborted
  int64_t position = 0;  // kOffsetBound
  bool operator==(const ColdQuestion&) const = default;
};

class ColdRead {
 public:
  void run();

 private:
  friend class Log;
  struct Aborted {
    std::vector<AbortedTransaction> found;
    bool complete = false;
  };
  using Answer = std::variant<std::monostate, std::optional<Located>, Offset, Aborted>;
  struct Lookup {
    ColdQuestion question;
    SegmentView view;
    Answer answer;
    std::optional<Miss> miss;
    bool done = false;
    bool index_damaged = false;
  };
  void run(Lookup& lookup);

  io::FileSystem* files_ = nullptr;
  uint64_t layout_ = 0;
  std::vector<Lookup> lookups_;
};

}  // namespace moldau
