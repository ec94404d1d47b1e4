// One schedule under one draw: what it costs, and the longest path of that. Private to src/evaluate.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "evaluate/evaluate.h"
#include "experiment/costs.h"
#include "policy/reordered_costs.h"
#include "timing/longest_path.h"

namespace spillway {

struct PricedDraw {
  std::unique_ptr<const CostModel> as_sampled;
  std::vector<Permutation> orders;  // by replica
  Prices prices;
  Timeline timeline;
  // Of the longest path with the transposed work free; none where no transposed region feeds a pipelined one.
  std::optional<Seconds> free_makespan;

  // By position. Views this draw, which outlives it.
  ReorderedCosts costs() const { return {*as_sampled, orders}; }
};

// Contract: `longest_path` is of `derived`'s order.
PricedDraw price_draw(const DrawCosts& costs, const Derived& derived, MicrobatchOrder order,
                      const LongestPath& longest_path, std::uint32_t draw);

// Throws InputError where the durations add up to none.
void hold_to_numbers(Seconds makespan);

// Events of the transposed region that feeds a pipelined one: by rank, ascending, those without left out.
std::vector<EncoderOnCriticalPath> encoder_on_critical_path(const Derived& derived, const PricedDraw& priced);

// Each microbatch's forward in that region, over everything seen.
class EncoderTally {
 public:
  void add(const Derived& derived, const PricedDraw& priced);
  // None where there is no such region.
  std::optional<EncoderTimes> times() const;

 private:
  std::vector<Seconds> all_;
};

}  // namespace spillway
