// Spreads the points of a sweep over the ranks of an MPI job (OpenMPI). Rank 0 hands out a few points at a
// time when ranks ask for more, and keeps all outcomes.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway {

// Returns true if an MPI launcher started this process with more than one rank. Reads the environment and
// does not call MPI.
bool is_launched_on_ranks();
// Returns true if this process is rank 0 of such a job, or no rank at all. This process prints the messages
// that all ranks would print.
bool is_launched_first();

// Sets OpenMPI's options that the user has not set, before MPI begins. Forks cause no warning: forked
// processes do not use MPI. Ranks copy through shared memory, because a direct copy needs a right to trace
// processes, which containers refuse.
void set_open_mpi();

// How long a rank waits for rank 0. While rank 0 leads a round it writes at least twice a second, except
// while it keeps outcomes: the store may wait for others for up to half a minute. Before, between and after
// rounds rank 0 reads, plans and sums up, and writes nothing.
struct Patience {
  std::chrono::seconds in_a_round{120};
  std::chrono::seconds otherwise{1800};
};

// Rank 0 hangs, or it alone is suspended. Its job cannot go on.
class LeaderLost : public std::runtime_error {
 public:
  explicit LeaderLost(std::chrono::seconds silence)
      : std::runtime_error("rank 0 has been silent for " + std::to_string(silence.count()) +
                           " s, so the job ends here; what it kept is in the store, and --resume goes on") {}
};

// MPI runs while this object lives. A process has at most one, and uses it on the thread that made it.
class RankedJob {
 public:
  explicit RankedJob(const Patience& patience = {});
  // Rank 0 sends the other ranks home, and they wait for that. If a rank is lost, MPI cannot be ended in
  // order: the exit of the process then ends the job, with the status of the process.
  ~RankedJob();
  RankedJob(const RankedJob&) = delete;
  RankedJob& operator=(const RankedJob&) = delete;

  bool is_first() const;  // rank 0

  // For rank 0. Works as compute_in_threads does, with `jobs` threads here and the other ranks, if any, as
  // workers. A rank that is silent for 10 s counts as lost, and others compute its points. An exception of
  // `compute` on another rank is thrown here as compute_in_processes throws it. Only rank 0 calls `keep`.
  void lead(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute, const Keep& keep);
  // For the other ranks: one call for each lead() on rank 0, in the same order. Computes the points that rank
  // 0 hands out until rank 0 has no more. Returns false if rank 0 ended before all points were computed and
  // will not lead again. Throws Interrupted if this rank got a signal, and LeaderLost if rank 0 is silent for
  // too long: the exit of the process then ends the job. Contract: jobs > 0.
  [[nodiscard]] bool follow(unsigned jobs, const Compute& compute);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
