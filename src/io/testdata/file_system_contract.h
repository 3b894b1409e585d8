// What every io::FileSystem does: one suite, run on the real one (io/posix) and on the simulated one (sim).
// World is a default-constructible type with `FileSystem& files()` and `std::string directory()`, an empty
// directory of it.
#pragma once
#include <gtest/gtest.h>

#include "io/file_system.h"

namespace moldau::io {

template <class World>
class FileSystemContract : public ::testing::Test {
 protected:
  FileSystem& files() { return world_.files(); }
  std::string at(const std::string& name) { return world_.directory() + "/" + name; }
  std::shared_ptr<File> open(const std::string& name, OpenMode mode = OpenMode::kCreate) {
    auto file = files().open(at(name), mode);
    EXPECT_TRUE(file.has_value()) << file.error().message;
    return file ? *file : nullptr;
  }
  void put(const std::string& name, std::string_view text) {
    ASSERT_TRUE(open(name, OpenMode::kTruncate)->write_at(0, as_bytes(text)).has_value());
  }
  std::string text(const std::string& name) {
    auto content = files().read_whole(at(name));
    return content ? *content : "error: " + content.error().message;
  }
  std::string names(const std::string& directory = ".") {
    std::string all;
    auto entries = files().list(at(directory));
    if (!entries) return "error: " + entries.error().message;
    for (const DirectoryEntry& entry : *entries) all += entry.name + (entry.is_directory ? "/ " : " ");
    return all;
  }

  World world_;
};
TYPED_TEST_SUITE_P(FileSystemContract);

template <class T>
void expect_error(const IoResult<T>& result, IoError::Kind kind, std::string_view names = {}) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, kind) << result.error().message;
  EXPECT_NE(result.error().message.find(names), std::string::npos) << result.error().message;
}

TYPED_TEST_P(FileSystemContract, ReadsWhatWasWritten) {
  auto file = this->open("a");
  const std::string one = "one ", two = "two";
  const Bytes parts[] = {as_bytes(one), {}, as_bytes(two)};
  ASSERT_TRUE(file->write_at(0, parts).has_value());
  EXPECT_EQ(file->size(), 7);
  EXPECT_EQ(this->text("a"), "one two");
  uint8_t into[16];
  EXPECT_EQ(file->read_at(4, into), 3u) << "fewer only at the end";
  EXPECT_EQ(as_text(Bytes(into, 3)), "two");
  EXPECT_EQ(file->read_at(7, into), 0u);
  EXPECT_EQ(file->read_at(100, into), 0u);
  EXPECT_EQ(file->read_at(0, {}), 0u);
  EXPECT_TRUE(file->sync().has_value());
  EXPECT_EQ(file->path(), this->at("a"));
}

TYPED_TEST_P(FileSystemContract, WritesManyParts) {
  std::vector<std::string> texts;
  std::vector<Bytes> parts;
  std::string all;
  for (int i = 0; i < 3000; ++i) texts.push_back(std::to_string(i) + ";");
  for (const std::string& part : texts) parts.push_back(as_bytes(part)), all += part;
  ASSERT_TRUE(this->open("a")->write_at(0, parts).has_value());
  EXPECT_EQ(this->text("a"), all);
}

TYPED_TEST_P(FileSystemContract, HolesAndTruncationReadAsZeroes) {
  auto file = this->open("a");
  ASSERT_TRUE(file->write_at(10'000, as_bytes("x")).has_value());
  ASSERT_TRUE(file->write_at(0, as_bytes("abcdef")).has_value());
  ASSERT_TRUE(file->truncate(3).has_value());
  ASSERT_TRUE(file->truncate(6).has_value());
  EXPECT_EQ(this->text("a"), std::string("abc\0\0\0", 6));
  ASSERT_TRUE(file->truncate(20'000).has_value());
  EXPECT_EQ(this->text("a"), "abc" + std::string(19'997, '\0'));
}

TYPED_TEST_P(FileSystemContract, OpenModes) {
  expect_error(this->files().open(this->at("a"), OpenMode::kRead), IoError::Kind::kNotFound, this->at("a"));
  expect_error(this->files().open(this->at("a"), OpenMode::kReadWrite), IoError::Kind::kNotFound,
               this->at("a"));
  expect_error(this->files().open(this->at("no/a"), OpenMode::kCreate), IoError::Kind::kNotFound,
               this->at("no/a"));
  this->put("a", "text");
  EXPECT_EQ(this->open("a", OpenMode::kCreate)->size(), 4);
  EXPECT_TRUE(this->open("a", OpenMode::kReadWrite)->write_at(0, as_bytes("T")).has_value());
  EXPECT_FALSE(this->open("a", OpenMode::kRead)->write_at(0, as_bytes("x")).has_value());
  EXPECT_EQ(this->text("a"), "Text");
  EXPECT_EQ(this->open("a", OpenMode::kTruncate)->size(), 0);
  ASSERT_TRUE(this->files().create_directories(this->at("d")).has_value());
  expect_error(this->files().open(this->at("d"), OpenMode::kRead), IoError::Kind::kDenied, this->at("d"));
  expect_error(this->files().open(this->at("d"), OpenMode::kCreate), IoError::Kind::kDenied, this->at("d"));
}

TYPED_TEST_P(FileSystemContract, Names) {
  ASSERT_TRUE(this->files().create_directories(this->at("d/e")).has_value());
  ASSERT_TRUE(this->files().create_directories(this->at("d/e")).has_value()) << "fine if already there";
  this->put("b", "1"), this->put("a", "2"), this->put("d/f", "3");
  EXPECT_EQ(this->names(), "a b d/ ");
  EXPECT_EQ(this->names("d"), "e/ f ");
  EXPECT_EQ(this->files().exists(this->at("d/f")), true);
  EXPECT_EQ(this->files().exists(this->at("d/g")), false);
  EXPECT_EQ(this->files().exists(this->at("a/g")), false) << "below a file there is nothing";
  expect_error(this->files().list(this->at("x")), IoError::Kind::kNotFound, this->at("x"));
  expect_error(this->files().create_directories(this->at("a")), IoError::Kind::kExists, this->at("a"));
  expect_error(this->files().remove(this->at("d")), IoError::Kind::kExists, this->at("d"));
  expect_error(this->files().remove(this->at("x")), IoError::Kind::kNotFound, this->at("x"));
  EXPECT_TRUE(this->files().remove(this->at("d/e")).has_value());
  EXPECT_TRUE(this->files().remove(this->at("a")).has_value());
  EXPECT_TRUE(this->files().sync_dir(this->at("d")).has_value());
  EXPECT_TRUE(this->files().remove_all(this->at("d")).has_value());
  EXPECT_TRUE(this->files().remove_all(this->at("d")).has_value()) << "fine if it isn't there";
  EXPECT_TRUE(this->files().remove_all(this->at("d/e")).has_value());
  EXPECT_TRUE(this->files().remove_all(this->at("b")).has_value()) << "a file too";
  EXPECT_EQ(this->names(), "");
}

TYPED_TEST_P(FileSystemContract, RenameReplacesAndMoves) {
  this->put("a", "A"), this->put("b", "B");
  ASSERT_TRUE(this->files().create_directories(this->at("d")).has_value());
  ASSERT_TRUE(this->files().rename(this->at("a"), this->at("b")).has_value());
  EXPECT_EQ(this->text("b"), "A");
  ASSERT_TRUE(this->files().rename(this->at("b"), this->at("d/c")).has_value());
  EXPECT_EQ(this->names(), "d/ ");
  ASSERT_TRUE(this->files().rename(this->at("d"), this->at("e")).has_value())
      << "a directory with what is in it";
  EXPECT_EQ(this->text("e/c"), "A");
  expect_error(this->files().rename(this->at("x"), this->at("y")), IoError::Kind::kNotFound, this->at("x"));
  ASSERT_TRUE(this->files().create_directories(this->at("f/g")).has_value());
  expect_error(this->files().rename(this->at("e"), this->at("f")), IoError::Kind::kExists, this->at("f"));
  EXPECT_TRUE(this->files().rename(this->at("e"), this->at("e")).has_value());
}

TYPED_TEST_P(FileSystemContract, AnOpenFileOutlivesItsName) {
  this->put("a", "still here");
  FileRange range{this->open("a", OpenMode::kRead), 0, 10};
  ASSERT_TRUE(this->files().remove(this->at("a")).has_value());
  this->put("a", "other");
  uint8_t into[10];
  ASSERT_EQ(range.file->read_at(0, into), 10u);
  EXPECT_EQ(as_text(into), "still here");
}

TYPED_TEST_P(FileSystemContract, ReplaceLeavesNoTemporary) {
  ASSERT_TRUE(this->files().replace(this->at("c"), as_bytes("one")).has_value());
  ASSERT_TRUE(this->files().replace(this->at("c"), as_bytes("two")).has_value());
  EXPECT_EQ(this->text("c"), "two");
  EXPECT_EQ(this->names(), "c ");
  EXPECT_EQ(this->files().read_whole(this->at("c"), 2), "tw");
}

TYPED_TEST_P(FileSystemContract, OneHolderOfALock) {
  auto lock = this->files().lock(this->at(".lock"));
  ASSERT_TRUE(lock.has_value()) << lock.error().message;
  expect_error(this->files().lock(this->at(".lock")), IoError::Kind::kBusy,
               this->at(".lock") + " is locked by process ");
  lock->reset();
  EXPECT_TRUE(this->files().lock(this->at(".lock")).has_value());
}

TYPED_TEST_P(FileSystemContract, SpaceAndCache) {
  auto space = this->files().space(this->at("."));
  ASSERT_TRUE(space.has_value());
  EXPECT_GT(space->usable_bytes, 0);
  EXPECT_GE(space->total_bytes, space->usable_bytes);
  expect_error(this->files().space(this->at("x")), IoError::Kind::kNotFound, this->at("x"));
  this->put("a", std::string(10'000, 'x'));
  EXPECT_TRUE(this->open("a")->cached(0, 10'000)) << "just written";
}

REGISTER_TYPED_TEST_SUITE_P(FileSystemContract, ReadsWhatWasWritten, WritesManyParts,
                            HolesAndTruncationReadAsZeroes, OpenModes, Names, RenameReplacesAndMoves,
                            AnOpenFileOutlivesItsName, ReplaceLeavesNoTemporary, OneHolderOfALock,
                            SpaceAndCache);

}  // namespace moldau::io
