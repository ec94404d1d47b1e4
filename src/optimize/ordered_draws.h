// Some draws of a step, each in the order in which it takes its microbatches.
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

// Of these draws, in the order given.
CostModels cost_models(const DrawCosts& costs, const Outline& derived, std::span<const std::uint32_t> draws);

// By draw and replica.
struct DrawOrders {
  MicrobatchOrder rule;
  std::vector<std::vector<Permutation>> by_draw;  // empty as sampled
};
DrawOrders order_draws(MicrobatchOrder rule, const Derived& derived, const CostModels& as_sampled);

// Prices position by position. Views both arguments, which outlive it. What is taken as sampled is priced by
// its own model, which knows what is uniform.
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

// Of the draws, by the longest path, what the events in `free` take left out. Contract: it is of the order of
// `derived`.
Seconds mean_makespan(const Derived& derived, const LongestPath& longest_path, const OrderedDraws& draws,
                      const std::vector<EventId>& free);

// The same with nothing left out, to the last bit: draws are lanes of one pass.
Seconds mean_makespan(const PreparedOrder& order, const OrderedDraws& draws);

}  // namespace spillway
