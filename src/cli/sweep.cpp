// Runs a sweep into its store, on this machine or on the ranks of an MPI job.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/files.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/version.h"
#include "cli/arguments.h"
#include "cli/sweep_end.h"
#include "cli/sweep_options.h"
#include "cli/sweep_progress.h"
#include "cli/sweep_run.h"
#include "evaluate/point.h"
#include "sweep/grid/file.h"
#include "sweep/run/ranks.h"
#include "sweep/run/workers.h"
#include "sweep/store/result_store.h"

namespace spillway {
namespace {

constexpr int kInterrupted = 130;  // what a shell says of a program that Ctrl-C ended
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
    text += (text.empty() ? "" : "\n") + printable(violation.pointer) + ": expected " +
            printable(violation.expected) + ", found " + printable_lines(violation.found);
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
  } catch (const std::bad_alloc&) {
    return {.refusal = "more memory than the machine that computed it would give"};
  }
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
  return std::filesystem::path(arguments.file).filename().replace_extension(".sqlite").string();
}

ResultStore store_for(const SweepArguments& arguments, const SweepFile& file,
                      const std::vector<GridPoint>& grid) {
  const std::string path = store_path(arguments);
  if (arguments.resume) return ResultStore::resume(path, heading_of(file), grid);
  if (is_taken(path))
    throw InputError({{path, "/", "no file yet, or --resume to go on with a store", "a file"}});
  return ResultStore::create(path, heading_of(file), grid);
}

unsigned jobs_of(const SweepArguments& arguments, bool ranked) {
  if (arguments.jobs > 0) return arguments.jobs;
  return ranked ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

// SimGrid is one to a process.
PointOutcome on_a_rank(const SweepFile& file, std::size_t point, const Compute& compute) {
  return file.replayed(point) ? compute_in_process(point, compute) : compute(point);
}

// A rank other than the first reads the same file, computes what it is told, and says nothing: what it cannot
// read is said by the first, which as a rule cannot either. How the job ended is the first one's to say, too:
// another status than 0 would have the launcher end that one in the middle of a word.
int follow(RankedJob& job, const SweepArguments& arguments) {
  std::optional<SweepFile> file;
  std::exception_ptr unreadable;
  try {
    file.emplace(arguments.file);
  } catch (...) {
    unreadable = std::current_exception();
  }
  Caches caches;
  const Compute compute = [&](std::size_t point) { return outcome_of(*file, point, caches); };
  const Compute either = [&](std::size_t point) {
    if (unreadable) std::rethrow_exception(unreadable);
    return on_a_rank(*file, point, compute);
  };
  try {
    while (job.follow(jobs_of(arguments, true), either)) {
    }
  } catch (const Interrupted&) {
  }
  return 0;
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

struct RunEnd {
  std::size_t computed;
  std::size_t done;
  std::size_t points;
  bool interrupted;
};

// The line of progress is over when this returns or throws.
RunEnd run_sweep(const SweepFile& file, ResultStore& store, const std::vector<GridPoint>& grid, Shard shard,
                 RankedJob* job, const SweepArguments& arguments) {
  SweepProgress progress(arguments.quiet);
  SweepRun run(file, grid, store, shard, job ? Claim::All : Claim::AFew, progress);
  bool interrupted = false;
  try {
    compute_all(run, file, job, jobs_of(arguments, job != nullptr));
  } catch (const Interrupted&) {
    interrupted = true;
  }
  return {run.computed(), run.done(), run.points(), interrupted};
}

int lead(RankedJob* job, const SweepArguments& arguments) {
  const Shard shard = shard_from(arguments.shard);
  const SweepFile file(arguments.file);
  const std::vector<GridPoint> grid = grid_of(file);
  ResultStore store = store_for(arguments, file, grid);
  const RunEnd end = run_sweep(file, store, grid, shard, job, arguments);
  store.settle();
  if (end.interrupted) {
    std::cerr << end.done << " of " << end.points << " points are kept in " << store.path()
              << "; --resume goes on\n";
    return kInterrupted;
  }
  if (!arguments.quiet) print_sweep_end(std::cout, file, store, end.computed);
  return 0;
}

}  // namespace

int sweep(const SweepArguments& arguments) {
  if (!is_launched_on_ranks()) return lead(nullptr, arguments);
  RankedJob job;
  return job.is_first() ? lead(&job, arguments) : follow(job, arguments);
}

}  // namespace spillway
