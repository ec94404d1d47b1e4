// Draws of a step, each with the order in which it takes its microbatches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "draws/costs.h"
#include "optimize/microbatch_rules.h"
#include "optimize/prepared_order.h"
#include "timing/longest_path.h"

namespace spillway {

using CostModels = std::vector<std::unique_ptr<const CostModel>>;  // by draw, microbatches as sampled

// Returns the cost models of these draws, in the given order.
CostModels cost_models(const DrawCosts& costs, const Outline& derived, std::span<const std::uint32_t> draws);

// Orders by draw and replica.
struct DrawOrders {
  MicrobatchOrder rule;
  std::vector<std::vector<Permutation>> by_draw;  // empty as sampled
};
DrawOrders order_draws(MicrobatchOrder rule, const Derived& derived, const CostModels& as_sampled);

// Prices position by position. Views both arguments, which outlive it. Draws that are taken as sampled are
// priced by their own models, which know which events are uniform.
class OrderedDraws {
 public:
  OrderedDraws(const CostModels& as_sampled, const DrawOrders& orders);
  OrderedDraws(const OrderedDraws&) = delete;
  OrderedDraws& operator=(const OrderedDraws&) = delete;

  const std::vector<const CostModel*>& models() const { return models_; }
  std::vector<const Pricing*> pricings() const { return {models_.begin(), models_.end()}; }

 private:
  std::vector<ReorderedCosts> reordered_;
  std::vector<const CostModel*> models_;
};

// Returns the mean makespan of the draws by the longest path. Events in `free` take no time. Contract:
// `longest_path` is of the order of `derived`.
Seconds mean_makespan(const Derived& derived, const LongestPath& longest_path, const OrderedDraws& draws,
                      const std::vector<EventId>& free);

// Returns the same mean, to the last bit, with no event free. The draws are lanes of one pass.
Seconds mean_makespan(const PreparedOrder& order, const OrderedDraws& draws);

}  // namespace spillway
