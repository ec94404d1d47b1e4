// The cost model of one experiment, order and draw.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "cost/price.h"
#include "cost/step_account.h"
#include "spec/experiment.h"

namespace spillway {

// Draws from here on are for planning (owner maps), so that no plan sees the draws it is judged on.
inline constexpr std::uint32_t kPlanningDraws = 1u << 31;

// Do draws of the experiment differ? Not where durations are given and nothing was measured.
bool draws_differ(const Experiment& experiment);

// Cost models by draw; what a draw holds is sampled once and serves every schedule. Not for several threads.
class DrawCosts {
 public:
  explicit DrawCosts(const Experiment& experiment) : experiment_(experiment) {}

  std::unique_ptr<CostModel> of(const Derived& derived, std::uint32_t draw) const;

  // Of the whole job, folded replicas included; none where durations are given.
  std::optional<StepAccount> step_account(std::uint32_t draw) const;

  // The same draws under other parameters: fitting changes an efficiency or a profile, never an image or
  // what was measured.
  void set_experiment(const Experiment& experiment);
  const Experiment& experiment() const { return experiment_; }

 private:
  std::shared_ptr<const DrawLoads> loads(const AnalyticExperiment& analytic, std::uint32_t draw) const;

  const GivenCosts& drawn(const GivenCosts& given, std::uint32_t draw) const;

  Experiment experiment_;
  mutable std::map<std::uint32_t, std::shared_ptr<const DrawLoads>> loads_;
  mutable std::map<std::uint32_t, GivenCosts> drawn_;
};

}  // namespace spillway
