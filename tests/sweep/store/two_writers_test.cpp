// Tests processes that share a store.

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include "support/stores.h"
#include "sweep/store/result_store.h"

namespace spillway {
namespace {

using testing::dump;
using testing::end_of;
using testing::outcome_of;
using testing::outcomes_of;
using testing::refusal;
using testing::small_grid;
using testing::small_heading;
using testing::start_process;
using testing::TemporaryFolder;
using testing::undisturbed_dump;
using namespace std::chrono_literals;

constexpr const char* kLocked =
    ": /: expected a store that no other process keeps locked, found one that another process keeps locked: "
    "wait for that process or end it, then continue with --resume";

// Each process puts every point, one in ascending and one in descending order.
TEST(ResultStore, TwoProcessesMayPutAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.sqlite");
  ResultStore::create(path, small_heading(), small_grid(500));
  const auto put_all = [&](bool ascending) {
    return start_process([&path, ascending] {
      ResultStore store = ResultStore::open(path);
      for (std::size_t batch = 0; batch < 100; ++batch) {
        const std::size_t from = 5 * (ascending ? batch : 99 - batch);
        store.put(outcomes_of(from, from + 5));
      }
      return store.finished().size() >= 250;
    });
  };
  const pid_t first = put_all(true), second = put_all(false);
  EXPECT_EQ(end_of(first), 0);
  EXPECT_EQ(end_of(second), 0);
  EXPECT_EQ(dump(path), undisturbed_dump(folder, 500));
  EXPECT_EQ(folder.names(), (std::set<std::string>{"s.sqlite", "undisturbed.sqlite"}));
}

TEST(ResultStore, OfProcessesThatBeginAtOnceOneMakesIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("new/s.sqlite");
  std::vector<pid_t> processes;
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    processes.push_back(start_process([&path, quarter] {
      ResultStore store = ResultStore::resume(path, small_heading(), small_grid(100));
      store.put(outcomes_of(25 * quarter, 25 * quarter + 25));
      return true;
    }));
  }
  for (const pid_t process : processes) EXPECT_EQ(end_of(process), 0);
  EXPECT_EQ(dump(path), undisturbed_dump(folder, 100));
}

TEST(ResultStore, ReadersSeeWhatWasThereWhenTheyBegan) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::create(folder.file("s.sqlite"), small_heading(), small_grid(3));
  const ResultStore reader = ResultStore::open_to_read(store.path());
  int outcomes = 0;
  reader.for_each([&](const GridPoint&, const std::optional<PointOutcome>& outcome) {
    outcomes += outcome.has_value();
    store.put(outcomes_of(0, 3));
  });
  EXPECT_EQ(outcomes, 0);
  EXPECT_EQ(reader.finished().size(), 3u);
}

TEST(ResultStore, ALockedOneIsRefusedWithWhatToDo) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.sqlite");
  ResultStore::create(path, small_heading(), small_grid(3));
  SQLite::Database other(path, SQLite::OPEN_READWRITE);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  EXPECT_EQ(refusal([&] { ResultStore::open(path, 20ms); }), path + kLocked);
  EXPECT_EQ(refusal([&] { ResultStore::open_to_read(path, 20ms); }), path + kLocked);
}

TEST(ResultStore, AWriterThatWaitsTooLongLosesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.sqlite");
  ResultStore::create(path, small_heading(), small_grid(3)).put({outcome_of(0)});
  ResultStore store = ResultStore::open(path, 20ms);
  SQLite::Database other(path, SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  EXPECT_EQ(refusal([&] { store.put(outcomes_of(1, 3)); }), path + kLocked);
  EXPECT_EQ(refusal([&] { store.settle(); }), path + kLocked);
  EXPECT_EQ(store.finished().size(), 1u);
  other.exec("ROLLBACK");
  store.put(outcomes_of(1, 3));
  EXPECT_EQ(dump(path), undisturbed_dump(folder, 3));
}

}  // namespace
}  // namespace spillway
