// Sweeps that are interrupted and then resumed.
#include <signal.h>

#include <chrono>
#include <random>
#include <regex>
#include <string>
#include <thread>

#include "support/nightly.h"
#include "sweeps.h"

namespace spillway::testing {
namespace {

using Milliseconds = std::chrono::milliseconds;

struct SweepInterrupted : Sweeps {
  void SetUp() override {
    Sweeps::SetUp();
    sweep_ = file("sweep.json", sweep_text(grid_text(90)));
  }

  std::string sweep_;
};

// A run that ends before its kill is compared with the whole sweep, and the next one begins anew. So the
// kills are spread over the sweep on a machine of any speed. `make nightly` kills it at twenty moments.
TEST_F(SweepInterrupted, KilledAtTwentyMomentsLosesNothing) {
  const int kKills = is_nightly() ? 20 : 5;
  const auto start_of_run = std::chrono::steady_clock::now();
  const std::string whole = swept(sweep_, "whole.sqlite", "--quiet");
  const auto run_time =
      std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start_of_run);
  std::minstd_rand random(1);
  const std::string path = store("killed.sqlite");
  int killed = 0, stores = 1;
  while (killed < kKills && stores < 3 * kKills) {
    const pid_t run = start("sweep " + sweep_ + " --resume --out " + path, "killed");
    std::this_thread::sleep_for(run_time * std::uniform_real_distribution(0.0, 0.6)(random));
    ::kill(run, SIGKILL);
    if (end_of(run) == 128 + SIGKILL) {
      ++killed;
      continue;
    }
    expect_equal_stores(path, whole);
    fs::remove(path);
    ++stores;
  }
  EXPECT_EQ(killed, kKills);
  expect_equal_stores(swept(sweep_, "killed.sqlite", "--resume"), whole);
}

TEST_F(SweepInterrupted, TerminatedSaysWhatIsKept) {
  const std::string path = store("s.sqlite");
  const pid_t run = start("sweep " + file("long.json", sweep_text(grid_text(2000))) + " --out " + path, "s");
  while (!fs::exists(path)) std::this_thread::sleep_for(Milliseconds(5));
  std::this_thread::sleep_for(Milliseconds(300));
  ::kill(run, SIGTERM);
  EXPECT_EQ(end_of(run), 130);
  const std::string said = slurp(store("s.err"));
  std::smatch kept;
  ASSERT_TRUE(std::regex_search(
      said, kept, std::regex("(\\d+) of 16000 points are stored in " + path + "; continue with --resume\n")))
      << said;
  EXPECT_EQ(ResultStore::open_to_read(path).finished().size(), std::stoul(kept[1]));
  EXPECT_EQ(slurp(store("s.out")), "");
}

std::size_t computed_now(const std::string& said) {
  std::smatch found;
  return std::regex_search(said, found, std::regex("(\\d+) points? computed in this run"))
             ? std::stoul(found[1])
             : 0;
}

TEST_F(SweepInterrupted, TwoProcessesShareAStoreAndComputeNoPointTwice) {
  const std::string path = store("shared.sqlite");
  const std::string command = "sweep " + sweep_ + " --jobs 1 --resume --out " + path;
  const pid_t one = start(command, "one"), other = start(command, "other");
  EXPECT_EQ(end_of(one), 0) << slurp(store("one.err"));
  EXPECT_EQ(end_of(other), 0) << slurp(store("other.err"));
  EXPECT_EQ(computed_now(slurp(store("one.out"))) + computed_now(slurp(store("other.out"))), 720u);
  expect_equal_stores(path, swept(sweep_, "whole.sqlite"));
  EXPECT_EQ(computed_now(run(command).out), 0u);
}

}  // namespace
}  // namespace spillway::testing
