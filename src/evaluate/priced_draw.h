// One schedule under one draw: what it costs. Private to src/evaluate.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cost/price.h"
#include "draws/costs.h"
#include "optimize/reordered_costs.h"

namespace spillway {

struct PricedDraw {
  std::unique_ptr<const CostModel> as_sampled;
  std::vector<Permutation> orders;  // by replica
  Prices prices;
  double planned_s;  // what the host took to find the orders

  // By position. Views this draw, which outlives it.
  ReorderedCosts costs() const { return {*as_sampled, orders}; }
};

PricedDraw price_draw(const DrawCosts& costs, const Derived& derived, MicrobatchOrder order,
                      std::uint32_t draw);

// Bytes that leave devices in one draw, of all devices of all replicas: outputs and gradients that ranks pass
// on, what replicas exchange of each other's samples, and reductions, these where an architecture says their
// bytes. Collectives inside passes are left out: a schedule does not change them. Durations that are given
// move what their blocks state as outputs.
Bytes step_traffic(const DrawCosts& costs, const Derived& derived, const PricedDraw& priced,
                   std::uint32_t draw);

// Throws InputError where the durations add up to none.
void hold_to_numbers(Seconds makespan);

}  // namespace spillway
