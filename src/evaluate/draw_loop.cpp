#include "evaluate/draw_loop.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/stopwatch.h"

namespace spillway {
namespace {

struct Batch {
  PlannedOrder order;
  std::vector<std::uint32_t> draws;
  double planned_s;
};

Batch planned(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule, bool streams,
              std::optional<std::uint32_t> draw) {
  const Stopwatch planning;
  if (streams) return {plan_stream(costs, schedule), {}, planning.seconds()};
  return {plan(costs, orders, schedule, draw), {}, planning.seconds()};
}

std::vector<std::uint32_t> draws_between(std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint32_t> draws(end - first);
  std::iota(draws.begin(), draws.end(), first);
  return draws;
}

// Plans an order for each draw. Draws that get the same order share a batch.
std::vector<Batch> planned_batches(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule,
                                   const std::vector<std::uint32_t>& draws) {
  std::vector<Batch> batches;
  for (const std::uint32_t draw : draws) {
    Batch own = planned(costs, orders, schedule, false, draw);
    const auto prepared = [](const Batch& batch) { return std::get<PlannedSchedule>(batch.order).prepared; };
    auto same = std::ranges::find(batches, prepared(own), prepared);
    if (same == batches.end()) same = batches.insert(same, std::move(own));
    same->draws.push_back(draw);
  }
  return batches;
}

}  // namespace

void for_each_order(const DrawCosts& costs, OrderCache& orders, const ScheduleSpec& schedule, bool streams,
                    std::uint32_t at_once, const std::function<void(const DrawsOnOrder&)>& run,
                    const PlannedSchedule* known) {
  const std::uint32_t different = different_draws(costs.experiment());
  std::vector<Batch> batches;
  const bool once = streams || !schedule.owner_from_draw;
  if (once && known)
    batches.push_back({*known, {}, 0});
  else if (once)
    batches.push_back(planned(costs, orders, schedule, streams, std::nullopt));
  for (std::uint32_t first = 0; first < different; first += at_once) {
    const std::vector<std::uint32_t> draws = draws_between(first, std::min(first + at_once, different));
    if (once)
      batches.front().draws = draws;
    else
      batches = planned_batches(costs, orders, schedule, draws);
    for (Batch& batch : batches) run({batch.order, std::move(batch.draws), batch.planned_s});
  }
}

}  // namespace spillway
