// Layouts evaluated by workers. Those of one worker that differ in the schedule alone share what they are
// priced on.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "evaluate/point.h"
#include "plan/stage_layers.h"

namespace spillway {

// For several threads.
class LayoutEvaluator {
 public:
  // Contract: both outlive it.
  LayoutEvaluator(const PlanJob& job, const std::vector<PlanLayout>& layouts)
      : layouts_(layouts), layers_(job, caches_.samples) {}

  // A layout that cannot be evaluated is a result of the search, not its end: a refusal.
  PointOutcome operator()(std::size_t layout);

  StageLayers& layers() { return layers_; }

 private:
  struct Worker {
    PlanLayout last = {};  // but for its schedule, what `costs` are of
    std::optional<DrawCosts> costs = {};
  };

  Worker& worker();

  const std::vector<PlanLayout>& layouts_;
  Caches caches_;
  StageLayers layers_;
  std::mutex mutex_;  // of the map, not of its workers
  std::map<std::thread::id, Worker> workers_;
};

}  // namespace spillway
