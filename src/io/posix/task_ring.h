// TaskRing: a queue of tasks that keeps its block: in steady state a push costs no allocation.
#pragma once
#include <memory>
#include <utility>

#include "io/lane.h"

namespace moldau::io {

class TaskRing {
 public:
  bool empty() const { return head_ == tail_; }
  size_t size() const { return tail_ - head_; }
  void push(Task task) {
    if (size() == capacity_) grow();
    tasks_[tail_++ & (capacity_ - 1)] = std::move(task);
  }
  Task pop() { return std::exchange(tasks_[head_++ & (capacity_ - 1)], nullptr); }

 private:
  void grow() {
    const size_t n = size(), capacity = capacity_ == 0 ? 16 : capacity_ * 2;
    auto tasks = std::make_unique<Task[]>(capacity);
    for (size_t i = 0; i < n; ++i) tasks[i] = pop();
    tasks_ = std::move(tasks);
    capacity_ = capacity, head_ = 0, tail_ = n;
  }

  std::unique_ptr<Task[]> tasks_;
  size_t capacity_ = 0;  // a power of two
  size_t head_ = 0;
  size_t tail_ = 0;
};

}  // namespace moldau::io
