// Plans that are interrupted and then resumed.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/on_ranks.h"
#include "sweeps.h"

namespace spillway::testing {
namespace {

using Clock = std::chrono::steady_clock;

// The job of bench/jobs/text.json on fewer devices, under two frameworks.
struct PlanInterrupted : Sweeps {
  void SetUp() override {
    Sweeps::SetUp();
    std::string job = slurp(kSource / "bench/jobs/text.json");
    const auto put = [&](const std::string& from, const std::string& to) {
      for (auto at = job.find(from); at != std::string::npos; at = job.find(from, at + to.size()))
        job.replace(at, from.size(), to);
    };
    put("../..", kSource.string());
    put("[64]", "[32]");
    put("\"none\"", "[\"megatron-overlapped\", \"hf-fsdp2\"]");
    put("\"name\": \"llm\"", "\"layers\": 8, \"name\": \"llm\"");
    job_ = file("job.json", job);
  }

  Outcome planned(const std::string& options, const std::string& launcher = "") const {
    return run("plan " + job_ + " --json --quiet --top 3 " + options, launcher);
  }

  std::string job_;
};

TEST_F(PlanInterrupted, AStoreChangesNothing) {
  const Outcome without = planned("");
  const std::string path = store("plan.sqlite");
  EXPECT_EQ(without.status, 0) << without.err;
  EXPECT_EQ(planned("--out " + path).out, without.out);
  expect_refused("plan " + job_ + " --out " + path, "a new file, or --resume to continue a store");
  const auto evaluated = ResultStore::open_to_read(path).finished().size();
  EXPECT_EQ(planned("--resume --out " + path).out, without.out);
  EXPECT_EQ(ResultStore::open_to_read(path).finished().size(), evaluated);
  const std::string again = store("again.sqlite");
  EXPECT_EQ(planned("--resume --jobs 1 --out " + again).out, without.out);
  expect_equal_stores(again, path);
}

TEST_F(PlanInterrupted, OnRanksItIsTheSameStore) {
  const std::string alone = store("alone.sqlite"), ranked = store("ranked.sqlite");
  const Outcome one = planned("--out " + alone);
  const Outcome two = planned("--out " + ranked, testing::on_ranks(2));
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(one.out, two.out);
  expect_equal_stores(ranked, alone);
}

// The runs are killed or interrupted at moments spread over the search. On a machine that was busier while
// the whole run was timed, the first may end before its moment; the next begins anew, and has less time.
TEST_F(PlanInterrupted, GivesTheSameInTheEnd) {
  const auto begun = Clock::now();
  const std::string whole = store("whole.sqlite"), path = store("parts.sqlite");
  const Outcome expected = planned("--jobs 1 --out " + whole);
  auto run_time = Clock::now() - begun;
  int ended = 0;
  for (const double share : {0.2, 0.4, 0.6, 0.8}) {
    const bool killed = ended % 2 == 1;
    const pid_t run = start("plan " + job_ + " --quiet --top 3 --jobs 1 --resume --out " + path, "part");
    std::this_thread::sleep_for(run_time * share);
    ::kill(run, killed ? SIGKILL : SIGINT);
    int status = 0;
    ::waitpid(run, &status, 0);
    if (status == 0 && ended > 0) break;
    if (status == 0) {
      run_time /= 4;
      fs::remove(path);
      continue;
    }
    ++ended;
    if (killed) {
      EXPECT_TRUE(WIFSIGNALED(status));
    } else if (WIFEXITED(status)) {
      // Only the search handles the signal. Before the search, the signal ends the program at once.
      EXPECT_EQ(WEXITSTATUS(status), 130);
      EXPECT_NE(slurp(store("part.err")).find("continue with --resume"), std::string::npos);
    }
  }
  EXPECT_GT(ended, 0);
  EXPECT_EQ(planned("--resume --out " + path).out, expected.out);
  expect_equal_stores(path, whole);
}

TEST_F(PlanInterrupted, RefusesStoresOfOtherJobs) {
  const std::string path = store("plan.sqlite");
  ASSERT_EQ(planned("--out " + path).status, 0);
  std::string other = slurp(job_);
  other.replace(other.find("128"), 3, "256");
  expect_refused("plan " + file("other.json", other) + " --resume --out " + path, "/heading/identity");
  expect_refused("plan workloads/jobs/llama-3-8b.json --resume --out " + path, "/heading/sweep");
  expect_refused("plan " + job_ + " --resume", "--resume: expected --out");
}

}  // namespace
}  // namespace spillway::testing
