// The uncertainty about a machine and its software, as one more source of draws. Every figure that a time
// rests on is drawn about its value: by the interval that its source states, or else by its kind of evidence.
// The model assumes the best case where nobody stated how a job runs, so those draws reach to one side.
#pragma once

#include <array>
#include <cstdint>

#include "base/enum_set.h"
#include "cost/analytic_costs.h"
#include "platform/evidence.h"
#include "workload/random_stream.h"

namespace spillway {

// Relative standard deviation of a figure without a stated interval, by its evidence. The deviations are
// assumed.
double deviation_of(Evidence evidence);
// The same of measured passes as a whole: that of a measurement, and the spread of their repeats.
double deviation_of(const PassTable& measured);
// Deviations of the whole step for everything that the model leaves out. They were fitted, in steps of 0.05
// and 0.01, to the first, third, ... rows of every table of workloads/published: to steps with images, of
// which loading, resizing and shapes that change from step to step are left out, and to all others. 90 %
// intervals hold 14 of those 16 rows with images, and 11 of the other 14.
inline constexpr double kLeftOut = 0.08;
inline constexpr double kLeftOutWithImages = 0.15;
double left_out(const AnalyticCosts& costs);

// Unknowns that `run` names as the reasons for the width of an interval.
enum class Unknown : std::uint8_t {
  Sustained,
  Products,
  ExpertProducts,
  Attention,
  MemoryBound,
  Network,
  Hidden,
  Hosts,
  StepEnd,
  Routing,
  Padding,
  MeasuredPasses,
  LeftOut
};
using Unknowns = EnumSet<Unknown>;

struct UnknownWord {
  const char* key;   // in JSON
  const char* name;  // for people
};
// By Unknown.
inline constexpr std::array<UnknownWord, 13> kUnknownWords = {
    {{"sustained", "the rate that a long run keeps"},
     {"products", "matrix products"},
     {"expert-products", "products of experts"},
     {"attention", "attention"},
     {"memory-bound", "memory-bound operators"},
     {"network", "the network"},
     {"hidden", "hidden communication"},
     {"hosts", "hosts"},
     {"step-end", "the end of a step"},
     {"routing", "how even routing to experts is"},
     {"padding", "padding"},
     {"measured-passes", "measured passes"},
     {"left-out", "what the model leaves out"}}};
constexpr const UnknownWord& word_for(Unknown unknown) {
  return kUnknownWords[static_cast<std::size_t>(unknown)];
}
constexpr Unknowns all_unknowns() {
  Unknowns all;
  for (std::size_t i = 0; i < kUnknownWords.size(); ++i) all |= static_cast<Unknown>(i);
  return all;
}

// The costs with drawn figures: operators by kind and evidence (each kind of operator errs as one), the share
// that a long run keeps (0.8 to 1 if the platform states none), hosts (one thread runs a framework's, so its
// times err as one), each port with its tiers and sweeps, and the framework's figures. To one side, where
// nobody states them:
//   routing        experts on several devices, without expert_imbalance: balanced, or to the most uneven
//   padding        unpacked samples, without pads_to: none, or to the longest of their microbatch
//   between steps  without step_end/between_us: up to a slow one
//   hosts          of a mixture of experts under a framework with a host: up to twice as slow as counted
// Memory, layouts and prices stay unchanged. Figures of unknowns that are not in `of` keep their values, and
// the others are drawn as if all were.
AnalyticCosts drawn_about(const AnalyticCosts& costs, RandomStream& random, Unknowns of = all_unknowns());

// exp of a normal variate with this deviation, cut at 2.5 deviations.
double log_normal(RandomStream& random, double deviation);

}  // namespace spillway
