#include "optimize/ordered_draws.h"

#include <algorithm>

#include "cost/lane_prices.h"
#include "optimize/microbatch_rules.h"

namespace spillway {

CostModels cost_models(const DrawCosts& costs, const Outline& derived, std::span<const std::uint32_t> draws) {
  CostModels models;
  for (std::uint32_t draw : draws) models.push_back(costs.of(derived, draw));
  return models;
}

DrawOrders order_draws(MicrobatchOrder rule, const Derived& derived, const CostModels& as_sampled) {
  DrawOrders orders{rule, {}};
  if (rule == MicrobatchOrder::AsSampled) return orders;
  for (const auto& model : as_sampled) orders.by_draw.push_back(order_microbatches(rule, derived, *model));
  return orders;
}

OrderedDraws::OrderedDraws(const CostModels& as_sampled, const DrawOrders& orders) {
  reordered_.reserve(orders.by_draw.size());
  for (std::size_t i = 0; i < as_sampled.size(); ++i) {
    models_.push_back(as_sampled[i].get());
    if (orders.rule == MicrobatchOrder::AsSampled) continue;
    models_.back() = &reordered_.emplace_back(*as_sampled[i], orders.by_draw[i]);
  }
}

Seconds mean_makespan(const Derived& derived, const LongestPath& longest_path, const OrderedDraws& draws,
                      const std::vector<EventId>& free) {
  PerEvent<Seconds> ends;
  Seconds sum;
  for (const CostModel* model : draws.models()) {
    Durations durations = price(derived, *model).durations;
    for (const EventId event : free)
      for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane) durations.at(event, lane) = Seconds();
    sum += longest_path.makespan(durations, ends);
  }
  return sum / static_cast<double>(draws.models().size());
}

// Runs a few whole draws at a time, so that their times stay in the cache.
Seconds mean_makespan(const PreparedOrder& order, const OrderedDraws& draws) {
  constexpr std::uint32_t kLanesAtOnce = 16;
  const std::uint32_t replicas = order.derived.pipeline.replicas;
  const std::uint32_t at_once = std::max(kLanesAtOnce / replicas, 1U) * replicas;
  const LanePrices prices(order.derived, order.classes, draws.pricings());
  PricedRows rows(prices, TransposedWork::Counted);
  LiveEnds ends;
  Seconds sum;
  for (std::uint32_t first = 0; first < prices.lanes(); first += at_once) {
    rows.set_lanes(first, std::min(at_once, prices.lanes() - first));
    const std::vector<Seconds> last = order.longest_path.run(rows, ends).last;
    for (auto draw = last.begin(); draw != last.end(); draw += replicas)
      sum += *std::max_element(draw, draw + replicas);
  }
  return sum / static_cast<double>(draws.models().size());
}

}  // namespace spillway
