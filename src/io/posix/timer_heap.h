// TimerHeap: the timers of one lane, in a 4-ary heap whose entries know their place, so that cancelling one
// of many thousands (most time-outs never fire) is O(log n) and leaves nothing behind.
//
// Invariant: entries_[i]->place == i, and no entry is due before its parent (equal times: in the order they
// were made).
#pragma once
#include <cstdint>
#include <vector>

#include "io/lane.h"

namespace moldau::io {

class TimerHeap {
 public:
  class Entry final : public Timer::State {
   public:
    Entry(TimerHeap& heap, Instant due, Task task) : due_(due), heap_(heap), task_(std::move(task)) {}
    ~Entry() override {
      if (place_ != kNowhere) heap_.take_out(place_);
    }

   private:
    friend class TimerHeap;
    static constexpr size_t kNowhere = SIZE_MAX;
    Instant due_;
    uint64_t made_ = 0;
    size_t place_ = kNowhere;
    TimerHeap& heap_;
    Task task_;
  };

  TimerHeap() = default;
  TimerHeap(const TimerHeap&) = delete;
  TimerHeap& operator=(const TimerHeap&) = delete;
  ~TimerHeap() {  // timers that outlive their lane are just never due
    for (Entry* entry : entries_) entry->place_ = Entry::kNowhere;
  }

  Timer add(Instant due, Task task);
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  Instant next_due() const { return entries_.front()->due_; }
  // Takes out the next entry if it is due; its task is the caller's to run. Null: none is due.
  Task pop_due(Instant now);

 private:
  static bool before(const Entry* a, const Entry* b) {
    return a->due_ != b->due_ ? a->due_ < b->due_ : a->made_ < b->made_;
  }
  void put(size_t place, Entry* entry) { entries_[place] = entry, entry->place_ = place; }
  void rise(size_t place, Entry* entry);
  void sink(size_t place, Entry* entry);
  void take_out(size_t place);

  uint64_t made_ = 0;
  std::vector<Entry*> entries_;  // owned by their Timers
};

}  // namespace moldau::io
