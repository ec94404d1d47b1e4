// One schedule under one draw: what it costs. Private to src/evaluate.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cost/price.h"
#include "experiment/costs.h"
#include "policy/reordered_costs.h"

namespace spillway {

struct PricedDraw {
  std::unique_ptr<const CostModel> as_sampled;
  std::vector<Permutation> orders;  // by replica
  Prices prices;

  // By position. Views this draw, which outlives it.
  ReorderedCosts costs() const { return {*as_sampled, orders}; }
};

PricedDraw price_draw(const DrawCosts& costs, const Derived& derived, MicrobatchOrder order,
                      std::uint32_t draw);

// Throws InputError where the durations add up to none.
void hold_to_numbers(Seconds makespan);

}  // namespace spillway
