// Evaluates layouts on several threads. Layouts that differ only in the schedule share their prices, and
// those that differ in recomputation or the sharding of states, too, share their draws and the times of
// operators.
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
      : job_(job), layouts_(layouts), layers_(job, caches_.samples) {}

  // The outcome has no evidence. A layout that cannot be evaluated gives a refusal and does not end the
  // search. A layout that needs more than usable_memory() is not timed: its schedule has no draws, and its
  // peak is that of the first draw found above it.
  PointOutcome operator()(std::size_t index);

  StageLayers& layers() { return layers_; }

 private:
  PointOutcome timed_where_it_fits(DrawCosts& costs, const PlanLayout& layout);

  // The prices of the last layout, for any schedule.
  struct Workplace {
    PlanLayout last;
    DrawCosts costs;
  };
  // Workplaces that wait hold some 10 MB each, where samples have images.
  static constexpr std::size_t kMostIdle = 64;

  std::unique_ptr<Workplace> workplace_for(const PlanLayout& layout);
  std::unique_ptr<Workplace> take_idle(const PlanLayout& layout);
  void put_back(std::unique_ptr<Workplace> workplace);

  const PlanJob& job_;
  const std::vector<PlanLayout>& layouts_;
  Caches caches_;
  StageLayers layers_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workplace>> idle_;  // not in use; the one used last is the last
};

}  // namespace spillway
