#include "sim/sim_inode.h"

#include <algorithm>

namespace moldau::sim {
namespace {

// Beyond this much dirt the kernel writes back without being asked; it also bounds what a never synced file
// costs.
constexpr int64_t kWriteBackBytes = 8 << 20;
constexpr size_t kWriteBackChanges = 4096;

int64_t sector_of(int64_t position) {
  return position / kSectorBytes * kSectorBytes;
}

}  // namespace

SimInode::SimInode(uint64_t id, bool is_directory, std::shared_ptr<int64_t> used_bytes)
    : id_(id), is_directory_(is_directory), used_bytes_(std::move(used_bytes)) {}

SimInode::~SimInode() {
  *used_bytes_ -= charged_bytes_;
}

void SimInode::settle() {
  const int64_t ahead = std::max<int64_t>(0, reserved_ - current_.size());
  const int64_t bytes = linked_ || handles_ > 0 ? current_.allocated_bytes() + ahead : 0;
  *used_bytes_ += bytes - charged_bytes_;
  charged_bytes_ = bytes;
}

int64_t SimInode::fitting(int64_t position, int64_t length, int64_t room) const {
  for (int64_t at = position; at < position + length; at = at / kPageBytes * kPageBytes + kPageBytes) {
    if (current_.allocated(at) || at < reserved_) continue;
    if (room < kPageBytes) return at - position;
    room -= kPageBytes;
  }
  return length;
}

void SimInode::note(Change change) {
  changed_bytes_ += static_cast<int64_t>(change.bytes.size());
  changes_.push_back(std::move(change));
  if (changed_bytes_ > kWriteBackBytes || changes_.size() > kWriteBackChanges) write_back_oldest();
}

void SimInode::write(int64_t position, Bytes bytes) {
  current_.write(position, bytes);
  settle();
  note({position, std::string(as_text(bytes)), false, current_.size()});
}

void SimInode::truncate(int64_t size) {
  current_.resize(size);
  reserved_ = 0;
  settle();
  note({size, {}, true, size});
}

void SimInode::reserve(int64_t up_to) {
  reserved_ = std::max(reserved_, up_to);
  settle();
}

void SimInode::write_back_oldest() {
  const size_t half = changes_.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    const Change& change = changes_[i];
    changed_bytes_ -= static_cast<int64_t>(change.bytes.size());
    if (change.is_truncation)
      durable_.resize(change.position);
    else
      durable_.write(change.position, as_bytes(change.bytes));
  }
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<ptrdiff_t>(half));
}

std::map<int64_t, std::vector<uint32_t>> SimInode::dirty_sectors() const {
  std::map<int64_t, std::vector<uint32_t>> sectors;
  for (uint32_t i = 0; i < changes_.size(); ++i) {
    const Change& change = changes_[i];
    if (!change.is_truncation) {
      const int64_t end = change.position + static_cast<int64_t>(change.bytes.size());
      for (int64_t at = sector_of(change.position); at < end; at += kSectorBytes) sectors[at].push_back(i);
      continue;
    }
    durable_.each_page(change.position, [&](int64_t page) {
      for (int64_t at = page; at < page + kPageBytes; at += kSectorBytes) sectors.try_emplace(at);
    });
    for (auto it = sectors.lower_bound(sector_of(change.position)); it != sectors.end(); ++it)
      it->second.push_back(i);
  }
  return sectors;
}

void SimInode::sync() {
  if (changes_.empty()) return;
  int64_t lowest_cut = INT64_MAX;
  for (const Change& change : changes_) {
    if (change.is_truncation) {
      lowest_cut = std::min(lowest_cut, change.position);
      continue;
    }
    const int64_t begin = sector_of(change.position);
    const int64_t end =
        sector_of(change.position + static_cast<int64_t>(change.bytes.size()) + kSectorBytes - 1);
    durable_.copy_range(current_, begin, end - begin);
  }
  durable_.resize(std::min(durable_.size(), current_.size()));
  if (lowest_cut != INT64_MAX) {
    std::vector<int64_t> cut_pages;
    durable_.each_page(lowest_cut, [&](int64_t page) { cut_pages.push_back(page); });
    for (const int64_t page : cut_pages) {
      const int64_t begin = std::max(page, sector_of(lowest_cut));
      durable_.copy_range(current_, begin, page + kPageBytes - begin);
    }
  }
  durable_.resize(current_.size());
  changes_.clear();
  changed_bytes_ = 0;
}

void SimInode::fail_sync(Prng& prng) {
  durable_ = survive(Loss::kSeeded, prng);
  changes_.clear();
  changed_bytes_ = 0;
}

void SimInode::corrupt(int64_t position, Bytes bytes) {
  current_.write(position, bytes);
  const int64_t size = durable_.size();
  durable_.write(position, bytes);
  durable_.resize(size);
}

// Half of the crashes are plain (all lost, all kept), a quarter cut the history at one moment and tear the
// change that was under way, and a quarter let every sector go its own way.
SimInode::Moment SimInode::choose_moment(Loss loss, Prng& prng) const {
  const size_t all = changes_.size();
  const auto size_at = [&](size_t n) { return n == 0 ? durable_.size() : changes_[n - 1].size_after; };
  const uint64_t kind = loss == Loss::kNothing ? 1 : prng.below(4);
  Moment m;
  if (kind == 0) return {durable_.size(), 0, 0, 0};
  if (kind == 1) return {current_.size(), all, all, all};
  if (kind == 2) {
    m.sectors_from = prng.below(all);
    m.sectors_to = m.sectors_from + 1;
    m.size_at = m.sectors_from + prng.below(2);
  } else {
    m.sectors_to = all;
    m.size_at = prng.below(all + 1);
  }
  m.size = size_at(m.size_at);
  // The size grows as pages are written back: it may stop between the sectors of the last write.
  const int64_t before = m.size_at == 0 ? m.size : size_at(m.size_at - 1);
  if (before < m.size && prng.chance(50)) m.size = std::max(before, sector_of(prng.between(before, m.size)));
  return m;
}

void SimInode::replay_sector(PagedBytes& onto, int64_t sector, const std::vector<uint32_t>& touching,
                             size_t upto, size_t size_at) const {
  uint8_t bytes[kSectorBytes] = {};
  durable_.read(sector, bytes);
  for (const uint32_t i : touching) {
    if (i >= upto) break;
    const Change& change = changes_[i];
    if (change.is_truncation) {
      if (change.position <= sector && i >= size_at)
        break;  // freed by a truncation that didn't survive: not reused
      std::fill(bytes + std::clamp<int64_t>(change.position - sector, 0, kSectorBytes), bytes + kSectorBytes,
                uint8_t{0});
      continue;
    }
    const int64_t begin = std::max(change.position, sector);
    const int64_t end =
        std::min(change.position + static_cast<int64_t>(change.bytes.size()), sector + kSectorBytes);
    std::memcpy(bytes + (begin - sector), change.bytes.data() + (begin - change.position),
                static_cast<size_t>(end - begin));
  }
  onto.write(sector, bytes);
}

PagedBytes SimInode::survive(Loss loss, Prng& prng) const {
  if (changes_.empty() || loss == Loss::kEverything) return durable_;
  const Moment moment = choose_moment(loss, prng);
  if (moment.sectors_to == 0) return durable_;
  PagedBytes left = durable_;
  const size_t span = moment.sectors_to - moment.sectors_from;
  for (const auto& [sector, touching] : dirty_sectors()) {
    replay_sector(left, sector, touching, moment.sectors_from + prng.below(span + 1), moment.size_at);
  }
  left.resize(moment.size);
  return left;
}

void SimInode::restore(PagedBytes content) {
  current_ = content;
  reserved_ = 0;
  settle();
  durable_ = std::move(content);
  changes_.clear();
  changed_bytes_ = 0;
}

std::shared_ptr<SimInode> SimInode::copy(std::shared_ptr<int64_t> used_bytes) const {
  auto twin = std::make_shared<SimInode>(id_, is_directory_, std::move(used_bytes));
  twin->current_ = current_;
  twin->reserved_ = reserved_;
  twin->durable_ = durable_;
  twin->changes_ = changes_;
  twin->changed_bytes_ = changed_bytes_;
  twin->set_linked(linked_);
  return twin;
}

}  // namespace moldau::sim
