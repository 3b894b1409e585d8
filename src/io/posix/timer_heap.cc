#include "io/posix/timer_heap.h"

#include <algorithm>

namespace moldau::io {

Timer TimerHeap::add(Instant due, Task task) {
  auto entry = std::make_unique<Entry>(*this, due, std::move(task));
  entry->made_ = made_++;
  entries_.push_back(entry.get());
  rise(entries_.size() - 1, entry.get());
  return Timer(std::move(entry));
}

void TimerHeap::rise(size_t place, Entry* entry) {
  while (place > 0) {
    const size_t parent = (place - 1) / 4;
    if (!before(entry, entries_[parent])) break;
    put(place, entries_[parent]);
    place = parent;
  }
  put(place, entry);
}

void TimerHeap::sink(size_t place, Entry* entry) {
  for (;;) {
    const size_t first = place * 4 + 1;
    if (first >= entries_.size()) break;
    const size_t last = std::min(first + 4, entries_.size());
    size_t least = first;
    for (size_t child = first + 1; child < last; ++child) {
      if (before(entries_[child], entries_[least])) least = child;
    }
    if (!before(entries_[least], entry)) break;
    put(place, entries_[least]);
    place = least;
  }
  put(place, entry);
}

void TimerHeap::take_out(size_t place) {
  entries_[place]->place_ = Entry::kNowhere;
  Entry* last = entries_.back();
  entries_.pop_back();
  if (place == entries_.size()) return;
  if (place > 0 && before(last, entries_[(place - 1) / 4]))
    rise(place, last);
  else
    sink(place, last);
}

Task TimerHeap::pop_due(Instant now) {
  if (entries_.empty() || entries_.front()->due_ > now) return nullptr;
  Entry* entry = entries_.front();
  take_out(0);
  return std::move(entry->task_);
}

}  // namespace moldau::io
