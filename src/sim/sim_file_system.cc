#include "sim/sim_file_system.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/assert.h"
#include "base/crc32c.h"
#include "sim/sim_file.h"

namespace moldau::sim {
namespace {

using io::IoError;
using io::IoResult;
using io::IoStatus;

// Journals commit on their own from time to time; this also bounds what a never synced directory costs.
constexpr size_t kMostPendingNames = 8192;

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    std::string part = path.substr(at, slash - at);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(std::move(part));
    }
    at = slash + 1;
  }
  return parts;
}

}  // namespace

SimFileSystem::SimFileSystem(uint64_t seed, SimDiskOptions options)
    : options_(options),
      crash_prng_(seed, "disk crash"),
      cold_prng_(seed, "disk cache"),
      fault_prng_(seed, "disk faults"),
      root_(make_node(true)),
      session_(std::make_shared<Session>(this)) {
  constexpr int kPercents[] = {0, 0, 10, 100};
  if (options_.cold_percent == kColdBySeed) options_.cold_percent = kPercents[cold_prng_.below(4)];
}

SimFileSystem::~SimFileSystem() {
  session_->disk = nullptr;
}

int64_t SimFileSystem::calls() const {
  return std::accumulate(calls_.begin(), calls_.end(), int64_t{0});
}

// Counts the call, tells the observers and finds the fault that strikes it, if any.
IoResult<SimFileSystem::Verdict> SimFileSystem::enter(DiskCall call, const std::string& path) {
  ++calls_[static_cast<size_t>(call)];
  if (!frozen_) {
    for (const Observer& observer : observers_) observer(call, path);
  }
  if (frozen_)
    return std::unexpected(IoError{IoError::Kind::kFailed, path + ": used by a process that is gone"});
  for (DiskFault& fault : faults_) {
    if ((fault.call && *fault.call != call) || fault.times == 0 || path.find(fault.path_part) == path.npos)
      continue;
    if (fault.skip > 0) {
      --fault.skip;
      continue;
    }
    if (fault.times != kSticky) --fault.times;
    if (fault.effect == DiskFault::Effect::kPretend) return Verdict::kPretend;
    return disk_failure(fault.error, call, path);
  }
  return Verdict::kGo;
}

SimFileSystem::Node SimFileSystem::make_node(bool is_directory) {
  return std::make_shared<SimInode>(next_inode_++, is_directory, used_bytes_);
}

SimFileSystem::Node SimFileSystem::find(const std::string& path) const {
  Node node = root_;
  for (const std::string& part : split(path)) {
    const auto entry = node->entries.find(part);
    if (entry == node->entries.end()) return nullptr;
    node = entry->second;
  }
  return node;
}

IoResult<SimFileSystem::Place> SimFileSystem::place_of(const std::string& path) const {
  std::vector<std::string> parts = split(path);
  if (parts.empty())
    return std::unexpected(IoError{IoError::Kind::kDenied, path + ": is the root directory"});
  Node directory = root_;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto entry = directory->entries.find(parts[i]);
    if (entry == directory->entries.end() || !entry->second->is_directory())
      return disk_error(IoError::Kind::kNotFound, path);
    directory = entry->second;
  }
  return Place{std::move(directory), std::move(parts.back())};
}

// --- names
// ---------------------------------------------------------------------------------------------------------

void SimFileSystem::apply(const NameChange& change, bool durable) const {
  const auto view = [&](const Place& place) -> SimInode::Entries& {
    return durable ? place.directory->durable_entries : place.directory->entries;
  };
  if (change.from.directory) {
    const auto entry = view(change.from).find(change.from.name);
    if (entry != view(change.from).end() && entry->second == change.node) view(change.from).erase(entry);
    if (!durable) change.node->set_linked(false);
  }
  if (change.to.directory) {
    Node& entry = view(change.to)[change.to.name];
    if (entry && !durable) entry->set_linked(false);
    entry = change.node;
    if (!durable) entry->set_linked(true);
  }
}

void SimFileSystem::change_name(NameChange change) {
  apply(change, false);
  names_.push_back(std::move(change));
  if (names_.size() > kMostPendingNames) {
    const auto half = names_.begin() + static_cast<ptrdiff_t>(names_.size() / 2);
    std::for_each(names_.begin(), half, [&](const NameChange& oldest) { apply(oldest, true); });
    names_.erase(names_.begin(), half);
  }
}

// The changes whose home is the directory become durable, and with each the earlier ones that touched a name
// of its.
void SimFileSystem::commit_names(const SimInode* directory) {
  std::set<std::pair<uint64_t, std::string>> touched;
  std::vector<bool> commit(names_.size());
  const auto each_place = [](const NameChange& change, auto f) {
    for (const Place* place : {&change.from, &change.to}) {
      if (place->directory) f(std::pair{place->directory->id(), place->name});
    }
  };
  for (size_t i = names_.size(); i-- > 0;) {
    const NameChange& change = names_[i];
    const SimInode* home = (change.to.directory ? change.to : change.from).directory.get();
    bool chosen = home == directory;
    each_place(change, [&](const auto& place) { chosen = chosen || touched.contains(place); });
    if (!chosen) continue;
    commit[i] = true;
    each_place(change, [&](const auto& place) { touched.insert(place); });
  }
  size_t kept = 0;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (commit[i])
      apply(names_[i], true);
    else if (kept++ != i)
      names_[kept - 1] = std::move(names_[i]);
  }
  names_.resize(kept);
}

// Half of the crashes lose or keep all names, a quarter cut the history, a quarter drop any; whatever touches
// a name that a dropped change had touched is dropped too (D3).
void SimFileSystem::lose_names(Loss loss) {
  const uint64_t kind = loss == Loss::kEverything ? 0 : loss == Loss::kNothing ? 1 : crash_prng_.below(4);
  const size_t cut = kind == 0 ? 0 : kind == 2 ? crash_prng_.below(names_.size() + 1) : names_.size();
  std::set<std::pair<uint64_t, std::string>> dropped;
  for (size_t i = 0; i < names_.size(); ++i) {
    const NameChange& change = names_[i];
    bool drop = i >= cut || (kind == 3 && crash_prng_.chance(50));
    for (const Place* place : {&change.from, &change.to}) {
      if (place->directory && dropped.contains({place->directory->id(), place->name})) drop = true;
    }
    if (!drop) {
      apply(change, true);
      continue;
    }
    for (const Place* place : {&change.from, &change.to}) {
      if (place->directory) dropped.emplace(place->directory->id(), place->name);
    }
  }
  names_.clear();
}

// --- crashes
// -------------------------------------------------------------------------------------------------------

void SimFileSystem::end_session() {
  session_->disk = nullptr;
  session_ = std::make_shared<Session>(this);
  locked_.clear();
  frozen_ = false;
}

void SimFileSystem::process_kill() {
  end_session();
}

void SimFileSystem::each_node(const std::function<void(SimInode&)>& visit) const {
  std::set<uint64_t> seen;
  std::vector<Node> todo{root_};
  while (!todo.empty()) {
    const Node node = std::move(todo.back());
    todo.pop_back();
    if (!seen.insert(node->id()).second) continue;
    visit(*node);
    for (const auto& [name, child] : node->entries) todo.push_back(child);
  }
}

void SimFileSystem::power_loss(Loss loss) {
  end_session();
  lose_names(loss);
  each_node([](SimInode& node) { node.set_linked(false); });
  each_node([&](SimInode& node) {
    node.entries = node.durable_entries;
    node.restore(node.survive(loss, crash_prng_));
    node.set_linked(true);
  });
}

std::unique_ptr<SimFileSystem> SimFileSystem::clone(uint64_t seed) const {
  auto twin = std::make_unique<SimFileSystem>(seed, options_);
  std::map<uint64_t, Node> copies;
  std::vector<const SimInode*> to_link;
  const auto copy = [&](const Node& node) -> Node {
    if (!node) return nullptr;
    Node& made = copies[node->id()];
    if (!made) {
      made = node->copy(twin->used_bytes_);
      to_link.push_back(node.get());
    }
    return made;
  };
  twin->root_ = copy(root_);
  for (const NameChange& change : names_) {
    twin->names_.push_back({copy(change.node),
                            {copy(change.from.directory), change.from.name},
                            {copy(change.to.directory), change.to.name}});
  }
  while (!to_link.empty()) {
    const SimInode* original = to_link.back();
    to_link.pop_back();
    const Node made = copies.at(original->id());
    for (const auto& [name, child] : original->entries) made->entries.emplace(name, copy(child));
    for (const auto& [name, child] : original->durable_entries)
      made->durable_entries.emplace(name, copy(child));
  }
  twin->next_inode_ = next_inode_;
  return twin;
}

std::unique_ptr<SimFileSystem> SimFileSystem::after_power_loss(uint64_t seed, Loss loss) const {
  auto twin = clone(seed);
  twin->power_loss(loss);
  return twin;
}

void SimFileSystem::flip_bit(const std::string& path, int64_t position, int bit) {
  const Node node = find(path);
  ASSERT(node && position < node->content().size(), "flip_bit outside a file");
  uint8_t byte = 0;
  node->content().read(position, {&byte, 1});
  byte ^= static_cast<uint8_t>(1 << bit);
  node->corrupt(position, {&byte, 1});
}

void SimFileSystem::zero(const std::string& path, int64_t position, int64_t length) {
  const Node node = find(path);
  ASSERT(node && position + length <= node->content().size(), "zero outside a file");
  node->corrupt(position, std::vector<uint8_t>(static_cast<size_t>(length)));
}

std::string SimFileSystem::tree() const {
  std::string out;
  const auto walk = [&](const auto& self, const SimInode& node, const std::string& path) -> void {
    for (const auto& [name, child] : node.entries) {
      const std::string full = path + "/" + name;
      out +=
          child->is_directory() ? full + "/\n" : full + " " + std::to_string(child->content().size()) + "\n";
      self(self, *child, full);
    }
  };
  walk(walk, *root_, "");
  return out;
}

uint64_t SimFileSystem::digest() const {
  uint64_t hash = fold(0, tree());
  each_node([&](SimInode& node) {
    std::vector<uint8_t> page(kPageBytes);
    node.content().each_page(0, [&](int64_t position) {
      const Bytes bytes = Bytes(page).first(node.content().read(position, page));
      hash = fold(hash, static_cast<uint64_t>(position) << 32 | crc32c(bytes));
    });
  });
  return hash;
}

}  // namespace moldau::sim
