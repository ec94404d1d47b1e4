// Tests full disks and read-only folders.

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <filesystem>

#include "support/stores.h"
#include "sweep/store/result_store.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

using testing::dump;
using testing::end_of;
using testing::outcomes_of;
using testing::refusal;
using testing::small_grid;
using testing::small_heading;
using testing::start_process;
using testing::TemporaryFolder;

constexpr std::size_t kPointsOfDisk = 2000, kBatchOfDisk = 50;

// The refusal that stopped a fill, and the number of points put before it.
struct Stop {
  std::string refusal;
  std::size_t points = 0;
};

Stop fill(ResultStore& store) {
  Stop stop;
  stop.refusal = refusal([&] {
    for (; stop.points < kPointsOfDisk; stop.points += kBatchOfDisk)
      store.put(outcomes_of(stop.points, stop.points + kBatchOfDisk));
  });
  return stop;
}

// Returns true if a store that runs out of room keeps all points put before and goes on once there is room.
bool stops_and_goes_on(const std::string& path, const std::string& expected,
                       const std::function<void()>& make_room) {
  ResultStore store = ResultStore::create(path, small_heading(), small_grid(kPointsOfDisk));
  const Stop stop = fill(store);
  const bool stopped =
      stop.points > 0 &&
      stop.refusal == path + ": /: expected a disk with room for the store, found " + expected +
                          "; all points stored before are kept; make room and continue with --resume";
  if (!stopped) std::fprintf(stderr, "%zu points, %s\n", stop.points, stop.refusal.c_str());
  const bool kept = store.finished().size() == stop.points;
  make_room();
  return stopped && kept && fill(store).refusal.empty();
}

TEST(FullDisk, ALimitOfFileSizeLosesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.sqlite");
  const pid_t child = start_process([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{700'000, limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    return stops_and_goes_on(path, "disk I/O error", [&] { ::setrlimit(RLIMIT_FSIZE, &limit); });
  });
  EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(dump(path), testing::undisturbed_dump(folder, kPointsOfDisk));
}

constexpr int kNoMounts = 77;

// Runs `work` on a small private disk in memory. Returns kNoMounts if mounting is not allowed.
int on_small_disk(const std::string& folder, const std::function<bool()>& work) {
  return end_of(start_process([&] {
    const int spaces = CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER);
    const bool mounted = ::unshare(spaces) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("none", folder.c_str(), "tmpfs", 0, "size=1m") == 0;
    if (!mounted) ::_exit(kNoMounts);
    return work();
  }));
}

TEST(FullDisk, LosesNothing) {
  const TemporaryFolder folder, outside;
  const int end = on_small_disk(folder.file(""), [&] {
    const std::string path = folder.file("s.sqlite");
    return stops_and_goes_on(
               path, "database or disk is full",
               [&] { ::mount("none", folder.file("").c_str(), nullptr, MS_REMOUNT, "size=64m"); }) &&
           dump(path) == testing::undisturbed_dump(outside, kPointsOfDisk);
  });
  if (end == kNoMounts) GTEST_SKIP() << "this machine lets nobody mount a small disk";
  EXPECT_EQ(end, 0);
}

TEST(FullDisk, CannotHoldANewStoreAndKeepsNoPartOfOne) {
  const TemporaryFolder folder;
  const int end = on_small_disk(folder.file(""), [&] {
    const std::string text =
        refusal([&] { ResultStore::create(folder.file("s.sqlite"), small_heading(), small_grid(50'000)); });
    return text.find("found database or disk is full") != std::string::npos && folder.names().empty();
  });
  if (end == kNoMounts) GTEST_SKIP() << "this machine lets nobody mount a small disk";
  EXPECT_EQ(end, 0);
}

void protect(const std::string& folder) {
  ::mount("none", folder.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, "size=1m");
}

TEST(ReadOnlyFolder, AStoreIsReadThere) {
  const TemporaryFolder folder;
  const int end = on_small_disk(folder.file(""), [&] {
    const std::string path = folder.file("a #?.sqlite");
    ResultStore::create(path, small_heading(), small_grid(10)).put(outcomes_of(0, 10));
    protect(folder.file(""));
    return ResultStore::open_to_read(path).finished().size() == 10 &&
           !refusal([&] { ResultStore::open(path).put(outcomes_of(0, 1)); }).empty();
  });
  if (end == kNoMounts) GTEST_SKIP() << "this machine lets nobody mount a small disk";
  EXPECT_EQ(end, 0);
}

TEST(ReadOnlyFolder, ALogThereIsRefusedWithWhatToDo) {
  const TemporaryFolder folder;
  const int end = on_small_disk(folder.file(""), [&] {
    const std::string path = folder.file("s.sqlite");
    end_of(start_process([&] {
      ResultStore store = ResultStore::create(path, small_heading(), small_grid(10));
      store.put(outcomes_of(0, 10));
      return ::raise(SIGKILL) == 0;
    }));
    fs::remove(path + "-shm");
    protect(folder.file(""));
    const std::string text = refusal([&] { ResultStore::open_to_read(path); });
    return text == path +
                       ": /: expected a store in a folder that can be written, since it has a log, found " +
                       path + "-wal: copy both files to a folder that can be written";
  });
  if (end == kNoMounts) GTEST_SKIP() << "this machine lets nobody mount a small disk";
  EXPECT_EQ(end, 0);
}

}  // namespace
}  // namespace spillway
