// Checks that kill -9 at any moment loses nothing that was put and leaves nothing half-written.

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <filesystem>
#include <random>

#include "support/stores.h"
#include "sweep/store/result_store.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;

using testing::end_of;
using testing::key_of;
using testing::outcome_of;
using testing::outcomes_of;
using testing::small_grid;
using testing::small_heading;
using testing::start_process;
using testing::TemporaryFolder;

constexpr std::size_t kPointsToKill = 6000, kBatchToKill = 10;

// Receives the points that the killed process says it has put.
class Told {
 public:
  Told() { ensure(::pipe(ends_) == 0, "a pipe"); }
  ~Told() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  bool tell(std::size_t point) const { return ::write(ends_[1], &point, sizeof point) == sizeof point; }
  // Waits until a point is told, at most 60 s.
  void wait() const {
    pollfd told{ends_[0], POLLIN, 0};
    ::poll(&told, 1, 60'000);
  }
  // Contract: the telling process has ended.
  std::vector<std::size_t> all() {
    ::close(ends_[1]);
    ends_[1] = -1;
    std::vector<std::size_t> points;
    for (std::size_t point; ::read(ends_[0], &point, sizeof point) == sizeof point;) points.push_back(point);
    return points;
  }

 private:
  int ends_[2];
};

// Puts the missing points, batch by batch.
bool fill(const std::string& path, const Told& told) {
  ResultStore store = ResultStore::resume(path, small_heading(), small_grid(kPointsToKill));
  const std::set<std::string> finished = store.finished();
  for (std::size_t point = 0; point < kPointsToKill; point += kBatchToKill) {
    if (finished.contains(key_of(point))) continue;
    store.put(outcomes_of(point, point + kBatchToKill));
    if (!told.tell(point)) return false;
  }
  return true;
}

// Returns the points told by a process that is killed a while after it began, or after its first put.
std::vector<std::size_t> kill_filling(const std::string& path, bool first_put, useconds_t after) {
  Told told;
  const pid_t child = start_process([&] { return fill(path, told) && ::pause() == 0; });
  if (first_put) told.wait();
  ::usleep(after);
  ::kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), 128 + SIGKILL);
  return told.all();
}

TEST(ResultStore, SurvivesBeingKilledAtAnyMoment) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.sqlite");
  ResultStore::create(path, small_heading(), small_grid(kPointsToKill));
  std::mt19937 random(20);
  std::size_t all_told = 0, interrupted = 0;
  for (int times = 0; times < 20; ++times) {
    const auto told = kill_filling(path, times % 2 == 0, static_cast<useconds_t>(random() % 50'000));
    const ResultStore store = ResultStore::open(path);
    for (const std::size_t point : told) EXPECT_EQ(store.find(key_of(point)), outcome_of(point).outcome);
    const std::size_t finished = store.finished().size();
    all_told += kBatchToKill * told.size();
    EXPECT_GE(finished, all_told);
    interrupted += finished < kPointsToKill;
    EXPECT_EQ(finished % kBatchToKill, 0u);
    EXPECT_EQ(testing::dump(path).substr(0, 3), "ok\n");
  }
  EXPECT_GT(all_told, 0u);
  EXPECT_GT(interrupted, 0u);
  EXPECT_EQ(
      end_of(start_process([&] { return ResultStore::open(path).put(outcomes_of(0, kPointsToKill)), true; })),
      0);
  EXPECT_EQ(testing::dump(path), testing::undisturbed_dump(folder, kPointsToKill));
  EXPECT_EQ(testing::table_of(ResultStore::open(path)),
            testing::table_of(ResultStore::open(folder.file("undisturbed.sqlite"))));
}

TEST(ResultStore, AKilledMakerLeavesNoStoreOrAWholeOne) {
  const TemporaryFolder folder;
  const std::vector<GridPoint> grid = small_grid(2000);
  std::mt19937 random(21);
  int stores = 0;
  for (int times = 0; times < 20; ++times) {
    const std::string path = folder.file(std::to_string(times));
    const pid_t child = start_process([&]() -> bool {
      for (int more = 0;; ++more)
        ResultStore::create(path + "-" + std::to_string(more), small_heading(), grid);
    });
    ::usleep(static_cast<useconds_t>(1000 + random() % 120'000));
    ::kill(child, SIGKILL);
    EXPECT_EQ(end_of(child), 128 + SIGKILL);
    for (int more = 0; fs::exists(path + "-" + std::to_string(more)); ++more, ++stores)
      EXPECT_EQ(ResultStore::open(path + "-" + std::to_string(more)).grid(), grid);
  }
  EXPECT_GT(stores, 0);
}

}  // namespace
}  // namespace spillway
