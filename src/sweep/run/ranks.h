// Points of a sweep over the ranks of an MPI job (OpenMPI): rank 0 hands them out a few at a time, as ranks
// ask for more, and keeps all outcomes. The one user of MPI.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway {

// Was this process started by an MPI launcher with more than one rank? Asks the environment, not MPI.
bool is_launched_on_ranks();
// Is it rank 0 of such a job, or no rank at all? Of what all ranks would say this one speaks.
bool is_launched_first();

// How long a rank waits for rank 0. While rank 0 leads a round it writes at least twice a second, except
// where it keeps outcomes: a store waits up to half a minute for others. Before, between and after rounds it
// reads, plans and sums up, and writes nothing.
struct Patience {
  std::chrono::seconds in_a_round{120};
  std::chrono::seconds otherwise{1800};
};

// Rank 0 hangs, or is suspended alone: its job cannot go on.
class LeaderLost : public std::runtime_error {
 public:
  explicit LeaderLost(std::chrono::seconds silence)
      : std::runtime_error("rank 0 has been silent for " + std::to_string(silence.count()) +
                           " s, so the job ends here; what it kept is in the store, and --resume goes on") {}
};

// MPI for as long as it lives: one in a process, on the thread that made it.
class RankedJob {
 public:
  explicit RankedJob(const Patience& patience = {});
  // On rank 0 sends the other ranks home, on those waits for that. Where a rank was lost, MPI cannot be ended
  // in order: the process's exit then ends the job, with the process's own status.
  ~RankedJob();
  RankedJob(const RankedJob&) = delete;
  RankedJob& operator=(const RankedJob&) = delete;

  bool is_first() const;  // rank 0

  // On rank 0: as compute_in_threads, with the other ranks as workers beside `jobs` threads here, or alone
  // where there are none. A rank from which nothing was heard for 10 s is taken to be lost: the points that
  // it was computing are computed by others. What `compute` throws on another rank is thrown here as
  // compute_in_processes does. `keep` is called here alone.
  void lead(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute, const Keep& keep);
  // On the others, once for each lead() on rank 0 and in the same order: computes what rank 0 hands out,
  // until it says that there is no more. False where rank 0 ended before all points were computed, and will
  // lead no further. Throws Interrupted where a signal came to this rank, LeaderLost where rank 0 is silent
  // for too long: the process's exit then ends the job. Contract: jobs > 0.
  [[nodiscard]] bool follow(unsigned jobs, const Compute& compute);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
