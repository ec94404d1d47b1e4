// Draws of given durations. Their work may be drawn.
#include <map>
#include <utility>

#include "cost/given.h"
#include "draws/cost_source.h"
#include "draws/given_draws.h"

namespace spillway {
namespace {

void deal_out(GivenCosts& costs, const Pipeline& job, std::uint32_t to) {
  for (BlockProfile& block : costs.blocks)
    for (auto* work : {&block.work, &block.backward_work})
      if (!work->empty()) *work = dealt_out(*work, job, to);
}

// Given durations do not depend on the devices of a module.
class GivenSource final : public CostSource {
 public:
  GivenSource(GivenCosts costs, JobSamples samples);

  void set(const Experiment& experiment) override;
  void lay_again(const Experiment& experiment) override { set(experiment); }
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

GivenSource::GivenSource(GivenCosts costs, JobSamples samples) : costs_(std::move(costs)), samples_(samples) {
  share_workloads();
}

void GivenSource::set(const Experiment& experiment) {
  costs_ = std::get<GivenCosts>(experiment.costs);
  share_workloads();
  drawn_.clear();  // profiles may have changed
}

// Makes equal workloads one object, since draws are found by their workload.
void GivenSource::share_workloads() {
  for (BlockProfile& block : costs_.blocks)
    if (block.image_work) block.image_work->workload = samples_.cache().shared(*block.image_work->workload);
}

std::unique_ptr<CostModel> GivenSource::of(const Outline& outline, std::uint32_t draw) {
  if (!is_drawn(costs_) && outline.regrouping.dealt_to == 0)
    return std::make_unique<GivenCostModel>(costs_, outline);
  return std::make_unique<GivenCostModel>(drawn({outline.regrouping, draw}).loads, outline);
}

std::unique_ptr<Footprints> GivenSource::footprints(const Outline& outline, std::uint32_t draw) {
  return of(outline, draw);
}

SampleExchange GivenSource::exchange(const Outline& outline, std::uint32_t draw) {
  if (!is_drawn(costs_)) return {};
  return sample_exchange(costs_, outline, drawn({outline.regrouping, draw}).traffic);
}

double GivenSource::planned_s(const Outline& outline, std::uint32_t draw) {
  return is_drawn(costs_) ? drawn({outline.regrouping, draw}).planned_s : 0;
}

std::vector<WorkloadTally> GivenSource::tallies(std::uint32_t draw) {
  std::vector<WorkloadTally> all;
  for (const BlockProfile& block : costs_.blocks) {
    if (!block.image_work) continue;
    const auto sampled = samples_.of(block.image_work->workload, {Regrouping{}, draw});
    all.push_back(sampled->tally(samples_.job().replicas, samples_.job().microbatches));
  }
  return all;
}

std::set<std::uint32_t> GivenSource::asked_for() const {
  std::set<std::uint32_t> draws;
  for (const auto& [key, costs] : drawn_) draws.insert(key.second);
  return draws;
}

const GivenSource::Drawn& GivenSource::drawn(const DrawKey& key) {
  Drawn& made = drawn_[key];
  if (made.loads) return made;
  GivenCosts costs = costs_;
  if (key.first.rule != Regrouping::Rule::AsDrawn) compute_elsewhere(key, costs, made);
  costs = spillway::drawn(std::move(costs), samples_.draw_of(key.second), samples_.cache());
  if (key.first.dealt_to > 0) deal_out(costs, samples_.job(), key.first.dealt_to);
  made.loads = std::make_shared<const GivenCosts>(std::move(costs));
  return made;
}

// Sets the work of blocks with image_work, which follows from where their images are computed. Work of other
// blocks is drawn later.
void GivenSource::compute_elsewhere(const DrawKey& key, GivenCosts& costs, Drawn& made) const {
  for (BlockProfile& block : costs.blocks) {
    if (!block.image_work) continue;
    const auto sampled = samples_.of(block.image_work->workload, key);
    block.work.clear();
    for (const std::vector<double>& patches : sampled->patches) {
      std::vector<double>& factors = block.work.emplace_back();
      for (const double n : patches) factors.push_back(n / block.image_work->profile_patches);
    }
    block.image_work.reset();
    made.traffic = sampled->traffic;
    made.planned_s += sampled->planned_s;
  }
}

}  // namespace

std::unique_ptr<CostSource> given_source(GivenCosts costs, JobSamples samples) {
  return std::make_unique<GivenSource>(std::move(costs), samples);
}

}  // namespace spillway
