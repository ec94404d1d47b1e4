// Layouts evaluated by several threads. Those that differ in the schedule alone share what they are priced
// on, where they come one after the other.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "evaluate/point.h"
#include "search/stage_layers.h"

namespace spillway {

// For several threads.
class LayoutEvaluator {
 public:
  // Contract: both outlive it.
  LayoutEvaluator(const PlanJob& job, const std::vector<PlanLayout>& layouts)
      : layouts_(layouts), layers_(job, caches_.samples) {}

  // A layout that cannot be evaluated is a result of the search, not its end: a refusal. One that does not
  // fit is not timed: its schedule has a peak beyond the limit, that of the first draw found so, and no
  // draws.
  PointOutcome operator()(std::size_t index);

  StageLayers& layers() { return layers_; }

 private:
  PointOutcome timed_where_it_fits(DrawCosts& costs);

  // What the last layout was priced on, whatever its schedule.
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
  std::vector<std::unique_ptr<Workplace>> idle_;  // that nobody uses: no more than there were threads at once
};

}  // namespace spillway
