// Draws of given durations, whose work may be drawn. Private to src/draws.
#pragma once

#include <map>

#include "cost/given.h"
#include "draws/cost_source.h"

namespace spillway {

// Given durations are the same on whatever devices a module lies.
class GivenSource final : public CostSource {
 public:
  GivenSource(GivenCosts costs, JobSamples samples);

  void set(const Experiment& experiment) override;
  std::unique_ptr<CostModel> of(const Outline& outline, std::uint32_t draw) override;
  std::unique_ptr<Footprints> footprints(const Outline& outline, std::uint32_t draw) override;
  SampleExchange exchange(const Outline& outline, std::uint32_t draw) override;
  double planned_s(const Outline& outline, std::uint32_t draw) override;
  std::optional<StepAccount> step_account(std::uint32_t) override { return std::nullopt; }
  std::vector<WorkloadTally> tallies(std::uint32_t draw) override;
  std::set<std::uint32_t> asked_for() const override;

 private:
  using Drawn = PlacedDraw<GivenCosts>;
  const Drawn& drawn(const DrawKey& key);
  void compute_elsewhere(const DrawKey& key, GivenCosts& costs, Drawn& made) const;
  void share_workloads();

  GivenCosts costs_;
  JobSamples samples_;
  std::map<DrawKey, Drawn> drawn_;
};

}  // namespace spillway
