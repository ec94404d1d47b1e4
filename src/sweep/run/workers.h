// Computes the points of a sweep on the cores of this machine. An outcome depends neither on the worker that
// computes it nor on the time.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

#include "evaluate/point.h"

namespace spillway {

struct FinishedPoint {
  std::size_t point;
  PointOutcome outcome;
};

// Computes a point. Several threads call it at once, or it runs in a separate process.
using Compute = std::function<PointOutcome(std::size_t point)>;
// Takes the points that finished since the last call. The calling thread calls it a few times a second while
// there are any. It is not called again after it throws.
using Keep = std::function<void(std::vector<FinishedPoint>)>;

// SIGINT or SIGTERM came. Finished points have been kept, other points have not.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// Each function returns when every point is kept. An exception of `compute` or `keep` stops all workers and
// is thrown on; only points that `keep` refused are lost. The functions catch SIGINT and SIGTERM. After the
// first signal they throw Interrupted; a second one of the same kind ends the process. Contract: jobs > 0.

// If the computation ends early, each thread completes its current point, and that point is kept.
void compute_in_threads(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                        const Keep& keep);
// Runs a process for each point, at most `jobs` at once, because a process has only one SimGrid. If the
// computation ends early, or this process dies, the running processes are killed. InputError, Infeasible and
// ContractBreach of `compute` keep their type; any other exception becomes a std::runtime_error with the same
// text. A killed process (SIGKILL, as by a system that is out of memory) is tried once more after all others
// are done. If it is killed again, the outcome of its point is a refusal that says so. A process that dies
// otherwise is a fault of the program: a std::runtime_error names the point and the signal. Contract: no
// other thread runs.
void compute_in_processes(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                          const Keep& keep);

// Computes one point in a separate process. Any thread may call it. The ranks of a job use it for SimGrid.
// Throws as compute_in_processes does. Contract: `compute` waits for nothing that another thread holds.
PointOutcome compute_in_process(std::size_t point, const Compute& compute);

}  // namespace spillway
