#include "evaluate/step_interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/percentile.h"
#include "cost/unknowns.h"
#include "evaluate/priced_draw.h"
#include "policy/plan.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMostDraws = 100, kLeastDraws = 20;
constexpr double kEvents = 1e7;  // priced in all, as far as the least number of draws allows

std::uint32_t draws_for(const PreparedOrder& prepared, std::uint32_t replicas) {
  const double events = static_cast<double>(prepared.derived.order.events().size()) * replicas;
  return static_cast<std::uint32_t>(std::clamp(kEvents / events, double{kLeastDraws}, double{kMostDraws}));
}

RandomStream stream(std::uint64_t seed, std::uint32_t draw) {
  return RandomStream(
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), draw, 0x756e6bU});
}

}  // namespace

std::optional<StepInterval> step_interval(const Experiment& experiment, const ScheduleSpec& schedule,
                                          OrderCache& orders) {
  const auto* known = std::get_if<AnalyticExperiment>(&experiment.costs);
  if (!known) return std::nullopt;
  DrawCosts costs(experiment);
  const auto prepared = plan(costs, orders, schedule).prepared;
  const auto makespan = [&] {
    const PricedDraw priced = price_draw(costs, prepared->derived, schedule.order, 0);
    PerEvent<Seconds> ends;
    return prepared->longest_path.makespan(priced.prices.durations, ends);
  };
  const Seconds predicted = makespan();
  Experiment drawn = experiment;
  std::vector<double> steps;
  const std::uint32_t draws = draws_for(*prepared, experiment.pipeline.replicas);
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    RandomStream random = stream(experiment.seed, draw);
    std::get<AnalyticExperiment>(drawn.costs).costs = drawn_about(known->costs, random);
    costs.set_experiment(drawn);
    steps.push_back(makespan() / predicted * log_normal(random, kLeftOut));
  }
  std::ranges::sort(steps);
  return StepInterval{percentile(steps, 5), percentile(steps, 95), draws};
}

}  // namespace spillway
