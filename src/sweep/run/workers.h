// Points of a sweep over the cores of this machine. Which worker computes a point, and when, has no say in
// its outcome.
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

// Computes a point. Called from several threads at once, or in a process of its own.
using Compute = std::function<PointOutcome(std::size_t point)>;
// Takes what has been finished since the last call. Called on the calling thread, a few times a second while
// there is any; not again once it threw.
using Keep = std::function<void(std::vector<FinishedPoint>)>;

// SIGINT or SIGTERM came: what was finished has been kept, other points have not.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// Each returns when every point was kept. What `compute` or `keep` throws stops all workers and is thrown on,
// with nothing that was finished lost but what `keep` refused. While one runs, SIGINT and SIGTERM are taken;
// after the first it throws Interrupted, a second one of the same kind ends the process. Contract: jobs > 0.

// Threads that are computing when the end comes early compute their point to its end, and it is kept.
void compute_in_threads(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                        const Keep& keep);
// A process for each point, as many at once as there are jobs: SimGrid is one per process. Those that are
// computing when the end comes early are killed, as they are where this process dies. What `compute` throws
// arrives as an InputError, Infeasible or ContractBreach as it was, else as a std::runtime_error of the same
// text. A process that is killed (SIGKILL, as by a system without memory left) is
// tried once more, when all others are done; killed again, its point's outcome is a refusal that says so. One
// that dies otherwise is a fault of the program: a std::runtime_error that names the point and the signal.
// Contract: no other thread runs.
void compute_in_processes(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                          const Keep& keep);

// One point in a process of its own, from whatever thread: `compute` as the ranks of a job need it for
// SimGrid. Throws as compute_in_processes does. Contract: `compute` waits for nothing that another thread
// holds.
PointOutcome compute_in_process(std::size_t point, const Compute& compute);

}  // namespace spillway
