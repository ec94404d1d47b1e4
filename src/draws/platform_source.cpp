// Draws that are priced on a platform: architectures, devices, sampled images and text.
#include <algorithm>
#include <map>
#include <utility>

#include "cost/analytic.h"
#include "cost/slabs/priced_slabs.h"
#include "cost/stage_collectives.h"
#include "cost/step_end.h"
#include "draws/cost_source.h"
#include "draws/measured_costs.h"
#include "draws/module_costs.h"

namespace spillway {
namespace {

// Returns true if some activations were measured.
bool keeps_measured(const AnalyticCosts& costs) {
  return costs.measured && std::ranges::any_of(costs.measured->passes,
                                               [](const MeasuredPass& pass) { return !pass.kept.empty(); });
}

class PlatformSource final : public CostSource {
 public:
  PlatformSource(const AnalyticExperiment& priced, const Model& model, JobSamples samples);
  // A module of the job on its own devices. It shares the job's samples.
  PlatformSource(AnalyticCosts on_devices, const PlatformSource& job);

  void set(const Experiment& experiment) override;
  void lay_again(const Experiment& experiment) override;
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
    std::shared_ptr<const CollectiveUses> uses;  // null until something is priced
  };
  // The fits of the measured passes, and the loads and slabs of each draw on the measured devices.
  struct Measured {
    std::shared_ptr<const MeasuredLayers> layers;  // null: nothing is asked yet, or nothing was measured
    std::map<DrawKey, std::shared_ptr<const DrawLoads>> loads;
    std::map<DrawKey, PricedSlabs> slabs;
  };
  std::unique_ptr<CostModel> in_modules(const Outline& outline, std::uint32_t draw);
  std::unique_ptr<CostModel> in_one_pipeline(const Outline& outline, std::uint32_t draw);
  MeasuredCosts::Layers measured_layers(const Outline& outline, const DrawKey& key);
  std::vector<Seconds> measured_updates(const Outline& outline, AnalyticCostModel& roofline,
                                        const StageSlabs& slabs);
  std::unique_ptr<MeasuredCosts> as_measured(const Outline& outline, const DrawKey& key);
  PlatformSource& module(const ModuleDevices& devices);
  LaidOut& laid_out(const Outline& outline);
  const Drawn& drawn(const DrawKey& key);
  Draw draw(const DrawKey& key, const SampledDraw& sampled) const;

  AnalyticCosts costs_;
  std::shared_ptr<const WorkloadSpec> workload_;
  Model model_;
  JobSamples samples_;
  std::map<DrawKey, Drawn> drawn_;
  std::map<DrawKey, PricedSlabs> slabs_;
  std::optional<LaidOut> laid_out_;
  Measured measured_;
  std::map<ModuleDevices, std::unique_ptr<PlatformSource>> modules_;  // modules share the samples
};

PlatformSource::PlatformSource(const AnalyticExperiment& priced, const Model& model, JobSamples samples)
    : costs_(priced.costs),
      workload_(samples.cache().shared(priced.workload)),
      model_(model),
      samples_(samples) {}

PlatformSource::PlatformSource(AnalyticCosts on_devices, const PlatformSource& job)
    : costs_(std::move(on_devices)), workload_(job.workload_), model_(job.model_), samples_(job.samples_) {}

// Parameters change prices, but neither images nor text. A framework's statements about documents decide how
// they are computed.
void PlatformSource::set(const Experiment& experiment) {
  const auto& [costs, workload] = std::get<AnalyticExperiment>(experiment.costs);
  const DocumentRule now = DocumentRule::of(costs.framework), before = DocumentRule::of(costs_.framework);
  const bool padded_anew = workload.packing == Packing::Unpacked && now.pads != before.pads;
  if (padded_anew || now.across != before.across) drawn_.clear();
  costs_ = costs;
  workload_ = samples_.cache().shared(workload);
  slabs_.clear();
  laid_out_.reset();
  measured_ = {};
  modules_.clear();
}

void PlatformSource::lay_again(const Experiment& experiment) {
  costs_ = std::get<AnalyticExperiment>(experiment.costs).costs;
  for (auto& [key, priced] : slabs_) priced.forget_slabs();
  laid_out_.reset();
  modules_.clear();
}

std::unique_ptr<CostModel> PlatformSource::of(const Outline& outline, std::uint32_t draw) {
  return outline.modules.empty() ? in_one_pipeline(outline, draw) : in_modules(outline, draw);
}

std::unique_ptr<CostModel> PlatformSource::in_modules(const Outline& outline, std::uint32_t draw) {
  std::vector<PricedModule> modules;
  for (std::size_t i = 0; i < outline.modules.size(); ++i) {
    PlatformSource& source = module(devices_of_module(outline, i));
    auto own = std::make_unique<Outline>(outline_of_module(outline, i));
    auto loads = source.drawn({own->regrouping, draw}).loads;
    std::unique_ptr<CostModel> model = source.in_one_pipeline(*own, draw);
    modules.push_back({std::move(own), source.costs_, std::move(loads), std::move(model)});
  }
  return std::make_unique<ModuleCosts>(outline, std::move(modules));
}

PlatformSource& PlatformSource::module(const ModuleDevices& devices) {
  auto& known = modules_[devices];
  if (!known) known = std::make_unique<PlatformSource>(costs_on(devices, costs_), *this);
  return *known;
}

std::unique_ptr<CostModel> PlatformSource::in_one_pipeline(const Outline& outline, std::uint32_t draw) {
  const DrawKey key(outline.regrouping, draw);
  LaidOut& laid = laid_out(outline);
  if (!laid.uses)
    laid.uses = std::make_shared<const CollectiveUses>(collective_uses(costs_, outline, *laid.slabs));
  auto roofline = std::make_unique<AnalyticCostModel>(costs_, outline, laid.slabs, laid.uses,
                                                      drawn(key).loads, slabs_[key]);
  if (!costs_.measured) return roofline;
  if (!measured_.layers)
    measured_.layers = std::make_shared<const MeasuredLayers>(costs_, model_, samples_.job());
  MeasuredCosts::Layers layers = measured_layers(outline, key);
  layers.updates = measured_updates(outline, *roofline, *laid.slabs);
  return std::make_unique<MeasuredCosts>(std::move(roofline), outline, std::move(layers));
}

// Measured optimizers take the place of the modelled ones. Returns their times by stage.
std::vector<Seconds> PlatformSource::measured_updates(const Outline& outline, AnalyticCostModel& roofline,
                                                      const StageSlabs& slabs) {
  const MeasuredUpdates& updates = measured_.layers->updates();
  if (updates.empty()) return {};
  std::vector<double> factors = updates.factors(outline.stages);
  std::vector<Seconds> times = optimizer_times(costs_, outline, slabs, stage_states(outline, slabs));
  for (std::size_t stage = 0; stage < factors.size(); ++stage) {
    const bool covered = updates.covers(outline.stages[stage]);
    if (covered) factors[stage] *= costs_.measured_time;
    times[stage] = covered ? times[stage] * factors[stage] : Seconds();
  }
  roofline.scale_optimizers(costs_, outline, factors);
  return times;
}

MeasuredCosts::Layers PlatformSource::measured_layers(const Outline& outline, const DrawKey& key) {
  const double devices = static_cast<double>(costs_.parallelism.members()) * costs_.equal_replicas;
  if (!measured_.layers->measured_as(costs_))
    return {measured_.layers, nullptr, as_measured(outline, key), 1, devices};
  return {measured_.layers,
          std::make_unique<LayersUnderLoads>(costs_, model_, outline.pipeline, measured_.layers->kinds(),
                                             drawn(key).loads, slabs_[key]),
          nullptr, costs_.measured_time, devices};
}

// The stages on the devices that the passes were measured on.
std::unique_ptr<MeasuredCosts> PlatformSource::as_measured(const Outline& outline, const DrawKey& key) {
  const AnalyticCosts& costs = measured_.layers->costs();
  auto& loads = measured_.loads[key];
  if (!loads) {
    // Whole expert-parallel groups of the measured layout: replicas beyond the job's are copies.
    Draw all = draw(key, *samples_.of(workload_, key));
    for (std::size_t i = 0; all.size() % joined_replicas(costs.parallelism) != 0; ++i) all.push_back(all[i]);
    loads = std::make_shared<const DrawLoads>(draw_loads(costs, all));
  }
  auto there = std::make_unique<Outline>(outline);
  there->pipeline.replicas = loads->replicas();
  const auto slabs = std::make_shared<const StageSlabs>(costs, *there);
  auto roofline = std::make_unique<AnalyticCostModel>(
      costs, *there, slabs, std::make_shared<const CollectiveUses>(collective_uses(costs, *there, *slabs)),
      loads, measured_.slabs[key]);
  auto layers = std::make_unique<LayersUnderLoads>(costs, model_, there->pipeline, measured_.layers->kinds(),
                                                   loads, measured_.slabs[key]);
  return std::make_unique<MeasuredCosts>(
      std::move(there), std::move(roofline),
      MeasuredCosts::Layers{measured_.layers, std::move(layers), nullptr, costs_.measured_time});
}

std::unique_ptr<Footprints> PlatformSource::footprints(const Outline& outline, std::uint32_t draw) {
  if (keeps_measured(costs_)) return in_one_pipeline(outline, draw);
  return std::make_unique<AnalyticFootprints>(costs_, outline, laid_out(outline).slabs,
                                              drawn({outline.regrouping, draw}).loads);
}

SampleExchange PlatformSource::exchange(const Outline& outline, std::uint32_t draw) {
  return sample_exchange(costs_, outline, drawn({outline.regrouping, draw}).traffic,
                         workload_->patches.patches_per_token);
}

double PlatformSource::planned_s(const Outline& outline, std::uint32_t draw) {
  return drawn({outline.regrouping, draw}).planned_s;
}

std::optional<StepAccount> PlatformSource::step_account(std::uint32_t draw) {
  return spillway::step_account(costs_, model_, samples_.job(), *drawn({Regrouping{}, draw}).loads);
}

std::vector<WorkloadTally> PlatformSource::tallies(std::uint32_t draw) {
  return {drawn({Regrouping{}, draw}).loads->tally() * costs_.equal_replicas};
}

std::set<std::uint32_t> PlatformSource::asked_for() const {
  std::set<std::uint32_t> draws;
  for (const auto& [key, loads] : drawn_) draws.insert(key.second);
  for (const auto& [devices, module] : modules_) draws.merge(module->asked_for());
  return draws;
}

PlatformSource::LaidOut& PlatformSource::laid_out(const Outline& outline) {
  if (!laid_out_ || laid_out_->pipeline != outline.pipeline || laid_out_->stages != outline.stages)
    laid_out_ = LaidOut{outline.pipeline, outline.stages, std::make_shared<const StageSlabs>(costs_, outline),
                        nullptr};
  return *laid_out_;
}

const PlatformSource::Drawn& PlatformSource::drawn(const DrawKey& key) {
  Drawn& known = drawn_[key];
  if (known.loads) return known;
  const auto sampled = samples_.of(workload_, key);
  known = {std::make_shared<const DrawLoads>(draw_loads(costs_, draw(key, *sampled))), sampled->traffic,
           sampled->planned_s};
  return known;
}

Draw PlatformSource::draw(const DrawKey& key, const SampledDraw& sampled) const {
  Draw draw = samples_.first_of(sampled.loads);
  return key.first.dealt_to > 0 ? dealt_out(draw, samples_.job(), key.first.dealt_to) : draw;
}

}  // namespace

std::unique_ptr<CostSource> platform_source(const AnalyticExperiment& priced, const Model& model,
                                            JobSamples samples) {
  return std::make_unique<PlatformSource>(priced, model, samples);
}

}  // namespace spillway
