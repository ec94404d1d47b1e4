// The costs of one schedule on one draw.
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
  double planned_s;  // host time of finding the orders

  // Prices by position. Views this draw, which outlives it.
  ReorderedCosts costs() const { return {*as_sampled, orders}; }
};

PricedDraw price_draw(const DrawCosts& costs, const Derived& derived, MicrobatchOrder order,
                      std::uint32_t draw);

// Returns the bytes that all devices of all replicas send in one draw: outputs and gradients between ranks,
// samples that replicas exchange, and reductions if an architecture gives their bytes. Collectives inside
// passes are left out, since a schedule does not change them. With given durations, transfers have the bytes
// that blocks state as their outputs.
Bytes step_traffic(const DrawCosts& costs, const Derived& derived, const PricedDraw& priced,
                   std::uint32_t draw);

// Throws InputError if the sum of the durations is not finite.
void hold_to_numbers(Seconds makespan);

}  // namespace spillway
