// Plays the scenes of ranks_test.cpp under mpirun; the argument is a scene's name. Exits with 0 if the scene
// went as it should, otherwise prints the failure on standard error.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "sweep/run/ranks.h"
#include "tests/support/on_ranks.h"
#include "tests/sweep/run/outcomes.h"

namespace {

using namespace spillway;
using testing::Kept, testing::outcome_of, testing::some_points;

constexpr unsigned kJobs = 2;

void expect(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

PointOutcome dawdled_outcome(std::size_t point) {
  std::this_thread::sleep_for(std::chrono::microseconds((point * 7919) % 700));
  return outcome_of(point);
}

// Leads, or follows to the end of the round. Returns the kept points, which are of use on rank 0.
Kept one_round(RankedJob& job, const std::vector<std::size_t>& points, unsigned jobs,
               const Compute& compute) {
  Kept kept;
  if (job.is_first())
    job.lead(points, jobs, compute,
             [&](std::vector<FinishedPoint> finished) { kept.add(std::move(finished)); });
  else
    expect(job.follow(kJobs, compute), "the round is complete");
  return kept;
}

void expect_round(RankedJob& job, std::size_t count, unsigned jobs, const Compute& compute) {
  const auto points = some_points(count, 3);
  const Kept kept = one_round(job, points, jobs, compute);
  if (job.is_first()) expect(kept.are_all_once(points), "every point is kept once, with its outcome");
}

// Runs rounds of all sizes. The other ranks compute one of them alone, and one runs in processes.
void rounds(RankedJob& job) {
  expect_round(job, 500, kJobs, dawdled_outcome);
  expect_round(job, 0, kJobs, outcome_of);
  expect_round(job, 1, kJobs, outcome_of);
  expect_round(job, 300, 0, dawdled_outcome);
  expect_round(job, 2000, kJobs, outcome_of);
  if (!testing::kForksMayHang)
    expect_round(job, 40, kJobs, [](std::size_t point) { return compute_in_process(point, outcome_of); });
}

// Sends outcomes that are too large to be sent before a receive waits for them.
void large_outcomes(RankedJob& job) {
  PointOutcome large = outcome_of(7);
  large.schedules[0].makespans.resize(50'000);
  for (auto& values : large.schedules[0].figures) values.resize(50'000);
  large.schedules[0].spills.resize(50'000);
  const Kept kept = one_round(job, some_points(30), 1, [&](std::size_t) { return large; });
  if (!job.is_first()) return;
  expect(kept.points == 30 && kept.outcomes.size() == 30, "every point is kept once");
  for (const auto& [point, outcome] : kept.outcomes) expect(outcome == large, "an outcome arrives whole");
}

// Computes by SimGrid, whose library has functions with MPI's names, too.
PointOutcome replayed_outcome(std::size_t point) {
  const std::string pointer = "/pipeline/microbatches";
  const Experiment experiment = read_experiment(SPILLWAY_SOURCE_DIR "/workloads/experiments/pipelines.json",
                                                {{pointer, std::to_string(4 + 4 * point)}});
  PointOutcome outcome;
  for (const ScheduleResult& schedule : evaluate(experiment, {.run = {Engine::SimGrid}}).schedules)
    outcome.schedules.push_back({.name = schedule.name, .replayed = {schedule.draws[0].step.makespan}});
  return outcome;
}

void replays(RankedJob& job) {
  const auto apart = [](std::size_t point) { return compute_in_process(point, replayed_outcome); };
  const auto points = some_points(8);
  const Kept kept = one_round(job, points, 0, apart);
  if (!job.is_first()) return;
  expect(kept.points == points.size(), "every point is kept once");
  for (const auto& [point, outcome] : kept.outcomes)
    expect(outcome == apart(point) && outcome.schedules[0].replayed[0] > Seconds(0), "as SimGrid says here");
}

// Rank 0 throws what another rank throws. No round follows.
void fault(RankedJob& job) {
  const Violation violation{"s.json", "/pipeline/ranks", "a positive number", "0"};
  const Compute fails = [&](std::size_t point) -> PointOutcome {
    if (point == 40) throw InputError({violation});
    return dawdled_outcome(point);
  };
  if (!job.is_first()) return expect(!job.follow(kJobs, fails), "no round follows");
  Kept kept;
  try {
    job.lead(some_points(100), 0, fails, [&](std::vector<FinishedPoint> done) { kept.add(std::move(done)); });
  } catch (const InputError& bad) {
    expect(bad.violations() == std::vector<Violation>{violation}, "the violation arrives as it was");
    return expect(kept.points < 100 && kept.points == kept.outcomes.size(), "what was finished is kept once");
  }
  throw std::logic_error("rank 0 throws what another threw");
}

// Rank 0 ends before it leads. The other ranks get no round.
void no_lead(RankedJob& job) {
  if (!job.is_first()) expect(!job.follow(kJobs, outcome_of), "there is no round");
}

// The last rank dies or freezes amid its work, and the others do the rest. MPI does not end in order.
void lose_a_rank(RankedJob& job, const char* rank, int signal) {
  const bool dies = std::string_view(rank) == "2";
  expect_round(job, 400, kJobs, [&](std::size_t point) {
    if (dies && point > 100) kill(getpid(), signal);
    return dawdled_outcome(point);
  });
}

// Only rank 0 gets a signal. It keeps the finished points, and the other ranks get no further round.
void interrupted(RankedJob& job) {
  if (!job.is_first()) return expect(!job.follow(kJobs, dawdled_outcome), "no round follows");
  Kept kept;
  const Keep keep = [&](std::vector<FinishedPoint> finished) {
    if (kept.points == 0) raise(SIGTERM);
    kept.add(std::move(finished));
  };
  try {
    job.lead(some_points(1'000'000), kJobs, dawdled_outcome, keep);
  } catch (const Interrupted&) {
    expect(kept.points > 0 && kept.points == kept.outcomes.size(), "what was finished is kept once");
    for (const auto& [point, outcome] : kept.outcomes) expect(outcome == outcome_of(point), "as computed");
    return;
  }
  throw std::logic_error("rank 0 is interrupted");
}

// Rank 0 freezes in the middle of a round: the others end the job rather than wait for ever. Its own threads
// are frozen with it.
void frozen_lead(RankedJob& job) {
  const Compute freezes = [&](std::size_t point) {
    if (job.is_first() && point > 100) kill(getpid(), SIGSTOP);
    return dawdled_outcome(point);
  };
  one_round(job, some_points(100'000), kJobs, freezes);
  throw std::logic_error("nobody ends the job");
}

void play(std::string_view scene, RankedJob& job) {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (scene == "rounds") return rounds(job);
  if (scene == "large-outcomes") return large_outcomes(job);
  if (scene == "replays") return replays(job);
  if (scene == "fault") return fault(job);
  if (scene == "interrupted") return interrupted(job);
  if (scene == "no-lead") return no_lead(job);
  if (scene == "frozen-lead") return frozen_lead(job);
  if (scene == "killed-rank") return lose_a_rank(job, rank, SIGKILL);
  if (scene == "stopped-rank") return lose_a_rank(job, rank, SIGSTOP);
  throw std::invalid_argument("no such scene");
}

}  // namespace

int main(int, char** arguments) {
  try {
    expect(is_launched_on_ranks(), "mpirun says how many ranks there are");
    RankedJob job({.in_a_round = std::chrono::seconds(3)});
    play(arguments[1], job);
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "%s: failed: %s\n", arguments[1], failed.what());
    return 1;
  }
  std::printf("rank %s: as it should be\n", std::getenv("OMPI_COMM_WORLD_RANK"));
  return 0;
}
