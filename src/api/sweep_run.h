// The points of one run of `spillway sweep`: which of them this process computes, beside others on the same
// store, and how what they give is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "api/long_runs.h"
#include "sweep/grid/file.h"
#include "sweep/run/interrupts.h"
#include "sweep/run/workers.h"
#include "sweep/store/claims.h"
#include "sweep/store/result_store.h"

namespace spillway {

// Of `count` equal shares of a sweep's points the one at `index`.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

// How much of a sweep a process takes for itself at a time: a few points, so that others on the same store
// find some, or, as the ranks of a job do, which balance among themselves, all there are.
enum class Claim { AFew, All };

class SweepRun {
 public:
  SweepRun(const SweepFile& file, const std::vector<GridPoint>& grid, ResultStore& store, Shard shard,
           Claim claim, const OnPoints& on_points);

  // Computes a list of points, by whatever workers, and hands over what they finished.
  using ComputeAll = std::function<void(const std::vector<std::size_t>&, const Keep&)>;
  // Return when all points are in the store, those of other processes too. Throw what `compute` does, and
  // Interrupted where SIGINT or SIGTERM came at any time since this run was made.
  void plain(const ComputeAll& compute) { run(std::move(plain_), compute); }
  void replayed(const ComputeAll& compute) { run(std::move(replayed_), compute); }

  std::size_t computed() const { return computed_; }  // by this process and its workers
  std::size_t done() const { return done_; }          // of the shard, by whomever
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
  std::vector<std::size_t> first_;  // by point, the first one of the same key: what is claimed
  std::vector<std::size_t> plain_;
  std::vector<std::size_t> replayed_;
  std::size_t points_ = 0;
  std::size_t done_ = 0;
  std::size_t computed_ = 0;
};

}  // namespace spillway
