// Runs a sweep into its store, on this machine or on the ranks of an MPI job.
#include "api/sweep.h"

#include <iostream>

#include "cli/interrupted.h"
#include "cli/sweep_end.h"
#include "cli/sweep_options.h"
#include "cli/sweep_progress.h"
#include "sweep/run/ranks.h"

namespace spillway {
namespace {

// The line of progress is over when this returns or throws.
SweepAnswer swept(RankedJob* job, const SweepOptions& options) {
  SweepProgress progress(options.quiet);
  return sweep(options.arguments, job,
               [&](std::size_t done, std::size_t total) { progress.at(done, total); });
}

int lead_sweep(RankedJob* job, const SweepOptions& options) {
  const auto [file, store, end] = swept(job, options);
  if (end.interrupted) {
    std::cerr << end.done << " of " << end.points << " points are stored in " << store.path()
              << "; continue with --resume\n";
    return kInterrupted;
  }
  if (!options.quiet) print_sweep_end(std::cout, file, store, end.computed);
  return 0;
}

}  // namespace

int run_sweep(const SweepOptions& options) {
  if (!is_launched_on_ranks()) return lead_sweep(nullptr, options);
  RankedJob job;
  if (job.is_first()) return lead_sweep(&job, options);
  follow_sweep(job, options.arguments);
  return 0;
}

}  // namespace spillway
