// Small pipelines for tests, written in the program's own text form.
#pragma once

#include <string>
#include <variant>

#include "cost/given.h"
#include "derive/derive.h"
#include "schedule/schedule.h"
#include "support/skeletons.h"
#include "timing/longest_path.h"

namespace spillway::testing {

inline Schedule schedule(const std::string& text) {
  return std::get<Schedule>(parse_schedule(text));
}

// The pipeline must be small enough to derive.
inline std::uint32_t stages_of(Skeleton skeleton, std::uint32_t ranks) {
  return static_cast<std::uint32_t>(stage_count(skeleton, ranks));
}

// Derives one trainable backbone block with one layer per stage.
inline Derived uniform(const std::string& text, std::uint32_t ranks, std::uint32_t microbatches,
                       std::uint32_t group = 0) {
  const Schedule parsed = schedule(text);
  const auto regions = static_cast<std::uint32_t>(parsed.skeletons.size());
  const Model model({{"llm", Role::Backbone, stages_of(parsed.skeletons.front(), ranks) * regions, true}});
  DeriveOptions options{.pipeline = {ranks, microbatches}};
  options.microbatch_group = group;
  return derive(model, parsed, *default_cut(model, regions), options);
}

// Returns F, I and W seconds per layer of the only block and `p2p` seconds per transfer.
inline GivenCosts uniform_costs(double forward, double input_gradient, double weight_gradient,
                                double p2p = 0) {
  BlockProfile profile;
  profile.forward = Seconds(forward);
  profile.input_gradient = Seconds(input_gradient);
  profile.weight_gradient = Seconds(weight_gradient);
  return {{profile}, Seconds(p2p)};
}

inline double makespan(const Derived& derived, const GivenCosts& costs) {
  const Prices prices = price(derived, GivenCostModel(costs, derived));
  return LongestPath(derived.order).timeline(prices.durations).makespan().value();
}

}  // namespace spillway::testing
