#include "synthesize/draw_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <utility>

#include "synthesize/planning_judge.h"

namespace spillway {
namespace {

constexpr std::size_t kTried = 2;    // planning draws that placements are compared on
constexpr std::uint64_t kFewer = 4;  // by how many times fewer tries a placement has there
constexpr Seconds kUnfound(std::numeric_limits<double>::infinity());

// The starts of a placement: those of its search, and the static order that it found.
std::vector<ScheduleSpec> placement_starts(const PlacementSearch& search) {
  std::vector<ScheduleSpec> starts = search.starts();
  if (search.orders().found()) starts.push_back(search.found());
  return starts;
}

class DrawPlanner {
 public:
  explicit DrawPlanner(const DrawPlanning& planning) : planning_(planning) {}

  // Searches an order for one draw.
  std::unique_ptr<PlacementSearch> searched(const std::vector<ScheduleSpec>& starts, std::uint32_t draw,
                                            std::uint64_t tries) {
    auto search = std::make_unique<PlacementSearch>(planning_.costs, starts, planning_.limit, planning_.seed,
                                                    std::vector<std::uint32_t>{draw});
    while (search->orders().tries() < tries && !stopped_) {
      search->orders().try_next();
      stopped_ = planning_.stop && planning_.stop();
    }
    return search;
  }

  // The placement with the shortest steps, each planned for its own draw.
  const SearchedPlacement& best(const std::vector<SearchedPlacement>& kept) {
    std::vector<Seconds> steps;
    for (const SearchedPlacement& one : kept) steps.push_back(tried(one));
    return kept[static_cast<std::size_t>(std::ranges::min_element(steps) - steps.begin())];
  }

  bool stopped() const { return stopped_; }

 private:
  Seconds tried(const SearchedPlacement& one) {
    const std::vector<std::uint32_t> draws = searched_draws(planning_.costs.experiment());
    Seconds sum;
    for (std::size_t i = 0; i < std::min(kTried, draws.size()); ++i) {
      const auto search = searched(placement_starts(*one.search), draws[i], planning_.tries / kFewer);
      sum += search->orders().found() ? search->orders().step() : kUnfound;
    }
    return sum;
  }

  const DrawPlanning& planning_;
  bool stopped_ = false;
};

}  // namespace

Seconds DrawPlans::step() const {
  Seconds sum;
  for (const Seconds one : steps) sum += one;
  return sum / static_cast<double>(steps.size());
}

std::optional<DrawPlans> plan_draws(const DrawPlanning& planning, const std::vector<SearchedPlacement>& kept,
                                    std::uint32_t draws) {
  DrawPlanner planner(planning);
  const SearchedPlacement& best = planner.best(kept);
  const std::vector<ScheduleSpec> starts = placement_starts(*best.search);
  DrawPlans plans{.stages = best.made.empty() ? "those of " + best.search->nearest().name : best.made,
                  .tries = planning.tries};
  const std::clock_t began = std::clock();
  for (std::uint32_t draw = 0; draw < draws && !planner.stopped(); ++draw) {
    const auto search = planner.searched(starts, draw, planning.tries);
    if (!search->orders().found()) return std::nullopt;
    plans.steps.push_back(search->orders().step());
    plans.bounds.push_back(search->bound());
    plans.schedules.push_back(search->found());
    plans.schedules.back().name = fmt::format("draw {}", draw);
  }
  if (planner.stopped()) return std::nullopt;
  plans.processor_s = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC / draws;
  return plans;
}

}  // namespace spillway
