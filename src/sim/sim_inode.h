// SimInode: one file or directory of a simulated disk, twice: as processes see it (the page cache), and as
// the platter would show it after a power loss; for a file also the changes in between, oldest first.
//
//   write_at, truncate          sync                  power loss
//   ───────────────► current ──────────► durable ───────────────► some mixture, see survive()
//                       └─ changes_ (since the last sync) ─┘
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/paged_bytes.h"
#include "sim/prng.h"

namespace moldau::sim {

// What a power loss leaves of everything that wasn't synced.
enum class Loss {
  kSeeded,      // any plausible mixture: kept, dropped, torn, reordered
  kEverything,  // nothing unsynced is left: the adversary that needs no luck
  kNothing,     // all of it had reached the disk
};

class SimInode {
 public:
  using Entries = std::map<std::string, std::shared_ptr<SimInode>>;

  // `used_bytes` is the disk's counter of allocated bytes; it outlives the inode.
  SimInode(uint64_t id, bool is_directory, std::shared_ptr<int64_t> used_bytes);
  ~SimInode();
  SimInode(const SimInode&) = delete;
  SimInode& operator=(const SimInode&) = delete;

  uint64_t id() const { return id_; }
  bool is_directory() const { return is_directory_; }
  // Takes room on the disk as long as it has a name or a handle.
  void set_linked(bool linked) { linked_ = linked, settle(); }
  void add_handles(int n) { handles_ += n, settle(); }

  // A directory's names, as processes see them and as they are durable.
  Entries entries;
  Entries durable_entries;

  // A file's content.
  const PagedBytes& content() const { return current_; }
  // How many of `length` bytes at `position` fit if only `room` more bytes may be allocated.
  int64_t fitting(int64_t position, int64_t length, int64_t room) const;
  void write(int64_t position, Bytes bytes);
  void truncate(int64_t size);
  void reserve(int64_t up_to);  // takes room on the disk, until a truncation; gone after a power loss
  void sync();
  // A sync that failed: a seeded part of the dirty sectors reached the disk, the rest never will, and reads
  // go on showing the new content until the power is lost. The next sync has nothing to do and succeeds.
  void fail_sync(Prng& prng);
  // Damage that is on the platter and in the cache alike.
  void corrupt(int64_t position, Bytes bytes);
  bool dirty() const { return !changes_.empty(); }

  // The content after a power loss now. Each dirty sector holds its content as of some moment since the last
  // sync, and so does the size; a sector that an unsurvived truncation had freed holds what it held before.
  PagedBytes survive(Loss loss, Prng& prng) const;
  // Makes this content both current and durable.
  void restore(PagedBytes content);
  // A copy without the names: the caller links its copies to each other.
  std::shared_ptr<SimInode> copy(std::shared_ptr<int64_t> used_bytes) const;

 private:
  struct Change {
    int64_t position = 0;  // of a write; of a truncation the new size
    std::string bytes;     // of a write
    bool is_truncation = false;
    int64_t size_after = 0;
  };
  struct Moment {  // what survives: a size, and up to how many changes a sector took part in
    int64_t size = 0;
    size_t size_at = 0;
    size_t sectors_from = 0;
    size_t sectors_to = 0;
  };

  void settle();
  void note(Change change);
  void write_back_oldest();
  Moment choose_moment(Loss loss, Prng& prng) const;
  // The sectors that differ or may differ from the durable ones, each with the changes that touch it, in
  // order.
  std::map<int64_t, std::vector<uint32_t>> dirty_sectors() const;
  void replay_sector(PagedBytes& onto, int64_t sector, const std::vector<uint32_t>& touching, size_t upto,
                     size_t size_at) const;

  const uint64_t id_;
  const bool is_directory_;
  std::shared_ptr<int64_t> used_bytes_;
  int64_t charged_bytes_ = 0;
  int64_t reserved_ = 0;  // the end of what was set aside
  bool linked_ = false;
  int handles_ = 0;
  PagedBytes current_;
  PagedBytes durable_;
  std::vector<Change> changes_;
  int64_t changed_bytes_ = 0;
};

}  // namespace moldau::sim
