#include "draws/costs.h"

#include <set>

#include "cost/analytic.h"
#include "cost/given_draws.h"
#include "draws/even_stages.h"
#include "draws/exchanged_samples.h"
#include "draws/hidden_input.h"
#include "draws/module_costs.h"
#include "draws/recomputed_input.h"
#include "draws/sub_microbatches.h"
#include "model/leading_encoder.h"

namespace spillway {
namespace {

Draw first_of(const Draw& draw, const Pipeline& pipeline) {
  Draw first;
  for (std::uint32_t replica = 0; replica < pipeline.replicas; ++replica)
    first.emplace_back(draw[replica].begin(), draw[replica].begin() + pipeline.microbatches);
  return first;
}

// What [replica][microbatch] has, of as many pipelines (Regrouping::dealt_to); one list serves all replicas.
template <class Value>
std::vector<std::vector<Value>> dealt_out(const std::vector<std::vector<Value>>& all, const Pipeline& job,
                                          std::uint32_t to) {
  const std::uint32_t count = job.replicas * job.microbatches;
  std::vector<std::vector<Value>> dealt(to);
  for (std::uint32_t n = 0; n < count; ++n)
    dealt[n % to].push_back(all[all.size() == 1 ? 0 : n % job.replicas][n / job.replicas]);
  return dealt;
}

void deal_out(GivenCosts& costs, const Pipeline& job, std::uint32_t to) {
  for (BlockProfile& block : costs.blocks)
    for (auto* work : {&block.work, &block.backward_work})
      if (!work->empty()) *work = dealt_out(*work, job, to);
}

DrawOf draw_of(const Experiment& experiment, std::uint32_t number) {
  const Pipeline& pipeline = experiment.pipeline;
  return {pipeline.microbatches, pipeline.replicas, experiment.seed, number};
}

}  // namespace

bool is_drawn(const std::variant<GivenCosts, AnalyticExperiment>& costs) {
  if (const auto* given = std::get_if<GivenCosts>(&costs)) return is_drawn(*given);
  return std::get<AnalyticExperiment>(costs).workload.packing != Packing::TextOnly;
}

bool draws_differ(const Experiment& experiment) {
  return is_drawn(experiment.costs);
}

std::uint32_t different_draws(const Experiment& experiment) {
  return draws_differ(experiment) ? experiment.draws : 1;
}

bool plans_each_step(const Experiment& experiment, const ScheduleSpec& schedule) {
  return schedule.plans_by_sizes() && draws_differ(experiment);
}

std::vector<PlacedWorkload> workloads(const Experiment& experiment) {
  const auto* given = std::get_if<GivenCosts>(&experiment.costs);
  if (!given) return {{"/workload", std::get<AnalyticExperiment>(experiment.costs).workload}};
  std::vector<PlacedWorkload> all;
  for (std::size_t i = 0; i < given->blocks.size(); ++i)
    if (const auto& images = given->blocks[i].image_work)
      all.push_back({"/model/blocks/" + std::to_string(i) + "/image_work", *images->workload});
  return all;
}

DrawCosts::DrawCosts(const Experiment& experiment, SampleCache* samples)
    : experiment_(with_what_if(experiment)),
      own_samples_(samples ? nullptr : std::make_unique<SampleCache>(0)),
      samples_(samples ? samples : own_samples_.get()) {
  share_workloads();
}

void DrawCosts::set_experiment(const Experiment& experiment) {
  experiment_ = with_what_if(experiment);
  share_workloads();
  slabs_.clear();  // these follow from efficiencies or profiles, which may be what changed
  laid_out_.reset();
  drawn_.clear();
  modules_.clear();
}

void DrawCosts::share_workloads() {
  if (auto* given = std::get_if<GivenCosts>(&experiment_.costs)) {
    for (BlockProfile& block : given->blocks)
      if (block.image_work) block.image_work->workload = samples_->shared(*block.image_work->workload);
  } else {
    workload_ = samples_->shared(std::get<AnalyticExperiment>(experiment_.costs).workload);
  }
}

std::unique_ptr<CostModel> DrawCosts::of(const Outline& outline, std::uint32_t draw) const {
  if (!outline.modules.empty()) return evened(in_modules(outline, draw), outline);
  if (outline.pipeline.microbatches > experiment_.pipeline.microbatches) return in_parts(outline, draw);
  std::unique_ptr<CostModel> model = as_placed(outline, draw);
  if (SampleExchange made = exchange(outline, draw); !made.time.empty())
    model = std::make_unique<ExchangedSamples>(std::move(model), outline, std::move(made));
  if (outline.input.recomputed) model = std::make_unique<RecomputedInput>(std::move(model), outline);
  if (!outline.hidden.empty()) model = std::make_unique<HiddenInput>(std::move(model), outline);
  return evened(std::move(model), outline);
}

std::unique_ptr<CostModel> DrawCosts::evened(std::unique_ptr<CostModel> model, const Outline& outline) const {
  if (!experiment_.what_if.even_stages || !experiment_.fits.empty()) return model;
  return std::make_unique<EvenStages>(std::move(model), outline);
}

// Given durations are the same on whatever devices.
std::unique_ptr<CostModel> DrawCosts::in_modules(const Outline& outline, std::uint32_t draw) const {
  if (std::holds_alternative<GivenCosts>(experiment_.costs)) return as_placed(outline, draw);
  std::vector<PricedModule> modules;
  for (std::size_t module = 0; module < outline.modules.size(); ++module) {
    const DrawCosts& costs = costs_of_module(outline, module);
    const auto& analytic = std::get<AnalyticExperiment>(costs.experiment_.costs);
    auto own = std::make_unique<Outline>(outline_of_module(outline, module));
    auto loads = costs.loads(analytic, {own->regrouping, draw}).loads;
    std::unique_ptr<CostModel> model = costs.as_placed(*own, draw);
    modules.push_back({std::move(own), analytic.costs, std::move(loads), std::move(model)});
  }
  return std::make_unique<ModuleCosts>(outline, std::move(modules));
}

const DrawCosts& DrawCosts::costs_of_module(const Outline& outline, std::size_t module) const {
  const ModuleDevices devices = devices_of_module(outline, module);
  auto& known = modules_[devices];
  if (!known) {
    Experiment own = experiment_;
    auto& costs = std::get<AnalyticExperiment>(own.costs).costs;
    costs = costs_on(devices, std::move(costs));
    known = std::make_unique<DrawCosts>(own, samples_);
  }
  return *known;
}

std::unique_ptr<CostModel> DrawCosts::in_parts(const Outline& outline, std::uint32_t draw) const {
  auto coarse = std::make_unique<Outline>(outline);
  coarse->pipeline.microbatches = experiment_.pipeline.microbatches;
  std::unique_ptr<CostModel> whole = of(*coarse, draw);
  return std::make_unique<SubMicrobatches>(std::move(coarse), std::move(whole),
                                           outline.pipeline.microbatches / experiment_.pipeline.microbatches);
}

std::unique_ptr<CostModel> DrawCosts::as_placed(const Outline& outline, std::uint32_t draw) const {
  const DrawKey key(outline.regrouping, draw);
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs))
    return is_drawn(*given) || outline.regrouping.dealt_to > 0
               ? std::make_unique<GivenCostModel>(drawn(*given, key).loads, outline)
               : std::make_unique<GivenCostModel>(*given, outline);
  const auto& analytic = std::get<AnalyticExperiment>(experiment_.costs);
  LaidOut& laid = laid_out(analytic, outline);
  if (!laid.uses)
    laid.uses = std::make_shared<const CollectiveUses>(collective_uses(analytic.costs, outline, *laid.slabs));
  return std::make_unique<AnalyticCostModel>(analytic.costs, outline, laid.slabs, laid.uses,
                                             loads(analytic, key).loads, slabs_[key]);
}

SampleExchange DrawCosts::exchange(const Outline& outline, std::uint32_t draw) const {
  if (outline.regrouping.rule == Regrouping::Rule::AsDrawn) return {};
  const DrawKey key(outline.regrouping, draw);
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs))
    return is_drawn(*given) ? sample_exchange(*given, outline, drawn(*given, key).traffic) : SampleExchange{};
  const auto& analytic = std::get<AnalyticExperiment>(experiment_.costs);
  return sample_exchange(analytic.costs, outline, loads(analytic, key).traffic,
                         analytic.workload.patches.patches_per_token);
}

Bytes DrawCosts::exchanged(const Outline& outline, std::uint32_t draw) const {
  Bytes all;
  for (const auto& replica : exchange(outline, draw).moved)
    for (const Bytes moved : replica) all += moved;
  const bool trained = outline.model.trainable({0, leading_encoder_layers(outline.model)});
  return all * (trained ? 2.0 : 1.0);
}

double DrawCosts::planned_s(const Outline& outline, std::uint32_t draw) const {
  if (outline.regrouping.rule == Regrouping::Rule::AsDrawn) return 0;
  const DrawKey key(outline.regrouping, draw);
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs))
    return is_drawn(*given) ? drawn(*given, key).planned_s : 0;
  return loads(std::get<AnalyticExperiment>(experiment_.costs), key).planned_s;
}

std::unique_ptr<Footprints> DrawCosts::footprints(const Outline& outline, std::uint32_t draw) const {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment_.costs);
  const bool parts = outline.pipeline.microbatches > experiment_.pipeline.microbatches;
  if (!analytic || outline.input.recomputed || parts || !outline.modules.empty()) return of(outline, draw);
  return std::make_unique<AnalyticFootprints>(analytic->costs, outline, laid_out(*analytic, outline).slabs,
                                              loads(*analytic, {outline.regrouping, draw}).loads);
}

DrawCosts::LaidOut& DrawCosts::laid_out(const AnalyticExperiment& analytic, const Outline& outline) const {
  if (!laid_out_ || laid_out_->pipeline != outline.pipeline || laid_out_->stages != outline.stages)
    laid_out_ = LaidOut{outline.pipeline, outline.stages,
                        std::make_shared<const StageSlabs>(analytic.costs, outline), nullptr};
  return *laid_out_;
}

std::vector<std::uint32_t> DrawCosts::asked_for() const {
  std::set<std::uint32_t> draws;
  for (const auto& [key, loads] : loads_) draws.insert(key.second);
  for (const auto& [key, costs] : drawn_) draws.insert(key.second);
  for (const auto& [key, costs] : modules_)
    for (const std::uint32_t draw : costs->asked_for()) draws.insert(draw);
  return {draws.begin(), draws.end()};
}

std::optional<StepAccount> DrawCosts::step_account(std::uint32_t draw) const {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment_.costs);
  if (!analytic) return std::nullopt;
  return spillway::step_account(analytic->costs, experiment_.model, experiment_.pipeline,
                                *loads(*analytic, {Regrouping{}, draw}).loads);
}

std::vector<WorkloadTally> DrawCosts::tallies(std::uint32_t draw) const {
  const auto known = tallies_.find(draw);
  if (known != tallies_.end()) return known->second;
  std::vector<WorkloadTally> all;
  if (const auto* given = std::get_if<GivenCosts>(&experiment_.costs)) {
    for (const BlockProfile& block : given->blocks) {
      if (!block.image_work) continue;
      const auto sampled = samples_->sample(block.image_work->workload, draw_of(experiment_, draw));
      all.push_back(sampled->tally(experiment_.pipeline.replicas, experiment_.pipeline.microbatches));
    }
  } else {
    const auto& analytic = std::get<AnalyticExperiment>(experiment_.costs);
    all.push_back(loads(analytic, {Regrouping{}, draw}).loads->tally() * analytic.costs.equal_replicas);
  }
  return tallies_[draw] = std::move(all);
}

const DrawCosts::DrawnLoads& DrawCosts::loads(const AnalyticExperiment& analytic, const DrawKey& key) const {
  DrawnLoads& known = loads_[key];
  if (known.loads) return known;
  const auto sampled = samples(workload_, key);
  Draw draw = first_of(sampled->loads, experiment_.pipeline);
  if (key.first.dealt_to > 0) draw = dealt_out(draw, experiment_.pipeline, key.first.dealt_to);
  known = {std::make_shared<const DrawLoads>(draw_loads(analytic.costs, draw)), sampled->traffic,
           sampled->planned_s};
  return known;
}

const DrawCosts::DrawnGiven& DrawCosts::drawn(const GivenCosts& given, const DrawKey& key) const {
  const auto known = drawn_.find(key);
  if (known != drawn_.end()) return known->second;
  Drawn<GivenCosts> made = regrouped(given, key);
  GivenCosts costs = spillway::drawn(std::move(made.loads), draw_of(experiment_, key.second), *samples_);
  if (key.first.dealt_to > 0) deal_out(costs, experiment_.pipeline, key.first.dealt_to);
  return drawn_
      .emplace(key, DrawnGiven{std::make_shared<const GivenCosts>(std::move(costs)), std::move(made.traffic),
                               made.planned_s})
      .first->second;
}

// Where they are computed.
std::shared_ptr<const SampledDraw> DrawCosts::samples(const std::shared_ptr<const WorkloadSpec>& workload,
                                                      const DrawKey& key) const {
  const DrawOf draw = draw_of(experiment_, key.second);
  const Regrouping& to = key.first;
  if (to.rule == Regrouping::Rule::AsDrawn) return samples_->sample(workload, draw);
  const auto [rule, together, stride, dealt_to] = to;  // all of them: one more would not compile
  const SampleCache::Making how{
      static_cast<std::uint32_t>(rule), together, stride, dealt_to, draw.replicas, draw.microbatches};
  return samples_->made(workload, draw, how, [&] {
    const auto sampled = samples_->sample(workload, draw);
    return regrouped_draw(to, first_of(sampled->loads, experiment_.pipeline), workload->packing);
  });
}

// With the work of blocks that have image_work from where their images are computed; all else is left to be
// drawn.
DrawCosts::Drawn<GivenCosts> DrawCosts::regrouped(const GivenCosts& given, const DrawKey& key) const {
  Drawn<GivenCosts> made{given};
  if (key.first.rule == Regrouping::Rule::AsDrawn) return made;
  for (BlockProfile& block : made.loads.blocks) {
    if (!block.image_work) continue;
    const auto sampled = samples(block.image_work->workload, key);
    block.work.clear();
    for (const std::vector<double>& patches : sampled->patches) {
      std::vector<double>& factors = block.work.emplace_back();
      for (const double n : patches) factors.push_back(n / block.image_work->profile_patches);
    }
    block.image_work.reset();
    made.traffic = sampled->traffic;
    made.planned_s += sampled->planned_s;
  }
  return made;
}

}  // namespace spillway
