// Runs a sweep into its store, on this machine or on the ranks of an MPI job.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/number.h"
#include "cli/arguments.h"
#include "cli/sweep_progress.h"
#include "runner/ranks.h"
#include "runner/workers.h"
#include "spec/sweep_file.h"
#include "store/claims.h"
#include "store/result_store.h"
#include "sweep/point.h"

namespace spillway {
namespace {

constexpr int kInterrupted = 130;  // what a shell says of a program that Ctrl-C ended
// A process takes this many points for itself at a time at most, so that another one on the same store finds
// some, and asks this often whether those of another are done.
constexpr std::size_t kMostClaimed = 512;
constexpr std::chrono::milliseconds kBetweenLooks{200};

struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

Shard shard_from(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t slash = text.find('/');
  const auto index = number_from<std::size_t>(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : number_from<std::size_t>(std::string_view(text).substr(slash + 1));
  if (!index || !count || *index >= *count)
    refuse_argument("--shard", "i/n with i from 0 to n - 1, such as 0/4", '"' + text + '"');
  return {*index, *count};
}

// Points of equal keys are refused in the same words, whichever file the sweep is.
std::string refusal_of(const InputError& bad) {
  std::string text;
  for (const Violation& violation : bad.violations())
    text += (text.empty() ? "" : "\n") + violation.pointer + ": expected " + violation.expected + ", found " +
            violation.found;
  return text;
}

// A point that cannot be is a result of the sweep, not its end.
PointOutcome outcome_of(const SweepFile& file, std::size_t point, Caches& caches) {
  try {
    const Experiment experiment = file.experiment(point);
    return file.replayed(point) ? replay_point(experiment, caches) : evaluate_point(experiment, caches);
  } catch (const InputError& bad) {
    return {.refusal = refusal_of(bad)};
  } catch (const Infeasible& none) {
    return {.refusal = none.what()};
  }
}

StoreHeading heading_of(const SweepFile& file) {
  return {.sweep = file.name(),
          .identity = file.identity(),
          .program = SPILLWAY_VERSION,
          .document = file.document(),
          .draws = file.draws(),
          .seed = file.seed(),
          .reports_replays = file.reports_replays(),
          .axes = file.axes()};
}

std::vector<GridPoint> grid_of(const SweepFile& file) {
  std::vector<GridPoint> grid;
  for (std::size_t point = 0; point < file.points(); ++point)
    grid.push_back({file.key(point), file.values(point)});
  return grid;
}

std::string store_path(const SweepArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  return std::filesystem::path(arguments.file).filename().replace_extension(".sqlite").string();
}

ResultStore store_for(const SweepArguments& arguments, const SweepFile& file,
                      const std::vector<GridPoint>& grid) {
  const std::string path = store_path(arguments);
  if (arguments.resume) return ResultStore::resume(path, heading_of(file), grid);
  if (std::filesystem::exists(path))
    throw InputError({{path, "/", "no file yet, or --resume to go on with a store", "a file"}});
  return ResultStore::create(path, heading_of(file), grid);
}

class SweepRun {
 public:
  SweepRun(const SweepFile& file, const std::vector<GridPoint>& grid, ResultStore& store, Shard shard,
           SweepProgress& progress)
      : grid_(grid), store_(store), claims_(store.path()), progress_(progress) {
    std::unordered_map<std::string_view, std::size_t> first_of;
    for (std::size_t point = 0; point < grid.size(); ++point)
      first_.push_back(first_of.try_emplace(grid[point].key, point).first->second);
    std::set<std::string> known = store.finished();
    for (std::size_t point = shard.index; point < grid.size(); point += shard.count) {
      ++points_;
      if (!known.insert(grid[point].key).second)
        ++done_;
      else
        (file.replayed(point) ? replayed_ : plain_).push_back(point);
    }
    progress_.start(done_, points_);
  }

  // `compute` runs a list of points and hands over what it finished.
  using ComputeAll = std::function<void(const std::vector<std::size_t>&, const Keep&)>;
  void plain(const ComputeAll& compute) { run(std::move(plain_), compute); }
  void replayed(const ComputeAll& compute) { run(std::move(replayed_), compute); }

  std::size_t done() const { return done_; }
  std::size_t points() const { return points_; }

 private:
  void run(std::vector<std::size_t> left, const ComputeAll& compute) {
    while (!left.empty()) {
      const std::vector<std::size_t> mine = claim_some(left);
      if (mine.empty()) {
        std::this_thread::sleep_for(kBetweenLooks);
        continue;
      }
      compute(mine, [&](std::vector<FinishedPoint> finished) { keep(std::move(finished)); });
      for (const std::size_t point : mine) claims_.release(first_[point]);
    }
  }

  // Takes points out of `left`: those that another process finished, and those to be computed here.
  std::vector<std::size_t> claim_some(std::vector<std::size_t>& left) {
    const std::size_t most = std::clamp<std::size_t>(left.size() / 8, 16, kMostClaimed);
    std::vector<std::size_t> mine, others;
    for (const std::size_t point : left) {
      if (mine.size() == most || !claims_.claim(first_[point])) {
        others.push_back(point);
      } else if (store_.has(grid_[point].key)) {
        claims_.release(first_[point]);
        progress_.advance(++done_);
      } else {
        mine.push_back(point);
      }
    }
    left = std::move(others);
    return mine;
  }

  void keep(std::vector<FinishedPoint> finished) {
    std::vector<KeyedOutcome> outcomes;
    for (FinishedPoint& one : finished) outcomes.push_back({grid_[one.point].key, std::move(one.outcome)});
    store_.put(outcomes);
    done_ += outcomes.size();
    progress_.advance(done_);
  }

  const std::vector<GridPoint>& grid_;
  ResultStore& store_;
  PointClaims claims_;
  SweepProgress& progress_;
  std::vector<std::size_t> first_;  // by point, the first one of the same key: what is claimed
  std::vector<std::size_t> plain_;
  std::vector<std::size_t> replayed_;
  std::size_t points_ = 0;
  std::size_t done_ = 0;
};

unsigned jobs_of(const SweepArguments& arguments, bool ranked) {
  if (arguments.jobs > 0) return arguments.jobs;
  return ranked ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

// SimGrid is one to a process.
PointOutcome on_a_rank(const SweepFile& file, std::size_t point, const Compute& compute) {
  return file.replayed(point) ? compute_in_process(point, compute) : compute(point);
}

// A rank other than the first reads the same file, computes what it is told, and says nothing.
int follow(RankedJob& job, const SweepArguments& arguments) {
  const SweepFile file(arguments.file);
  Caches caches;
  const Compute compute = [&](std::size_t point) { return outcome_of(file, point, caches); };
  while (job.follow(jobs_of(arguments, true),
                    [&](std::size_t point) { return on_a_rank(file, point, compute); })) {
  }
  return 0;
}

int lead(RankedJob* job, const SweepArguments& arguments) {
  const Shard shard = shard_from(arguments.shard);
  const SweepFile file(arguments.file);
  const std::vector<GridPoint> grid = grid_of(file);
  ResultStore store = store_for(arguments, file, grid);
  SweepProgress progress(arguments.quiet);
  SweepRun run(file, grid, store, shard, progress);
  const unsigned jobs = jobs_of(arguments, job != nullptr);
  Caches caches;
  const Compute compute = [&](std::size_t point) { return outcome_of(file, point, caches); };
  try {
    if (job) {
      const Compute either = [&](std::size_t point) { return on_a_rank(file, point, compute); };
      const auto on_ranks = [&](const auto& points, const Keep& keep) {
        job->lead(points, jobs, either, keep);
      };
      run.plain(on_ranks);
      run.replayed(on_ranks);
    } else {
      run.plain(
          [&](const auto& points, const Keep& keep) { compute_in_threads(points, jobs, compute, keep); });
      run.replayed(
          [&](const auto& points, const Keep& keep) { compute_in_processes(points, jobs, compute, keep); });
    }
  } catch (const Interrupted&) {
    store.settle();
    std::cerr << run.done() << " of " << run.points() << " points are kept in " << store.path()
              << "; --resume goes on\n";
    return kInterrupted;
  }
  store.settle();
  return 0;
}

}  // namespace

int sweep(const SweepArguments& arguments) {
  if (!is_launched_on_ranks()) return lead(nullptr, arguments);
  RankedJob job;
  return job.is_first() ? lead(&job, arguments) : follow(job, arguments);
}

}  // namespace spillway
