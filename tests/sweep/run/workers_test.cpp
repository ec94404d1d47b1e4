#include "sweep/run/workers.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/error.h"
#include "support/on_ranks.h"
#include "support/property.h"
#include "tests/sweep/run/outcomes.h"

namespace spillway {
namespace {

using testing::Kept, testing::outcome_of, testing::some_points;
using Points = std::vector<std::size_t>;

Keep into(Kept& kept) {
  return [&kept](std::vector<FinishedPoint> finished) { kept.add(std::move(finished)); };
}

// Sleeps for a short time that depends only on the point and the salt.
void dawdle(std::size_t point, std::size_t salt) {
  std::this_thread::sleep_for(std::chrono::microseconds((point * 7919 + salt * 104729) % 400));
}

// Threads and processes keep the same promises.
class EachKindOfWorkers : public ::testing::TestWithParam<std::string> {
 protected:
  static void compute_all(const Points& points, unsigned jobs, const Compute& compute, const Keep& keep) {
    (GetParam() == "Threads" ? compute_in_threads : compute_in_processes)(points, jobs, compute, keep);
  }
};

INSTANTIATE_TEST_SUITE_P(Runner, EachKindOfWorkers, ::testing::Values("Threads", "Processes"),
                         [](const auto& kind) { return kind.param; });

TEST_P(EachKindOfWorkers, KeepEveryPointOnceHoweverManyTheyAre) {
  const Points points = some_points(120, 3);
  for (unsigned jobs = 1; jobs <= 4; ++jobs) {
    Kept kept;
    compute_all(points, jobs, outcome_of, into(kept));
    EXPECT_TRUE(kept.are_all_once(points)) << jobs;
  }
}

TEST_P(EachKindOfWorkers, HaveNothingToKeepOfNoPoints) {
  const Keep keep = [](std::vector<FinishedPoint>) { FAIL() << "kept something"; };
  compute_all({}, 3, outcome_of, keep);
}

TEST_P(EachKindOfWorkers, KeepOnTheCallingThreadAlone) {
  const auto caller = std::this_thread::get_id();
  const Keep keep = [&](std::vector<FinishedPoint>) { EXPECT_EQ(std::this_thread::get_id(), caller); };
  compute_all(some_points(20), 2, outcome_of, keep);
}

TEST_P(EachKindOfWorkers, RefuseToBeNone) {
  EXPECT_THROW(compute_all(some_points(1), 0, outcome_of, [](std::vector<FinishedPoint>) {}), ContractBreach);
}

// Points before the one that fails are kept.
TEST_P(EachKindOfWorkers, ThrowOnWhatComputeThrewAndLoseNothingBefore) {
  const Violation violation{"s.json", "/pipeline/ranks", "a positive number", "0"};
  const Compute compute = [&](std::size_t point) {
    if (point == 7) throw InputError({violation, violation});
    return outcome_of(point);
  };
  Kept kept;
  try {
    compute_all(some_points(10), 1, compute, into(kept));
    FAIL() << "point 7 has no outcome";
  } catch (const InputError& bad) {
    EXPECT_EQ(bad.violations(), (std::vector<Violation>{violation, violation}));
  }
  EXPECT_TRUE(kept.are_all_once(some_points(7)));
}

TEST_P(EachKindOfWorkers, ThrowTheTypeThatComputeThrew) {
  const auto run = [&](const Compute& compute) {
    compute_all(some_points(4), 2, compute, [](std::vector<FinishedPoint>) {});
  };
  EXPECT_THROW(run([](std::size_t) -> PointOutcome { throw Infeasible("no fit"); }), Infeasible);
  EXPECT_THROW(run([](std::size_t) -> PointOutcome { throw ContractBreach("broken"); }), ContractBreach);
  EXPECT_THROW(run([](std::size_t) -> PointOutcome { throw std::domain_error("odd"); }), std::exception);
}

TEST_P(EachKindOfWorkers, StopWhereKeepRefusesAndDoNotAskItAgain) {
  int asked = 0;
  const Keep keep = [&](std::vector<FinishedPoint>) {
    ++asked;
    throw std::runtime_error("the disk is full");
  };
  EXPECT_THROW(compute_all(some_points(5000), 2, outcome_of, keep), std::runtime_error);
  EXPECT_EQ(asked, 1);
}

TEST_P(EachKindOfWorkers, KeepWhatIsFinishedWhenASignalComes) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Kept kept;
    const Keep keep = [&](std::vector<FinishedPoint> finished) {
      if (kept.points == 0) raise(signal);
      kept.add(std::move(finished));
    };
    const Compute slow = [](std::size_t point) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return outcome_of(point);
    };
    EXPECT_THROW(compute_all(some_points(100000), 2, slow, keep), Interrupted);
    EXPECT_GT(kept.points, 0u);
    EXPECT_EQ(kept.points, kept.outcomes.size());
    for (const auto& [point, outcome] : kept.outcomes) EXPECT_EQ(outcome, outcome_of(point));
  }
}

// A second signal of a kind goes to the handler that was there before, so a run must leave that handler in
// place.
TEST_P(EachKindOfWorkers, LeaveSignalsAsTheyWere) {
  struct sigaction ours {
  }, after{};
  ours.sa_handler = [](int) {};
  sigaction(SIGINT, &ours, nullptr);
  Kept kept;
  compute_all(some_points(3), 1, outcome_of, into(kept));
  sigaction(SIGINT, nullptr, &after);
  signal(SIGINT, SIG_DFL);
  EXPECT_EQ(after.sa_handler, ours.sa_handler);
}

RC_GTEST_PROP(ComputeInThreads, EqualsOneAfterAnotherForAnyDurationsAndJobs, ()) {
  const auto points =
      some_points(*rc::gen::inRange<std::size_t>(0, 60), *rc::gen::inRange<std::size_t>(1, 5));
  const auto jobs = *rc::gen::inRange<unsigned>(1, 5);
  const auto salt = *rc::gen::inRange<std::size_t>(0, 1000);
  const Compute compute = [salt](std::size_t point) {
    dawdle(point, salt);
    return outcome_of(point);
  };
  Kept kept;
  compute_in_threads(points, jobs, compute, into(kept));
  RC_ASSERT(kept.are_all_once(points));
}

// There are more outcomes than may wait, so the threads wait for the slow `keep`.
TEST(ComputeInThreads, HoldsFewOutcomesWhereKeepIsSlow) {
  std::atomic<std::size_t> computed = 0;
  std::size_t kept = 0, most_held = 0;
  const Compute count = [&](std::size_t point) {
    ++computed;
    return outcome_of(point);
  };
  const Keep keep = [&](std::vector<FinishedPoint> finished) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    most_held = std::max(most_held, computed.load() - kept);
    kept += finished.size();
  };
  compute_in_threads(some_points(20000), 3, count, keep);
  EXPECT_EQ(kept, 20000u);
  EXPECT_LT(most_held, 4 * 1024u);
}

TEST(ComputeInThreads, LetsOthersFinishTheirPointWhereOneFails) {
  std::atomic<bool> slow_has_begun = false;
  const Compute compute = [&](std::size_t point) {
    if (point == 0) {
      slow_has_begun = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return outcome_of(point);
    }
    while (!slow_has_begun) std::this_thread::yield();
    throw Infeasible("no fit");
  };
  Kept kept;
  EXPECT_THROW(compute_in_threads(some_points(2), 2, compute, into(kept)), Infeasible);
  EXPECT_TRUE(kept.are_all_once({0}));
}

std::string what_is_said_of(const Compute& compute) {
  try {
    compute_in_processes({12}, 1, compute, [](std::vector<FinishedPoint>) {});
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
  return "nothing";
}

TEST(ComputeInProcesses, NamesThePointAndTheSignalOfAProcessThatDied) {
  EXPECT_EQ(what_is_said_of([](std::size_t) -> PointOutcome {
              raise(SIGUSR1);
              return {};
            }),
            "the process that computed point 12 was killed by signal 10 (User defined signal 1)");
  EXPECT_EQ(what_is_said_of([](std::size_t) -> PointOutcome { _exit(0); }),
            "the process that computed point 12 ended without an outcome");
  EXPECT_EQ(what_is_said_of([](std::size_t) -> PointOutcome { throw std::domain_error("odd"); }), "odd");
}

// Counters that processes share.
struct Count {
  std::atomic<int>& of(std::size_t point) { return counts_[point]; }

 private:
  std::atomic<int>* counts_ = static_cast<std::atomic<int>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
};

// Acts like a system that has no memory for three processes at once, and none at all for point 2.
TEST(ComputeInProcesses, TryAgainAloneWhatWasKilledAndKeepWhyItCannotBe) {
  Count tries, at_once;
  const Compute compute = [&](std::size_t point) {
    const int beside = at_once.of(0)++;
    ++tries.of(point);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (point == 2 || (point == 5 && tries.of(5) == 1)) {
      --at_once.of(0);
      raise(SIGKILL);
    }
    if (tries.of(point) == 2) ensure(beside == 0, "the second time alone");
    --at_once.of(0);
    return outcome_of(point);
  };
  Kept kept;
  compute_in_processes(some_points(9), 3, compute, into(kept));
  EXPECT_EQ(kept.points, 9u);
  for (std::size_t point = 0; point < 9; ++point)
    EXPECT_EQ(tries.of(point), point == 2 || point == 5 ? 2 : 1);
  EXPECT_EQ(kept.outcomes.at(5), outcome_of(5));
  EXPECT_NE(kept.outcomes.at(2).refusal.find("killed twice"), std::string::npos);
  EXPECT_EQ(compute_in_process(2, compute), kept.outcomes.at(2));
}

TEST(ComputeInProcesses, GivesEachPointAProcessOfItsOwn) {
  static int state = 0;  // like SimGrid's engine
  const Compute once = [](std::size_t point) {
    ensure(state == 0, "the process is new");
    state = 1;
    return outcome_of(point);
  };
  Kept kept;
  compute_in_processes(some_points(6), 2, once, into(kept));
  EXPECT_TRUE(kept.are_all_once(some_points(6)));
  EXPECT_EQ(state, 0);
}

TEST(ComputeInProcesses, CarriesOutcomesLargerThanAPipe) {
  PointOutcome large = outcome_of(1);
  large.schedules[0].makespans.resize(100'000);
  for (auto& values : large.schedules[0].figures) values.resize(100'000);
  large.schedules[0].spills.resize(100'000);
  Kept kept;
  compute_in_processes(
      {1, 2, 3}, 3, [&](std::size_t) { return large; }, into(kept));
  EXPECT_EQ(kept.outcomes.at(3), large);
  EXPECT_EQ(kept.points, 3u);
}

// If one process fails, a process that would compute for ever is ended.
TEST(ComputeInProcesses, EndsTheOthersWhereOneFails) {
  const Compute compute = [](std::size_t point) -> PointOutcome {
    if (point == 1) throw Infeasible("no fit");
    while (true) pause();
  };
  EXPECT_THROW(compute_in_processes({0, 1}, 2, compute, [](std::vector<FinishedPoint>) {}), Infeasible);
}

TEST(ComputeInProcess, ServesSeveralThreadsAtOnce) {
  if (testing::kForksMayHang) GTEST_SKIP() << "several threads fork";
  const auto points = some_points(40);
  const Compute apart = [](std::size_t point) { return compute_in_process(point, outcome_of); };
  Kept kept;
  compute_in_threads(points, 4, apart, into(kept));
  EXPECT_TRUE(kept.are_all_once(points));
}

TEST(ComputeInProcess, IsEndedWhereAnotherThreadFails) {
  if (testing::kForksMayHang) GTEST_SKIP() << "several threads fork";
  const Compute compute = [](std::size_t point) {
    return compute_in_process(point, [](std::size_t which) -> PointOutcome {
      if (which == 1) throw Infeasible("no fit");
      while (true) pause();
    });
  };
  EXPECT_THROW(compute_in_threads({0, 1}, 2, compute, [](std::vector<FinishedPoint>) {}), Infeasible);
}

}  // namespace
}  // namespace spillway
