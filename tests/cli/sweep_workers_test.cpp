// Threads, ranks and shards run the same sweep and give the same store, byte for byte in every table.
#include <string>

#include "support/nightly.h"
#include "support/on_ranks.h"
#include "sweeps.h"

namespace spillway::testing {
namespace {

struct SweepWorkers : Sweeps {
  void SetUp() override {
    Sweeps::SetUp();
    sweep_ = file("sweep.json", sweep_text(grid_text(8)));
  }

  std::string sweep_;
};

TEST_F(SweepWorkers, ThreadsMakeNoDifference) {
  expect_equal_stores(swept(sweep_, "1.sqlite", "--jobs 1"), swept(sweep_, "2.sqlite", "--jobs 2"));
}

TEST_F(SweepWorkers, ShardsMergeToTheWhole) {
  std::string parts;
  for (const std::string shard : {"2", "0", "3", "1"})
    parts += ' ' + swept(sweep_, shard + ".sqlite", "--quiet --shard " + shard + "/4");
  const Outcome part = run("sweep export " + store("1.sqlite"));
  EXPECT_NE(part.err.find("1.sqlite: 48 points are not computed yet"), std::string::npos) << part.err;
  const Outcome merged = run("sweep merge --out " + store("all.sqlite") + parts);
  EXPECT_EQ(merged.status, 0) << merged.err;
  expect_equal_stores(store("all.sqlite"), swept(sweep_, "whole.sqlite"));
}

TEST_F(SweepWorkers, AShardSaysWhatItLacks) {
  const Outcome part = run("sweep " + sweep_ + " --shard 0/4 --out " + store("s.sqlite"));
  EXPECT_NE(part.out.find("16 points evaluated, 48 not finished"), std::string::npos) << part.out;
  EXPECT_NE(part.out.find("spillway sweep merge"), std::string::npos) << part.out;
}

struct SweepRanks : SweepWorkers {
  void SetUp() override {
    SweepWorkers::SetUp();
    if (std::system(SPILLWAY_MPIRUN " --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "there is no " SPILLWAY_MPIRUN;
  }
};

TEST_F(SweepRanks, MakeNoDifference) {
  const std::string ranked = swept(sweep_, "ranks.sqlite", "", testing::on_ranks(3));
  expect_equal_stores(ranked, swept(sweep_, "whole.sqlite"));
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

// Every day two ranks; `make nightly` starts three.
TEST_F(SweepRanks, SpeakWithOneVoice) {
  const int ranks = is_nightly() ? 3 : 2;
  const Outcome good = run("sweep " + sweep_ + " --out " + store("s.sqlite"), testing::on_ranks(ranks));
  EXPECT_EQ(count(good.out, "64 points evaluated"), 1u) << good.out;
  for (const std::string& command :
       {std::string("sweep none.json"), "sweep " + sweep_ + " --out " + store("s.sqlite"),
        "sweep " + sweep_ + " --shard 4/4", std::string("sweep --jobs x")}) {
    const Outcome bad = run(command, testing::on_ranks(ranks));
    EXPECT_EQ(bad.status, 2) << command;
    EXPECT_EQ(bad.out, "");
    EXPECT_EQ(count(bad.err, ": expected") + count(bad.err, "--jobs: Value"), 1u) << bad.err;
  }
}

}  // namespace
}  // namespace spillway::testing
