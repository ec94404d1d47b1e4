#include "api/sweep.h"

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "api/experiment_input.h"
#include "api/sweep_run.h"
#include "base/number.h"
#include "base/version.h"
#include "evaluate/point.h"
#include "json/shipped_files.h"
#include "sweep/run/refused_point.h"
#include "sweep/run/workers.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

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

// SimGrid is one to a process.
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
