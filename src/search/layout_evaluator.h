// Evaluates layouts on several threads. Consecutive layouts that differ only in the schedule share their
// prices.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "evaluate/point.h"
#include "search/stage_layers.h"

namespace spillway {

// Several threads may call it.
class LayoutEvaluator {
 public:
  // Contract: both outlive it.
  LayoutEvaluator(const PlanJob& job, const std::vector<PlanLayout>& layouts)
      : layouts_(layouts), layers_(job, caches_.samples) {}

  // A layout that cannot be evaluated gives a refusal and does not end the search. A layout that does not fit
  // is not timed: its schedule has no draws, and its peak is that of the first draw found above the limit.
  PointOutcome operator()(std::size_t index);

  StageLayers& layers() { return layers_; }

 private:
  PointOutcome timed_where_it_fits(DrawCosts& costs);

  // The prices of the last layout, for any schedule.
  struct Workplace {
    PlanLayout last;
    DrawCosts costs;
  };

  std::unique_ptr<Workplace> take_workplace(const PlanLayout& layout);
  void put_back(std::unique_ptr<Workplace> workplace);

  const std::vector<PlanLayout>& layouts_;
  Caches caches_;
  StageLayers layers_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workplace>> idle_;  // not in use; at most as many as threads that ran at once
};

}  // namespace spillway
