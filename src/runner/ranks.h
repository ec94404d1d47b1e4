// Points of a sweep over the ranks of an MPI job (OpenMPI): rank 0 hands them out a few at a time, as ranks
// ask for more, and keeps all outcomes. The one user of MPI.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runner/workers.h"

namespace spillway {

// Was this process started by an MPI launcher with more than one rank? Asks the environment, not MPI.
bool is_launched_on_ranks();

// MPI for as long as it lives. One at a time.
class RankedJob {
 public:
  RankedJob();
  ~RankedJob();

  bool is_first() const;  // rank 0

  // On rank 0: as compute_in_threads, with the other ranks as workers beside `jobs` threads here; a rank that
  // is lost costs the points it was computing, which others compute again. `keep` is called here alone.
  void lead(const std::vector<std::size_t>& points, unsigned jobs, const Compute& compute, const Keep& keep);
  // On the others: computes what rank 0 hands out, until it says that there is no more.
  void follow(unsigned jobs, const Compute& compute);
};

}  // namespace spillway
