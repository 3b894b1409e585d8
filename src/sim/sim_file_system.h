// SimFileSystem: a disk in memory that forgets what POSIX allows a disk to forget, and breaks when it is told
// to. It outlives the process that uses it: power_loss() and process_kill() end that process's handles and
// locks, and the next process opens the same disk.
//
//   D1  content and size of a file survive a power loss after File::sync, and only then for certain
//   D2  a name (created, renamed, removed) survives after sync_dir of its directory; a rename after sync_dir
//   of the new
//       name's directory. A rename is never half done.
//   D3  changes that touch the same name survive in their order, changes of different names in any
//   D4  process_kill() loses nothing, but what was unsynced still is
//   D5  a handle from before a crash fails every call and changes nothing
//   D6  equal seeds and equal calls give equal disks
//
// One thread. Not synced means: seeded mixture per sector (sim_inode.h), per name (here).
#pragma once
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "io/file_system.h"
#include "sim/disk_fault.h"
#include "sim/sim_inode.h"

namespace moldau::sim {

inline constexpr int kColdBySeed = -1;  // never, sometimes or always

struct SimDiskOptions {
  int64_t capacity_bytes = int64_t{1} << 40;
  int cold_percent = 0;   // how often cached() says no
  int process_id = 4121;  // whom a busy lock names
};

class SimFileSystem final : public io::FileSystem {
 public:
  explicit SimFileSystem(uint64_t seed, SimDiskOptions options = {});
  ~SimFileSystem() override;

  io::IoResult<std::shared_ptr<io::File>> open(const std::string& path, io::OpenMode mode) override;
  io::IoResult<bool> exists(const std::string& path) override;
  io::IoResult<std::vector<io::DirectoryEntry>> list(const std::string& directory) override;
  io::IoStatus create_directories(const std::string& path) override;
  io::IoStatus rename(const std::string& from, const std::string& to) override;
  io::IoStatus remove(const std::string& path) override;
  io::IoStatus remove_all(const std::string& path) override;
  io::IoStatus sync_dir(const std::string& directory) override;
  io::IoResult<std::unique_ptr<io::FileLock>> lock(const std::string& path) override;
  io::IoResult<io::DiskSpace> space(const std::string& path) override;

  // Crashes of the process that uses the disk. Faults that were injected stay.
  void power_loss(Loss loss = Loss::kSeeded);
  void process_kill();
  // The process is as good as dead, its code still runs: every call fails until one of the two above.
  void freeze() { frozen_ = true; }
  // The disk as it is, unsynced changes included, without handles, locks, faults, counts and observers.
  std::unique_ptr<SimFileSystem> clone(uint64_t seed) const;
  // The disk as a power loss at this moment would leave it; this one isn't disturbed.
  std::unique_ptr<SimFileSystem> after_power_loss(uint64_t seed, Loss loss = Loss::kSeeded) const;

  // Faults.
  void inject(DiskFault fault) { faults_.push_back(std::move(fault)); }
  void clear_faults() { faults_.clear(); }
  void set_capacity(int64_t bytes) { options_.capacity_bytes = bytes; }
  // Damage on the platter, whatever was synced. The file must exist and be that long.
  void flip_bit(const std::string& path, int64_t position, int bit = 0);
  void zero(const std::string& path, int64_t position, int64_t length);

  // Observation. An observer runs before each counted call takes effect; it may clone or freeze, not crash.
  int64_t calls(DiskCall call) const { return calls_[static_cast<size_t>(call)]; }
  int64_t calls() const;
  using Observer = std::function<void(DiskCall, const std::string& path)>;
  void observe(Observer observer) { observers_.push_back(std::move(observer)); }
  int64_t used_bytes() const { return *used_bytes_; }
  // One line a file or directory, sorted: "/t-0/00.log 512" or "/t-0/". Not counted.
  std::string tree() const;
  // Of all names and contents.
  uint64_t digest() const;

 private:
  friend class SimFile;
  friend class SimFileLock;
  using Node = std::shared_ptr<SimInode>;
  struct Session {                  // one process's use of the disk
    SimFileSystem* disk = nullptr;  // null: the process is gone
  };
  struct Place {
    Node directory;
    std::string name;
  };
  struct NameChange {  // not durable yet
    Node node;
    Place from;  // no directory: created
    Place to;    // no directory: removed
  };
  enum class Verdict { kGo, kPretend };

  io::IoResult<Verdict> enter(DiskCall call, const std::string& path);
  Node find(const std::string& path) const;
  io::IoResult<Place> place_of(const std::string& path) const;  // kNotFound if the parent isn't there
  Node make_node(bool is_directory);
  void apply(const NameChange& change, bool durable) const;
  void change_name(NameChange change);
  void commit_names(const SimInode* directory);
  void lose_names(Loss loss);
  void end_session();
  void each_node(const std::function<void(SimInode&)>& visit) const;  // as processes see the tree
  io::IoStatus remove_tree(const Place& at, const std::string& path);

  SimDiskOptions options_;
  Prng crash_prng_;
  Prng cold_prng_;
  Prng fault_prng_;
  std::shared_ptr<int64_t> used_bytes_ = std::make_shared<int64_t>(0);
  uint64_t next_inode_ = 1;
  Node root_;
  std::vector<NameChange> names_;  // pending, oldest first
  std::shared_ptr<Session> session_;
  std::set<uint64_t> locked_;  // inodes
  std::vector<DiskFault> faults_;
  std::array<int64_t, kDiskCallNames.size()> calls_{};
  std::vector<Observer> observers_;
  bool frozen_ = false;
};

}  // namespace moldau::sim
