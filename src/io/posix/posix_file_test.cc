#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/posix/posix_file_system.h"
#include "io/posix/testdata/posix_world.h"

namespace moldau::io {
namespace {

class PosixFile : public ::testing::Test {
 protected:
  std::string at(const std::string& name) { return temporary_.path() + "/" + name; }
  TemporaryDirectory temporary_;
  PosixFileSystem files_;
};

// What a Java process does: a record lock of the process, on the whole file, and nothing written into it.
TEST_F(PosixFile, ALockThatAnotherProgramHoldsNamesItsProcess) {
  int ready[2], leave[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(leave), 0);
  const std::string path = at(".lock");
  const pid_t child = ::fork();
  if (child == 0) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    char byte = ::fcntl(descriptor, F_SETLK, &lock) == 0 ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    ::close(leave[1]);
    (void)!::read(leave[0], &byte, 1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const auto lock = files_.lock(path);
  ASSERT_FALSE(lock.has_value());
  EXPECT_EQ(lock.error().kind, IoError::Kind::kBusy);
  EXPECT_EQ(lock.error().message, path + " is locked by process " + std::to_string(child));
  for (const int end : {leave[0], leave[1], ready[0], ready[1]}) ::close(end);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(files_.lock(path).has_value()) << "the lock went with its holder";
}

TEST_F(PosixFile, OurLockNamesUs) {
  const auto lock = files_.lock(at(".lock"));
  ASSERT_TRUE(lock.has_value());
  const auto again = files_.lock(at(".lock"));
  EXPECT_EQ(again.error().message, at(".lock") + " is locked by process " + std::to_string(::getpid()));
}

TEST_F(PosixFile, WhatIsSetAsideTakesRoomButNoSizeUntilATruncation) {
  const auto file = *files_.open(at("f"), OpenMode::kCreate);
  ASSERT_TRUE(file->write_at(0, as_bytes("abc")));
  const auto blocks = [&] {
    struct stat state {};
    EXPECT_EQ(::stat(at("f").c_str(), &state), 0);
    return state.st_blocks * 512;
  };
  file->reserve(3, 1 << 20);
  EXPECT_EQ(*file->size(), 3);
  if (blocks() < 1 << 20) GTEST_SKIP() << "this file system sets nothing aside";
  ASSERT_TRUE(file->truncate(3));
  EXPECT_EQ(*file->size(), 3);
  EXPECT_LT(blocks(), 1 << 16);
}

TEST_F(PosixFile,
       AFullDiskIsNoSpaceAndAPrefixStays) {  // a limit on the file's size stands for the disk's end
  struct rlimit before;
  ::getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);
  auto file = *files_.open(at("a"), OpenMode::kCreate);
  rlimit tight = before;
  tight.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &tight);
  const std::string one(600, 'a'), two(600, 'b');
  const Bytes parts[] = {as_bytes(one), as_bytes(two)};
  const auto written = file->write_at(0, parts);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(written.has_value()) << "a short write goes on until it fails";
  EXPECT_NE(written.error().message.find(at("a")), std::string::npos);
  EXPECT_EQ(file->size(), 1000);
}

TEST_F(PosixFile, ColdPagesAreNotCached) {
  auto file = *files_.open(at("a"), OpenMode::kCreate);
  const std::string text(1 << 20, 'x');
  ASSERT_TRUE(file->write_at(0, as_bytes(text)).has_value());
  ASSERT_TRUE(file->sync().has_value());
  EXPECT_TRUE(file->cached(0, 1 << 20));
  EXPECT_TRUE(file->cached(12345, 1));
  EXPECT_TRUE(file->cached(0, 0));
  ::posix_fadvise(file->descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  if (file->cached(0, 1 << 20)) GTEST_SKIP() << "this file system keeps its pages";
  uint8_t page[4096];
  ASSERT_EQ(file->read_at(0, page), sizeof page);
  EXPECT_TRUE(file->cached(0, 4096)) << "just read";
}

TEST_F(PosixFile, ListsWhatASymbolicLinkLeadsTo) {
  ASSERT_TRUE(files_.create_directories(at("d/inner")).has_value());
  ASSERT_EQ(::symlink(at("d").c_str(), at("link").c_str()), 0);
  const auto entries = files_.list(at("."));
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[1].name, "link");
  EXPECT_TRUE((*entries)[1].is_directory);
  ASSERT_TRUE(files_.remove_all(at("link")).has_value());
  EXPECT_EQ(files_.exists(at("d/inner")), true) << "removing a link leaves what it led to";
}

TEST_F(PosixFile, NothingIsInherited) {
  auto file = *files_.open(at("a"), OpenMode::kCreate);
  EXPECT_TRUE(::fcntl(file->descriptor(), F_GETFD) & FD_CLOEXEC);
}

}  // namespace
}  // namespace moldau::io
