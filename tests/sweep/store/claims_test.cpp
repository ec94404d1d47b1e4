// A point is claimed by one process at a time, until that one lets go of it or dies.

#include "sweep/store/claims.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <optional>

#include "support/stores.h"

namespace spillway {
namespace {

using testing::end_of;
using testing::start_process;
using testing::TemporaryFolder;

TEST(PointClaims, AreExclusive) {
  const TemporaryFolder folder;
  PointClaims mine(folder.file("s.sqlite")), theirs(folder.file("s.sqlite"));
  EXPECT_TRUE(mine.claim(0));
  EXPECT_TRUE(mine.claim(0));
  EXPECT_FALSE(theirs.claim(0));
  EXPECT_TRUE(theirs.claim(1));
  EXPECT_FALSE(mine.claim(1));
  mine.release(0);
  EXPECT_TRUE(theirs.claim(0));
}

TEST(PointClaims, AreDroppedWithTheirHolder) {
  const TemporaryFolder folder;
  PointClaims mine(folder.file("s.sqlite"));
  std::optional<PointClaims> theirs(std::in_place, folder.file("s.sqlite"));
  EXPECT_TRUE(theirs->claim(999'999));
  theirs.reset();
  EXPECT_TRUE(mine.claim(999'999));
}

TEST(PointClaims, AreDroppedWhereTheirProcessIsKilled) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = start_process([&] {
    PointClaims theirs(folder.file("s.sqlite"));
    if (!theirs.claim(5)) return false;
    if (::write(ready[1], "!", 1) != 1) return false;
    ::pause();
    return false;
  });
  char sign = 0;
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  PointClaims mine(folder.file("s.sqlite"));
  EXPECT_FALSE(mine.claim(5));
  EXPECT_TRUE(mine.claim(4));
  ::kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), 128 + SIGKILL);
  EXPECT_TRUE(mine.claim(5));
}

TEST(PointClaims, LeaveNoFileBehind) {
  const TemporaryFolder folder;
  std::optional<PointClaims> mine(std::in_place, folder.file("s.sqlite"));
  std::optional<PointClaims> theirs(std::in_place, folder.file("s.sqlite"));
  theirs->claim(3);
  mine.reset();
  EXPECT_EQ(folder.names(), std::set<std::string>{"s.sqlite-claims"});
  theirs.reset();
  EXPECT_EQ(folder.names(), std::set<std::string>{});
}

TEST(PointClaims, RefuseAPlaceThatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(testing::refusal([&] { PointClaims claims(folder.file("none/s.sqlite")); }),
            folder.file("none/s.sqlite-claims") +
                ": /: expected a place that can be written, found No such file or directory");
}

// Two processes claim a point, release it and remove the file again and again. Never do both hold the point.
TEST(PointClaims, HoldWhileOthersComeAndGo) {
  const TemporaryFolder folder;
  const auto come_and_go = [&] {
    for (int times = 0; times < 400; ++times) {
      PointClaims claims(folder.file("s.sqlite"));
      if (!claims.claim(1)) continue;
      const int alone = ::open(folder.file("alone").c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
      if (alone < 0) return false;
      ::close(alone);
      ::unlink(folder.file("alone").c_str());
    }
    return true;
  };
  const pid_t first = start_process(come_and_go), second = start_process(come_and_go);
  EXPECT_EQ(end_of(first), 0);
  EXPECT_EQ(end_of(second), 0);
}

}  // namespace
}  // namespace spillway
