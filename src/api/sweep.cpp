#include "api/sweep.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/experiment_input.h"
#include "base/number.h"
#include "base/version.h"
#include "evaluate/point.h"
#include "json/shipped_files.h"
#include "sim/shared_flows.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/refused_point.h"
#include "sweep/run/workers.h"
#include "sweep/store/claims.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

// Share `index` of `count` equal shares of a sweep's points.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

// How many points a process claims at once. A few leave points for others on the same store. The ranks of a
// job balance among themselves, so rank 0 claims all.
enum class Claim { AFew, All };

class SweepRun {
 public:
  SweepRun(const SweepFile& file, const std::vector<GridPoint>& grid, ResultStore& store, Shard shard,
           Claim claim, const OnPoints& on_points);

  // Computes a list of points on any workers, and hands over the finished ones.
  using ComputeAll = std::function<void(const std::vector<std::size_t>&, const Keep&)>;
  // Both return when all their points are in the store, including those of other processes. They throw what
  // `compute` throws, and Interrupted if SIGINT or SIGTERM came since this object was made.
  void plain(const ComputeAll& compute) { run(std::move(plain_), compute); }
  void replayed(const ComputeAll& compute) { run(std::move(replayed_), compute); }

  std::size_t computed() const { return computed_; }  // by this process and its workers
  std::size_t done() const { return done_; }          // of the shard, by any process
  std::size_t points() const { return points_; }      // of the shard

 private:
  void run(std::vector<std::size_t> left, const ComputeAll& compute);
  std::vector<std::size_t> claim_some(std::vector<std::size_t>& left);
  void keep(std::vector<FinishedPoint> finished);
  void now_done(std::size_t more);

  const CaughtSignals signals_ = {};
  const std::vector<GridPoint>& grid_;
  ResultStore& store_;
  PointClaims claims_;
  Claim claim_;
  const OnPoints& on_points_;
  std::vector<std::size_t> first_;  // by point: the first point with the same key, which is claimed
  std::vector<std::size_t> plain_;
  std::vector<std::size_t> replayed_;
  std::size_t points_ = 0;
  std::size_t done_ = 0;
  std::size_t computed_ = 0;
};

// The bounds of a few points.
constexpr std::size_t kFewest = 16, kMost = 512;
// The pause before a process asks again whether points of another process are finished.
constexpr std::chrono::milliseconds kBetweenLooks{200};

SweepRun::SweepRun(const SweepFile& file, const std::vector<GridPoint>& grid, ResultStore& store, Shard shard,
                   Claim claim, const OnPoints& on_points)
    : grid_(grid), store_(store), claims_(store.path()), claim_(claim), on_points_(on_points) {
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
  if (on_points_) on_points_(done_, points_);
}

void SweepRun::run(std::vector<std::size_t> left, const ComputeAll& compute) {
  while (!left.empty()) {
    if (signals_.arrived()) throw Interrupted();
    const std::vector<std::size_t> mine = claim_some(left);
    if (mine.empty()) {
      std::this_thread::sleep_for(kBetweenLooks);
      continue;
    }
    compute(mine, [&](std::vector<FinishedPoint> finished) { keep(std::move(finished)); });
    for (const std::size_t point : mine) claims_.release(first_[point]);
  }
}

// Removes points from `left`: those that another process finished, and those that it returns for this process
// to compute.
std::vector<std::size_t> SweepRun::claim_some(std::vector<std::size_t>& left) {
  const std::size_t most =
      claim_ == Claim::All ? left.size() : std::clamp<std::size_t>(left.size() / 8, kFewest, kMost);
  std::vector<std::size_t> mine, others;
  for (const std::size_t point : left) {
    if (mine.size() == most || !claims_.claim(first_[point])) {
      others.push_back(point);
    } else if (store_.has(grid_[point].key)) {
      claims_.release(first_[point]);
      now_done(1);
    } else {
      mine.push_back(point);
    }
  }
  left = std::move(others);
  return mine;
}

void SweepRun::now_done(std::size_t more) {
  done_ += more;
  if (on_points_) on_points_(done_, points_);
}

void SweepRun::keep(std::vector<FinishedPoint> finished) {
  std::vector<KeyedOutcome> outcomes;
  for (FinishedPoint& one : finished) outcomes.push_back({grid_[one.point].key, std::move(one.outcome)});
  store_.put(outcomes);
  computed_ += outcomes.size();
  now_done(outcomes.size());
}

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

PointOutcome outcome_of(const SweepFile& file, std::size_t point, Caches& caches) {
  return outcome_or_refusal([&] {
    const Experiment experiment = file.experiment(point);
    PointOutcome outcome = warned_point(experiment, caches);
    return file.replayed(point) ? with_replays(std::move(outcome), experiment, caches) : outcome;
  });
}

SweepHeading heading_of(const SweepFile& file) {
  return {.name = file.name(),
          .identity = file.identity(),
          .program = program_version(),
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
  return std::filesystem::path(arguments.source.file).filename().replace_extension(".sqlite").string();
}

bool replays_any(const SweepFile& file) {
  for (std::size_t point = 0; point < file.points(); ++point)
    if (file.replayed(point)) return true;
  return false;
}

// A process can have only one SimGrid.
PointOutcome on_a_rank(const SweepFile& file, std::size_t point, const Compute& compute) {
  return file.replayed(point) ? compute_in_process(point, compute) : compute(point);
}

Compute computing(const Source& source) {
  const auto file = std::make_shared<const SweepFile>(shipped_source(source, "sweep"));
  const auto caches = std::make_shared<Caches>();
  const Compute compute = [=](std::size_t point) { return outcome_of(*file, point, *caches); };
  return [=](std::size_t point) { return on_a_rank(*file, point, compute); };
}

void compute_all(SweepRun& run, const SweepFile& file, RankedJob* job, unsigned jobs) {
  Caches caches;
  const Compute compute = [&](std::size_t point) { return outcome_of(file, point, caches); };
  if (job) {
    const Compute either = [&](std::size_t point) { return on_a_rank(file, point, compute); };
    const auto on_ranks = [&](const auto& points, const Keep& keep) {
      job->lead(points, jobs, either, keep);
    };
    run.plain(on_ranks);
    run.replayed(on_ranks);
    return;
  }
  run.plain([&](const auto& points, const Keep& keep) { compute_in_threads(points, jobs, compute, keep); });
  run.replayed(
      [&](const auto& points, const Keep& keep) { compute_in_processes(points, jobs, compute, keep); });
}

}  // namespace

SweepAnswer sweep(const SweepArguments& arguments, RankedJob* job, const OnPoints& on_points) {
  const Shard shard = shard_from(arguments.shard);
  SweepFile file(shipped_source(arguments.source, "sweep"));
  const unsigned jobs = threads_of(arguments.jobs, job != nullptr);
  file.make_keys(jobs);
  const std::vector<GridPoint> grid = grid_of(file);
  if (replays_any(file)) load_simgrid();  // if it is not there, nothing is computed
  ResultStore store = store_at(store_path(arguments), arguments.resume, heading_of(file), grid);
  SweepEnd end;
  {
    SweepRun run(file, grid, store, shard, job ? Claim::All : Claim::AFew, on_points);
    try {
      compute_all(run, file, job, jobs);
    } catch (const Interrupted&) {
      end.interrupted = true;
    }
    end.computed = run.computed();
    end.done = run.done();
    end.points = run.points();
  }
  store.settle();
  return {std::move(file), std::move(store), end};
}

void follow_sweep(RankedJob& job, const SweepArguments& arguments) {
  follow(job, arguments.jobs, [&] { return computing(arguments.source); });
}

}  // namespace spillway
