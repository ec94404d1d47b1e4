// Draws that are priced on a platform: architectures, devices, sampled images and text. Private to src/draws.
#pragma once

#include <map>

#include "cost/slabs/priced_slabs.h"
#include "cost/stage_collectives.h"
#include "draws/cost_source.h"
#include "draws/module_costs.h"

namespace spillway {

class PlatformSource final : public CostSource {
 public:
  PlatformSource(const AnalyticExperiment& priced, const Model& model, JobSamples samples);
  // A module of the job on devices of its own, which shares the samples.
  PlatformSource(AnalyticCosts on_devices, const PlatformSource& job);

  void set(const Experiment& experiment) override;
  std::unique_ptr<CostModel> of(const Outline& outline, std::uint32_t draw) override;
  std::unique_ptr<Footprints> footprints(const Outline& outline, std::uint32_t draw) override;
  SampleExchange exchange(const Outline& outline, std::uint32_t draw) override;
  double planned_s(const Outline& outline, std::uint32_t draw) override;
  std::optional<StepAccount> step_account(std::uint32_t draw) override;
  std::vector<WorkloadTally> tallies(std::uint32_t draw) override;
  std::set<std::uint32_t> asked_for() const override;

 private:
  using Drawn = PlacedDraw<DrawLoads>;
  // The layout of the outline that was priced last. One is enough, since the draws of a schedule come one
  // after the other.
  struct LaidOut {
    Pipeline pipeline;
    std::vector<Stage> stages;
    std::shared_ptr<const StageSlabs> slabs;
    std::shared_ptr<const CollectiveUses> uses;  // once something is priced
  };
  std::unique_ptr<CostModel> in_modules(const Outline& outline, std::uint32_t draw);
  std::unique_ptr<CostModel> in_one_pipeline(const Outline& outline, std::uint32_t draw);
  PlatformSource& module(const ModuleDevices& devices);
  LaidOut& laid_out(const Outline& outline);
  const Drawn& drawn(const DrawKey& key);

  AnalyticCosts costs_;
  std::shared_ptr<const WorkloadSpec> workload_;
  Model model_;
  JobSamples samples_;
  std::map<DrawKey, Drawn> drawn_;
  std::map<DrawKey, PricedSlabs> slabs_;
  std::optional<LaidOut> laid_out_;
  std::map<ModuleDevices, std::unique_ptr<PlatformSource>> modules_;  // they share the samples
};

}  // namespace spillway
