// Points of a sweep over the cores of this machine. Which worker computes a point, and when, has no say in
// its outcome.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sweep/point.h"

namespace spillway {

struct FinishedPoint {
  std::size_t point;
  PointOutcome outcome;
};

// Computes a point. Called from several threads at once, or in a process of its own.
using Compute = std::function<PointOutcome(std::size_t point)>;
// Takes what has been finished since the last call. Called on the calling thread, at least a few times a
// second while there is any.
using Keep = std::function<void(std::vector<FinishedPoint>)>;

// Each returns when every point was kept. What `compute` or `keep` throws stops all workers and is thrown on,
// with nothing that was finished lost but what `keep` refused. Contract: jobs > 0.
void compute_in_threads(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                        const Keep& keep);
// A process for each point, as many at once as there are jobs: SimGrid is one per process. Contract: no other
// thread runs. A process that dies is a fault of the program, reported with the point.
void compute_in_processes(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute,
                          const Keep& keep);

}  // namespace spillway
