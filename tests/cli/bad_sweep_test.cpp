// Invalid sweeps, stores and pictures: exit status 2, the place and the reason named, nothing left behind.
#include <sys/resource.h>

#include <string>

#include "sweeps.h"

namespace spillway::testing {
namespace {

struct BadSweeps : Sweeps {
  void expect_bad(const std::string& axes, const std::string& message) const {
    const std::string sweep = file("bad.json", sweep_text(R"("axes": [)" + axes + "]"));
    expect_refused("sweep " + sweep + " --out " + store("bad.sqlite"), sweep + ": " + message);
    EXPECT_FALSE(fs::exists(store("bad.sqlite")));
  }
  std::string good() const { return swept(sweep_, "good.sqlite"); }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.insert(entry.path().filename().string());
    return all;
  }

  void SetUp() override {
    Sweeps::SetUp();
    sweep_ = file("sweep.json", sweep_text(grid_text(2)));
  }

  std::string sweep_;
};

TEST_F(BadSweeps, AreRefusedByTheirFiles) {
  expect_bad(R"({ "pointer": "/pipeline/rank", "values": [1] })",
             "/axes/0/pointer: expected a known key, such as \"ranks\", found \"rank\"");
  expect_bad(R"({ "pointer": "/network/p2p_ms", "range": { "from": 5, "to": 4, "step": 1 } })",
             "/axes/0/range/to: expected a number of at least from, 5, found 4");
  expect_refused("sweep " + store("none.json"), "none.json: /: expected a readable file");
  expect_refused("sweep " + kSmall, "expected \"spillway/sweep/1\", found \"spillway/experiment/1\"");
}

// The program counts the points without making them: it needs no memory beyond that in use before a sweep
// begins, and less than a second.
TEST_F(BadSweeps, AThousandMillionPointsAreCountedAndRefused) {
  std::string axes;
  for (const char* pointer : {"/pipeline/ranks", "/pipeline/microbatches", "/network/p2p_ms"})
    axes += (axes.empty() ? "" : ", ") + (R"({ "pointer": ")" + std::string(pointer)) +
            R"(", "range": { "from": 1, "to": 1000, "step": 1 } })";
  expect_bad(
      axes,
      "/axes: expected at most 1000000 points; use fewer values on /axes/0, the longest axis (a larger step "
      "or factor), zip axes, or split the sweep, found 1000 x 1000 x 1000 = 1000000000 points");
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(usage.ru_maxrss, 200 * 1024);  // KiB, of the largest child
}

TEST_F(BadSweeps, ArgumentsAreNamed) {
  const std::string command = "sweep " + sweep_ + " --out " + store("s.sqlite");
  for (const std::string shard : {"4/4", "x", "1/0", "1/2/3", "-1/2"})
    expect_refused(command + " --shard " + shard,
                   "--shard: expected i/n with i from 0 to n - 1, such as 0/4, found \"" + shard + '"');
  for (const std::string jobs : {"0", "x", "-1", "1025"}) {
    const std::string refused = "--jobs: Value " + jobs + " not in range ";
    const Outcome outcome = run(command + " --jobs " + jobs);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    // CLI11 of Debian 12, and of Debian 13.
    EXPECT_TRUE(outcome.err.find(refused + "1 to 1024") != std::string::npos ||
                outcome.err.find(refused + "[1 - 1024]") != std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(names(), (std::set<std::string>{"sweep.json", "stdout", "stderr"}));
}

TEST_F(BadSweeps, PlacesThatCannotBeWrittenAreNamed) {
  file("plain", "no folder");
  expect_refused("sweep " + sweep_ + " --out " + store("plain/s.sqlite"),
                 "plain/s.sqlite: /: expected a place that can be written");
}

TEST_F(BadSweeps, StoresOfOthersAreNotTouched) {
  const std::string path = good(), before = dump(path);
  expect_refused("sweep " + sweep_ + " --out " + path,
                 "expected a new file, or --resume to continue a store, found a file");
  const std::string other = file("other.json", sweep_text(grid_text(2), "other"));
  expect_refused("sweep " + other + " --resume --out " + path,
                 path + ": /heading/sweep: expected results of sweep other, found results of sweep shrunk");
  const std::string wider = file("wider.json", sweep_text(grid_text(3)));
  expect_refused("sweep " + wider + " --resume --out " + path,
                 path + ": /heading/identity: expected results of this sweep (");
  EXPECT_EQ(dump(path), before);
}

TEST_F(BadSweeps, FilesThatAreNoStoresAreRefused) {
  const std::string plain = file("plain.sqlite", "neither a store nor anything else");
  const std::string message = plain + ": /: expected a results store, found a file of another kind";
  expect_refused("sweep export " + plain, message);
  expect_refused("sweep merge --out " + store("all.sqlite") + ' ' + plain, message);
  expect_refused("sweep plot " + plain + " --out " + store("a.svg"), message);
  expect_refused("sweep " + sweep_ + " --resume --out " + plain, message);
  expect_refused("sweep export " + store("none.sqlite"),
                 "none.sqlite: /: expected a results store, found no such file");
  EXPECT_EQ(slurp(plain), "neither a store nor anything else");
}

TEST_F(BadSweeps, DamagedStoresAreRefused) {
  const std::string path = good();
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(4096) << std::string(3000, '\0');
  const std::string message = path + ": /: expected a whole results store, found a damaged one (";
  expect_refused("sweep export " + path, message);
  expect_refused("sweep " + sweep_ + " --resume --out " + path, message);
}

// The damaged outcome is the last point's. The points before it are not printed, either.
TEST_F(BadSweeps, AnExportOfADamagedOutcomePrintsNothing) {
  const std::string path = good();
  SQLite::Database(path, SQLite::OPEN_READWRITE)
      .exec(
          "UPDATE outcomes SET outcome = x'00' WHERE key = (SELECT key FROM grid ORDER BY point DESC LIMIT "
          "1)");
  expect_refused("sweep export " + path, ": expected ");
  expect_refused("sweep export --format json " + path, ": expected ");
}

TEST_F(BadSweeps, ALockedStoreIsNotWaitedForLong) {
  const std::string path = good();
  SQLite::Database other(path, SQLite::OPEN_READWRITE);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  const auto begun = std::chrono::steady_clock::now();
  expect_refused("sweep " + sweep_ + " --resume --out " + path,
                 path +
                     ": /: expected a store that no other process keeps locked, found one that another "
                     "process keeps locked: wait for that process or end it, then continue with --resume");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, kPatience);
}

TEST_F(BadSweeps, StoresOfDifferentSweepsAreNotMerged) {
  const std::string path = good();
  const std::string other = swept(file("other.json", sweep_text(grid_text(2), "other")), "other.sqlite");
  const auto before = names();
  expect_refused("sweep merge --out " + store("all.sqlite") + ' ' + path + ' ' + other,
                 other + ": /heading/sweep: expected results of sweep shrunk, found results of sweep other");
  EXPECT_EQ(names(), before);
  expect_refused("sweep merge --out " + other + ' ' + path, other + ": /: expected a new file");
}

// The contradiction shows only once the outcomes are compared.
TEST_F(BadSweeps, StoresThatContradictEachOtherAreNotMerged) {
  const std::string path = good();
  fs::copy(path, store("changed.sqlite"));
  ResultStore kept = ResultStore::open(path);
  const std::string key = kept.grid().front().key;
  const std::string bytes = bytes_of({.refusal = "never"});
  SQLite::Database changed(store("changed.sqlite"), SQLite::OPEN_READWRITE);
  SQLite::Statement statement(changed, "UPDATE outcomes SET outcome = ? WHERE key = ?");
  statement.bind(1, bytes.data(), static_cast<int>(bytes.size()));
  statement.bind(2, key);
  EXPECT_EQ(statement.exec(), 1);
  expect_refused("sweep merge --out " + store("all.sqlite") + ' ' + path + ' ' + store("changed.sqlite"),
                 "all.sqlite: /outcomes/" + key + ": expected the outcome that ");
  for (const char* end : {"", "-wal", "-shm"}) EXPECT_FALSE(fs::exists(store("all.sqlite") + end));
}

TEST_F(BadSweeps, PicturesAreOfAxesAndColumns) {
  const std::string plot = "sweep plot " + good() + " --out " + store("a.svg");
  expect_refused(plot + " --x /pipeline/rank",
                 "--x: expected an axis of the sweep, such as \"/pipeline/ranks\", found \"/pipeline/rank\"");
  expect_refused(plot + " --x /pipeline/ranks --metric makespan", "--metric: expected a column of figures");
  expect_refused(plot + " --x /pipeline/ranks", "--at: expected one value of ");
  expect_refused(plot + " --x /pipeline/ranks --schedule none",
                 "--schedule: expected one of mpipe, megatron");
  expect_refused("sweep plot " + store("good.sqlite") + " --x /pipeline/ranks --out " + store("a.pdf"),
                 "--out: expected a file that ends in .svg or .png, found \"" + store("a.pdf"));
  file("plain", "no folder");
  expect_refused("sweep plot " + store("good.sqlite") +
                     " --x /pipeline/ranks --at /pipeline/microbatches=8 --at /network/p2p_ms=0 --out " +
                     store("plain/a.svg"),
                 "plain/a.svg: /: expected a place that can be written");
  EXPECT_FALSE(fs::exists(store("a.svg")));
}

}  // namespace
}  // namespace spillway::testing
