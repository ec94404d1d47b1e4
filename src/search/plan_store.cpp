#include "search/plan_store.h"

#include <string>
#include <utility>

#include "base/version.h"

namespace spillway {

SweepHeading store_heading(const PlanJob& job) {
  return {.name = job.name,
          .identity = job.identity,
          .program = program_version(),
          .document = job.text,
          .draws = job.draws,
          .seed = job.seed,
          .reports_replays = false,
          .axes = {}};
}

ComputeRound kept_in(ResultStore& store, ComputeRound compute) {
  return [&store, compute = std::move(compute)](const std::vector<std::size_t>& points, const Keep& keep) {
    std::vector<std::size_t> left;
    std::vector<FinishedPoint> known;
    for (const std::size_t point : points) {
      if (auto outcome = store.find(std::to_string(point)))
        known.push_back({point, *std::move(outcome)});
      else
        left.push_back(point);
    }
    if (!known.empty()) keep(std::move(known));
    if (left.empty()) return;
    compute(left, [&](std::vector<FinishedPoint> finished) {
      std::vector<KeyedOutcome> outcomes;
      for (const FinishedPoint& one : finished) outcomes.push_back({std::to_string(one.point), one.outcome});
      store.put(outcomes);
      keep(std::move(finished));
    });
  };
}

}  // namespace spillway
