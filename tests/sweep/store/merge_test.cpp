// Checks that shards become one store and do not change.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "support/stores.h"
#include "sweep/store/result_store.h"

namespace spillway {
namespace {

using testing::bytes_in_file;
using testing::dump;
using testing::key_of;
using testing::outcomes_of;
using testing::refusal;
using testing::small_grid;
using testing::small_heading;
using testing::TemporaryFolder;

ResultStore made(const TemporaryFolder& folder, const std::string& name) {
  return ResultStore::create(folder.file(name), small_heading(), small_grid(40));
}

TEST(Merge, OfShardsIsTheWhole) {
  const TemporaryFolder folder;
  made(folder, "a").put(outcomes_of(0, 25));
  made(folder, "b").put(outcomes_of(15, 40));
  ResultStore all = made(folder, "all");
  all.merge(ResultStore::open_to_read(folder.file("b")));
  all.merge(ResultStore::open_to_read(folder.file("a")));
  all.merge(all);
  EXPECT_EQ(dump(all.path()), testing::undisturbed_dump(folder, 40));
}

TEST(Merge, ReadsWhatAKilledProcessLeftAndChangesNothingOfIt) {
  const TemporaryFolder folder;
  const std::string source = folder.file("source"), log = source + "-wal";
  const pid_t child = testing::start_process([&] {
    made(folder, "source").put(outcomes_of(0, 10));
    ResultStore store = ResultStore::open(source);
    store.put(outcomes_of(10, 40));
    return ::raise(SIGKILL) == 0;
  });
  ASSERT_EQ(testing::end_of(child), 128 + SIGKILL);
  const std::string bytes = bytes_in_file(source), log_bytes = bytes_in_file(log);
  ASSERT_FALSE(log_bytes.empty());
  ResultStore all = made(folder, "all");
  all.merge(ResultStore::open_to_read(source));
  EXPECT_EQ(dump(all.path()), testing::undisturbed_dump(folder, 40));
  EXPECT_EQ(bytes_in_file(source), bytes);
  EXPECT_EQ(bytes_in_file(log), log_bytes);
}

TEST(Merge, LeavesNothingBesideASettledSource) {
  const TemporaryFolder folder;
  made(folder, "source").put(outcomes_of(0, 40));
  const std::string bytes = bytes_in_file(folder.file("source"));
  made(folder, "all").merge(ResultStore::open_to_read(folder.file("source")));
  EXPECT_EQ(bytes_in_file(folder.file("source")), bytes);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"all", "source"}));
}

TEST(Merge, RefusesAnotherSweep) {
  const TemporaryFolder folder;
  SweepHeading heading = small_heading();
  heading.name = "else";
  const ResultStore other = ResultStore::create(folder.file("other"), heading, small_grid(40));
  ResultStore all = made(folder, "all");
  EXPECT_EQ(refusal([&] { all.merge(other); }),
            other.path() + ": /heading/sweep: expected results of sweep study, found results of sweep else");
}

TEST(Merge, RefusesAnotherOutcomeOfOneKeyAndTakesNothing) {
  const TemporaryFolder folder;
  ResultStore all = made(folder, "all"), other = made(folder, "other");
  all.put(outcomes_of(39, 40));
  other.put(outcomes_of(0, 39));
  other.put({{key_of(39), {"another"}}});
  const std::string before = dump(all.path());
  EXPECT_EQ(refusal([&] { all.merge(other); }),
            all.path() + ": /outcomes/" + key_of(39) + ": expected the outcome that " + other.path() +
                " has, found another one; the same program and sweep give equal outcomes, so one of the "
                "stores has a wrong heading");
  EXPECT_EQ(dump(all.path()), before);
}

TEST(Join, IsTheWholeOfItsShardsAndTheirsAlone) {
  const TemporaryFolder folder;
  made(folder, "a").put(outcomes_of(0, 25));
  made(folder, "b").put(outcomes_of(15, 40));
  ResultStore::join(folder.file("all"), {folder.file("b"), folder.file("a"), folder.file("b")});
  EXPECT_EQ(dump(folder.file("all")), testing::undisturbed_dump(folder, 40));
  EXPECT_NE(
      refusal([&] { ResultStore::join(folder.file("all"), {folder.file("a")}); }).find("expected a new file"),
      std::string::npos);
}

// Whenever the process ends, the path holds the whole store or nothing.
TEST(Join, InterruptedLeavesNoStoreWithoutSomeShards) {
  const TemporaryFolder folder;
  std::vector<std::string> parts;
  for (std::size_t shard = 0; shard < 4; ++shard) {
    parts.push_back(folder.file("shard" + std::to_string(shard)));
    ResultStore::create(parts.back(), small_heading(), small_grid(2000))
        .put(outcomes_of(500 * shard, 500 * (shard + 1)));
  }
  const std::string all = folder.file("all"), whole = testing::undisturbed_dump(folder, 2000);
  int none = 0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(all + end);
    const pid_t child = testing::start_process([&] { return ResultStore::join(all, parts), true; });
    ::usleep(static_cast<useconds_t>(500 * attempt * attempt));
    ::kill(child, attempt % 2 == 0 ? SIGKILL : SIGTERM);
    testing::end_of(child);
    if (!std::filesystem::exists(all)) {
      ++none;
    } else {
      EXPECT_EQ(dump(all), whole) << attempt;
    }
  }
  EXPECT_GT(none, 0);
}

TEST(OpenToRead, PutsNothing) {
  const TemporaryFolder folder;
  made(folder, "s");
  ResultStore store = ResultStore::open_to_read(folder.file("s"));
  EXPECT_EQ(
      refusal([&] { store.put(outcomes_of(0, 1)); }),
      store.path() + ": /: expected a store that can be written, found attempt to write a readonly database");
}

}  // namespace
}  // namespace spillway
