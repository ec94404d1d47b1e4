// Tests RankedJob under mpirun: three ranks play a scene of ranks_program.cpp.
#include "sweep/run/ranks.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>

#include "support/on_ranks.h"
#include "sweep/run/follower.h"
#include "sweep/run/letters.h"
#include "sweep/run/vigil.h"

namespace spillway {
namespace {

testing::Ended play(const std::string& scene, const std::string& options = "") {
  return testing::ended(testing::on_ranks(3, 30) + options + " " SPILLWAY_RANKS_PROGRAM " " + scene);
}

class Ranks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::ended(SPILLWAY_MPIRUN " --version").status != 0)
      GTEST_SKIP() << "there is no " SPILLWAY_MPIRUN;
  }
};

// mpirun prints the lines of the three ranks in any order. Its own lines are about a /sys that its hwloc
// misses.
TEST_F(Ranks, KeepWhatOneProcessWouldRoundAfterRoundAndAddNothingToTheOutput) {
  const testing::Ended three = play("rounds");
  EXPECT_EQ(three.status, 0);
  for (const std::string rank : {"0", "1", "2"})
    EXPECT_NE(three.output.find("rank " + rank + ": as it should be\n"), std::string::npos) << three.output;
  std::istringstream output(three.output);
  for (std::string line; std::getline(output, line);)
    EXPECT_TRUE(line.ends_with(": as it should be") || line.starts_with("[hwloc/")) << line;
}

TEST_F(Ranks, CarryLargeOutcomes) {
  const testing::Ended ended = play("large-outcomes");
  EXPECT_EQ(ended.status, 0) << ended.output;
}

TEST_F(Ranks, ReplayInProcessesOfTheirOwn) {
  if (testing::kForksMayHang) GTEST_SKIP() << "each point is computed in a process that is forked";
  const testing::Ended ended = play("replays");
  EXPECT_EQ(ended.status, 0) << ended.output;
}

TEST_F(Ranks, SayOnRank0WhatAnotherThrew) {
  const testing::Ended ended = play("fault");
  EXPECT_EQ(ended.status, 0) << ended.output;
}

TEST_F(Ranks, KeepWhatIsFinishedWhereRank0IsInterrupted) {
  const testing::Ended ended = play("interrupted");
  EXPECT_EQ(ended.status, 0) << ended.output;
}

TEST_F(Ranks, AreSentHomeWhereRank0NeverLeads) {
  const testing::Ended ended = play("no-lead");
  EXPECT_EQ(ended.status, 0) << ended.output;
}

TEST_F(Ranks, ComputeThePointsOfOneThatHangs) {
  const testing::Ended ended = play("stopped-rank");
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.output.find("rank 0: as it should be\n"), std::string::npos) << ended.output;
}

TEST_F(Ranks, ComputeThePointsOfOneThatDiesWhereMpirunLetsThem) {
  const testing::Ended ended = play("killed-rank", "--enable-recovery");
  EXPECT_NE(ended.output.find("rank 0: as it should be\n"), std::string::npos) << ended.output;
}

TEST_F(Ranks, EndTheJobOfARank0ThatIsFrozen) {
  const testing::Ended ended = play("frozen-lead");
  EXPECT_EQ(ended.status, 1) << ended.output;
  EXPECT_NE(ended.output.find("rank 0 has been silent for 3 s"), std::string::npos) << ended.output;
}

TEST(Follower, GetsNoWorkOnceItIsSilentUntilItIsHeardAgain) {
  Follower follower;
  EXPECT_FALSE(follower.takes_work()) << "it wants none";
  follower.wanted = 4;
  EXPECT_TRUE(follower.takes_work());
  follower.heard -= kSilence - std::chrono::seconds(1);
  EXPECT_FALSE(follower.falls_silent());
  follower.heard -= std::chrono::seconds(1);
  EXPECT_TRUE(follower.falls_silent());
  EXPECT_FALSE(follower.falls_silent()) << "only once";
  EXPECT_FALSE(follower.takes_work());
  follower.hear();
  EXPECT_TRUE(follower.takes_work());
  follower.left = true;
  EXPECT_FALSE(follower.takes_work());
}

TEST(Vigil, CountsSilenceButNotTheTimeInWhichNobodyLooked) {
  Vigil vigil;
  auto now = Vigil::Clock::now();
  vigil.silence(now);
  const auto second = std::chrono::milliseconds(1000);
  for (int i = 0; i < 10; ++i) vigil.silence(now += second / 2);
  EXPECT_EQ(vigil.silence(now += 3600 * second) / second, 6) << "the job was suspended for an hour";
  vigil.hear();
  EXPECT_EQ(vigil.silence(now += second) / second, 1);
}

TEST(IsLaunchedFirst, AsksWhatLaunchersSay) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) unsetenv(name);
  EXPECT_TRUE(is_launched_first());
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    setenv(name, "0", 1);
    EXPECT_TRUE(is_launched_first());
    setenv(name, "2", 1);
    EXPECT_FALSE(is_launched_first());
    unsetenv(name);
  }
}

TEST(IsLaunchedOnRanks, AsksWhatLaunchersSay) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_NTASKS"}) unsetenv(name);
  EXPECT_FALSE(is_launched_on_ranks());
  setenv("SLURM_NTASKS", "4", 1);  // as in a batch script, outside srun
  EXPECT_FALSE(is_launched_on_ranks());
  setenv("PMIX_RANK", "0", 1);
  EXPECT_TRUE(is_launched_on_ranks());
  setenv("SLURM_NTASKS", "1", 1);
  EXPECT_FALSE(is_launched_on_ranks());
  setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  EXPECT_FALSE(is_launched_on_ranks());
  setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
  EXPECT_TRUE(is_launched_on_ranks());
}

}  // namespace
}  // namespace spillway
