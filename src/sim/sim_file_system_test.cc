#include "sim/sim_file_system.h"

#include <gtest/gtest.h>

#include "io/testdata/file_system_contract.h"

namespace moldau::sim {

using io::IoError;
using io::OpenMode;
namespace {

std::shared_ptr<io::File> create(SimFileSystem& disk, const std::string& path, std::string_view text = {}) {
  auto file = disk.open(path, OpenMode::kCreate);
  EXPECT_TRUE(file.has_value()) << file.error().message;
  if (!text.empty()) {
    EXPECT_TRUE((*file)->write_at(0, as_bytes(text)).has_value());
  }
  return *file;
}

void create_synced(SimFileSystem& disk, const std::string& path, std::string_view text) {
  EXPECT_TRUE(create(disk, path, text)->sync().has_value());
  EXPECT_TRUE(disk.sync_dir("/").has_value());
}

std::string text(SimFileSystem& disk, const std::string& path) {
  auto content = disk.read_whole(path);
  return content ? *content : "-";
}

// --- the durability rules, as a table
// -------------------------------------------------------------------------------

struct Rule {
  const char* name;
  void (*before)(SimFileSystem&);  // then a power loss that keeps nothing unsynced
  const char* after;               // the tree
};

void PrintTo(const Rule& rule, std::ostream* out) {
  *out << rule.name;
}

class Durability : public ::testing::TestWithParam<Rule> {};

const Rule kRules[] = {
    {"neither synced", [](SimFileSystem& d) { create(d, "/a", "1234"); }, ""},
    {"name without content",
     [](SimFileSystem& d) {
       create(d, "/a", "1234");
       (void)d.sync_dir("/");
     },
     "/a 0\n"},
    {"content without name", [](SimFileSystem& d) { (void)create(d, "/a", "1234")->sync(); }, ""},
    {"both", [](SimFileSystem& d) { create_synced(d, "/a", "1234"); }, "/a 4\n"},
    {"appended after the sync",
     [](SimFileSystem& d) {
       create_synced(d, "/a", "1234");
       (void)create(d, "/a")->write_at(4, as_bytes("5678"));
     },
     "/a 4\n"},
    {"cut after the sync",
     [](SimFileSystem& d) {
       create_synced(d, "/a", "1234");
       (void)create(d, "/a")->truncate(1);
     },
     "/a 4\n"},
    {"renamed, not synced",
     [](SimFileSystem& d) {
       create_synced(d, "/a", "1234");
       (void)d.rename("/a", "/b");
     },
     "/a 4\n"},
    {"renamed and synced",
     [](SimFileSystem& d) {
       create_synced(d, "/a", "1234");
       (void)d.rename("/a", "/b");
       (void)d.sync_dir("/");
     },
     "/b 4\n"},
    {"removed, not synced",
     [](SimFileSystem& d) {
       create_synced(d, "/a", "1234");
       (void)d.remove("/a");
     },
     "/a 4\n"},
    {"removed and synced",
     [](SimFileSystem& d) {
       create_synced(d, "/a", "1234");
       (void)d.remove("/a");
       (void)d.sync_dir("/");
     },
     ""},
    {"directory synced, its parent not",
     [](SimFileSystem& d) {
       (void)d.create_directories("/d");
       (void)create(d, "/d/a", "1234")->sync();
       (void)d.sync_dir("/d");
     },
     ""},
    {"parent synced, the directory not",
     [](SimFileSystem& d) {
       (void)d.create_directories("/d");
       (void)create(d, "/d/a", "1234")->sync();
       (void)d.sync_dir("/");
     },
     "/d/\n"},
    {"moved, the old directory synced",
     [](SimFileSystem& d) {
       (void)d.create_directories("/d");
       create_synced(d, "/a", "1234");
       (void)d.rename("/a", "/d/b");
       (void)d.sync_dir("/");
     },
     "/a 4\n/d/\n"},
    {"moved, the new directory synced",
     [](SimFileSystem& d) {
       (void)d.create_directories("/d");
       create_synced(d, "/a", "1234");
       (void)d.rename("/a", "/d/b");
       (void)d.sync_dir("/d");
     },
     "/d/\n/d/b 4\n"},
    {"a name that is used again brings the move with it",
     [](SimFileSystem& d) {
       (void)d.create_directories("/d");
       create_synced(d, "/a", "1234");
       (void)d.rename("/a", "/d/b");
       (void)create(d, "/a", "12")->sync();
       (void)d.sync_dir("/");
     },
     "/a 2\n/d/\n/d/b 4\n"},
    {"replace() is durable",
     [](SimFileSystem& d) {
       create_synced(d, "/a", "1234");
       (void)d.replace("/a", as_bytes("123456"));
     },
     "/a 6\n"},
};

TEST_P(Durability, AfterAPowerLoss) {
  SimFileSystem disk(7);
  GetParam().before(disk);
  EXPECT_EQ(disk.after_power_loss(1, Loss::kEverything)->tree(), GetParam().after) << GetParam().name;
  const std::string before = disk.tree();
  disk.process_kill();
  EXPECT_EQ(disk.tree(), before) << "a killed process loses nothing";
  EXPECT_EQ(disk.after_power_loss(1, Loss::kNothing)->tree(), before);
  disk.power_loss(Loss::kEverything);
  EXPECT_EQ(disk.tree(), GetParam().after) << "what a killed process had not synced still isn't";
}

INSTANTIATE_TEST_SUITE_P(Rules, Durability, ::testing::ValuesIn(kRules));

// --- what a seeded loss can do
// --------------------------------------------------------------------------------------

TEST(SimFileSystem, ALossTearsAtSectorsAndSyncedBytesStay) {
  const std::string old(4 * kSectorBytes, 'o');
  std::set<std::string> shapes;  // per sector: o(ld) n(ew) 0 -(beyond the end)
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SimFileSystem disk(seed);
    create_synced(disk, "/a", old);
    const std::string fresh(4 * kSectorBytes, 'n');
    ASSERT_TRUE(create(disk, "/a")->write_at(2 * kSectorBytes, as_bytes(fresh)).has_value());
    disk.power_loss();
    const std::string left = text(disk, "/a");
    EXPECT_EQ(left.size() % kSectorBytes, 0u);
    std::string shape;
    for (size_t at = 0; at < 6 * kSectorBytes; at += kSectorBytes) {
      if (at >= left.size()) {
        shape += '-';
        continue;
      }
      const std::string sector = left.substr(at, kSectorBytes);
      EXPECT_EQ(sector, std::string(sector.size(), sector[0])) << "a sector is whole";
      shape += sector[0] ? sector[0] : '0';
    }
    EXPECT_EQ(shape.substr(0, 2), "oo") << "synced, and not touched since";
    shapes.insert(shape);
  }
  for (const char* seen : {"oooo--", "oonnnn", "oonn--", "oonnn-", "oonn00", "oonon-", "oooonn"}) {
    EXPECT_TRUE(shapes.contains(seen)) << seen;
  }
}

TEST(SimFileSystem, AnOverwrittenSectorHoldsSomeVersion) {
  std::set<char> seen;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SimFileSystem disk(seed);
    create_synced(disk, "/a", "0");
    for (const char* version : {"1", "2", "3"})
      ASSERT_TRUE(create(disk, "/a")->write_at(0, as_bytes(version)).has_value());
    disk.power_loss();
    seen.insert(text(disk, "/a").at(0));
  }
  EXPECT_EQ(seen, (std::set<char>{'0', '1', '2', '3'}));
}

TEST(SimFileSystem, NamesSurviveInAnyOrderButEachNameInItsOwn) {
  std::set<std::string> trees;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SimFileSystem disk(seed);
    create_synced(disk, "/log", "1234");
    ASSERT_TRUE(disk.rename("/log", "/log.deleted").has_value());
    create(disk, "/log");
    create(disk, "/other");
    disk.power_loss();
    trees.insert(disk.tree());
  }
  EXPECT_EQ(trees, (std::set<std::string>{"/log 4\n", "/log 4\n/other 0\n", "/log.deleted 4\n",
                                          "/log.deleted 4\n/other 0\n", "/log 0\n/log.deleted 4\n",
                                          "/log 0\n/log.deleted 4\n/other 0\n"}));
}

TEST(SimFileSystem, ReplaceWithoutASyncCanLoseBoth) {  // the check that the check can fail
  bool torn = false;
  for (uint64_t seed = 0; seed < 100 && !torn; ++seed) {
    SimFileSystem disk(seed);
    create_synced(disk, "/a", "old");
    create(disk, "/a.tmp", "new");
    ASSERT_TRUE(disk.rename("/a.tmp", "/a").has_value());
    disk.power_loss();
    const std::string left = text(disk, "/a");
    torn = left != "old" && left != "new";
  }
  EXPECT_TRUE(torn);
}

TEST(SimFileSystem, ReplaceSurvivesACrashAtEveryCallWhole) {
  SimFileSystem disk(3);
  create_synced(disk, "/a", "old");
  int images = 0;
  disk.observe([&](DiskCall call, const std::string&) {
    for (uint64_t seed = 0; seed < 20; ++seed, ++images) {
      const auto left = disk.after_power_loss(seed);
      const std::string now = text(*left, "/a");
      EXPECT_TRUE(now == "old" || now == "new") << now << " after a crash before " << name_of(call);
    }
  });
  ASSERT_TRUE(disk.replace("/a", as_bytes("new")).has_value());
  EXPECT_EQ(images, 100) << "open, write, sync, rename, sync_dir";
  EXPECT_EQ(disk.after_power_loss(0, Loss::kEverything)->tree(), "/a 3\n");
}

TEST(SimFileSystem, EqualSeedsGiveEqualDisks) {
  const auto run = [](uint64_t seed) {
    SimFileSystem disk(seed);
    std::string all;
    for (int i = 0; i < 30; ++i) {
      create(disk, "/f" + std::to_string(i % 7),
             std::string(static_cast<size_t>(i) * 300, static_cast<char>('a' + i)));
      if (i % 10 == 9) disk.power_loss();
      all += disk.tree();
      for (int f = 0; f < 7; ++f) all += text(disk, "/f" + std::to_string(f));
    }
    return all;
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
}

TEST(SimFileSystem, AManyTimesRewrittenFileStaysBounded) {
  SimFileSystem disk(2);
  auto file = create(disk, "/a");
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(file->write_at(i % 100 * 4, as_bytes("wxyz")).has_value());
  disk.power_loss(Loss::kEverything);
  EXPECT_EQ(disk.tree(), "") << "the name was never synced";
}

// --- handles
// --------------------------------------------------------------------------------------------------------

TEST(SimFileSystem, HandlesAndLocksEndWithTheProcess) {
  SimFileSystem disk(1);
  auto file = create(disk, "/a", "1234");
  auto lock = disk.lock("/.lock");
  ASSERT_TRUE(lock.has_value());
  disk.process_kill();
  EXPECT_FALSE(file->write_at(0, as_bytes("x")).has_value());
  EXPECT_FALSE(file->sync().has_value());
  EXPECT_FALSE(file->size().has_value());
  auto again = disk.lock("/.lock");
  ASSERT_TRUE(again.has_value());
  lock->reset();  // the dead process's lock: releases nothing
  EXPECT_FALSE(disk.lock("/.lock").has_value());
  EXPECT_EQ(text(disk, "/a"), "1234");
}

// --- faults
// ---------------------------------------------------------------------------------------------------------

TEST(SimFileSystem, FaultsStrikeTheNthMatchingCall) {
  SimFileSystem disk(1);
  auto log = create(disk, "/x.log"), index = create(disk, "/x.index");
  disk.inject({.call = DiskCall::kWrite,
               .path_part = ".log",
               .skip = 1,
               .times = 2,
               .error = IoError::Kind::kNoSpace});
  const auto write = [](io::File& file) { return file.write_at(0, as_bytes("abc")); };
  EXPECT_TRUE(write(*log).has_value());
  EXPECT_TRUE(write(*index).has_value());
  io::expect_error(write(*log), IoError::Kind::kNoSpace, "write /x.log: No space left on device");
  EXPECT_TRUE(write(*index).has_value());
  EXPECT_FALSE(write(*log).has_value());
  EXPECT_TRUE(write(*log).has_value());
  disk.inject({.times = kSticky});
  EXPECT_FALSE(write(*log).has_value());
  EXPECT_FALSE(disk.list("/").has_value());
  EXPECT_FALSE(disk.open("/x.log", OpenMode::kRead).has_value());
  disk.clear_faults();
  EXPECT_TRUE(write(*log).has_value());
  EXPECT_EQ(disk.calls(DiskCall::kWrite), 8);
  EXPECT_EQ(disk.calls(DiskCall::kList), 1);
  EXPECT_EQ(disk.calls(), 12);
}

TEST(SimFileSystem, AFailedWriteLeavesAPrefix) {
  std::set<std::string> left;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SimFileSystem disk(seed);
    auto file = create(disk, "/a");
    disk.inject({.call = DiskCall::kWrite});
    EXPECT_FALSE(file->write_at(0, as_bytes("abc")).has_value());
    left.insert(text(disk, "/a"));
  }
  EXPECT_EQ(left, (std::set<std::string>{"", "a", "ab"}));
}

TEST(SimFileSystem, AFailedSyncLosesTheDirtForGood) {
  int lost = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SimFileSystem disk(seed);
    create_synced(disk, "/a", "old");
    auto file = create(disk, "/a");
    ASSERT_TRUE(file->write_at(0, as_bytes("new")).has_value());
    disk.inject({.call = DiskCall::kSync});
    EXPECT_FALSE(file->sync().has_value());
    EXPECT_EQ(text(disk, "/a"), "new") << "the cache still shows it";
    EXPECT_TRUE(file->sync().has_value()) << "and the next sync claims that all is well";
    disk.power_loss();
    lost += text(disk, "/a") == "old";
  }
  EXPECT_GT(lost, 10);
  EXPECT_LT(lost, 50);
}

TEST(SimFileSystem, ALyingSyncLoses) {
  SimFileSystem disk(1);
  create_synced(disk, "/a", "old");
  disk.inject({.call = DiskCall::kSync, .effect = DiskFault::Effect::kPretend});
  EXPECT_TRUE(create(disk, "/a", "new")->sync().has_value());
  disk.power_loss(Loss::kEverything);
  EXPECT_EQ(text(disk, "/a"), "old");
}

TEST(SimFileSystem, AFullDiskTakesAPrefixAndHeals) {
  SimFileSystem disk(1, {.capacity_bytes = 3 * kPageBytes});
  auto file = create(disk, "/a", std::string(100, 'a'));
  io::expect_error(file->write_at(100, as_bytes(std::string(4 * kPageBytes, 'b'))), IoError::Kind::kNoSpace,
                   "/a");
  EXPECT_EQ(file->size(), 3 * kPageBytes);
  EXPECT_EQ(disk.space("/")->usable_bytes, 0);
  EXPECT_TRUE(file->write_at(0, as_bytes("overwriting needs no room")).has_value());
  EXPECT_TRUE(create(disk, "/index")->truncate(10 << 20).has_value()) << "a hole takes none";
  ASSERT_TRUE(disk.remove("/a").has_value());
  EXPECT_EQ(disk.space("/")->usable_bytes, 0) << "open";
  EXPECT_EQ(disk.after_power_loss(1, Loss::kNothing)->used_bytes(), 0) << "by a process that is gone";
  file.reset();
  EXPECT_EQ(disk.space("/")->usable_bytes, 3 * kPageBytes);
  create_synced(disk, "/b", "1");
  ASSERT_TRUE(disk.remove("/b").has_value());
  EXPECT_EQ(disk.used_bytes(), 0);
  disk.power_loss(Loss::kEverything);
  EXPECT_EQ(disk.used_bytes(), kPageBytes) << "it is back";
}

TEST(SimFileSystem, DamageIsOnThePlatter) {
  SimFileSystem disk(1);
  create_synced(disk, "/a", "abcdef");
  disk.flip_bit("/a", 1, 0);
  disk.zero("/a", 4, 1);
  EXPECT_EQ(text(disk, "/a"), std::string("accd\0f", 6));
  disk.power_loss(Loss::kEverything);
  EXPECT_EQ(text(disk, "/a"), std::string("accd\0f", 6));
}

TEST(SimFileSystem, SometimesCold) {
  SimFileSystem disk(1, {.cold_percent = 50});
  auto file = create(disk, "/a", "abc");
  int cold = 0;
  for (int i = 0; i < 100; ++i) cold += !file->cached(0, 3);
  EXPECT_GT(cold, 25);
  EXPECT_LT(cold, 75);
  std::set<int> by_seed;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimFileSystem chosen(seed, {.cold_percent = kColdBySeed});
    auto other = create(chosen, "/a", "abc");
    int misses = 0;
    for (int i = 0; i < 100; ++i) misses += !other->cached(0, 3);
    by_seed.insert(misses == 0 ? 0 : misses == 100 ? 2 : 1);
  }
  EXPECT_EQ(by_seed.size(), 3u) << "never, sometimes, always";
}

}  // namespace
}  // namespace moldau::sim
