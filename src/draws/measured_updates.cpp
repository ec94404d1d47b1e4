#include "draws/measured_updates.h"

#include <algorithm>

#include "cost/analytic_footprints.h"
#include "cost/measured/pass_fit.h"
#include "cost/step_end.h"
#include "draws/measured_layers.h"

namespace spillway {
namespace {

// By kind: the modelled optimizer of one layer. After them, those of the measured stages.
std::vector<Seconds> modelled_times(const AnalyticCosts& costs, const Model& model, std::uint32_t replicas,
                                    const LayerKinds& kinds, const PassTable& measured) {
  Outline apart = outline_apart(model, {1, 1, replicas}, kinds, costs);
  for (const MeasuredUpdate& update : measured.updates)
    apart.stages.push_back({RegionId(0), RankId(0), update.layers.first, update.layers});
  const StageSlabs slabs(costs, apart);
  return optimizer_times(costs, apart, slabs, stage_states(apart, slabs));
}

}  // namespace

KindCounts kind_counts(const LayerKinds& kinds, LayerRange layers) {
  KindCounts counts(kinds.count(), 0);
  for (std::uint32_t layer = layers.first; layer < layers.end; ++layer) ++counts[kinds.of[layer]];
  return counts;
}

MeasuredUpdates::MeasuredUpdates(const AnalyticCosts& costs, const Model& model, std::uint32_t replicas,
                                 const LayerKinds& kinds, const PassTable& measured)
    : kinds_(kinds), factors_(kinds.count(), 1), measured_(kinds.count(), false) {
  if (measured.updates.empty()) return;
  modelled_ = modelled_times(costs, model, replicas, kinds, measured);
  group(measured, {modelled_.begin() + static_cast<std::ptrdiff_t>(kinds.count()), modelled_.end()});
  modelled_.resize(kinds.count());
  fit();
}

void MeasuredUpdates::group(const PassTable& measured, const std::vector<Seconds>& modelled) {
  for (std::size_t i = 0; i < measured.updates.size(); ++i) {
    const auto& [layers, times] = measured.updates[i];
    const auto [least, most] = std::ranges::minmax(times);
    const KindCounts counts = kind_counts(kinds_, layers);
    const UpdateGroup begun{.layers = layers, .least = least, .most = most, .modelled = modelled[i]};
    UpdateGroup& group = groups_.try_emplace(counts, begun).first->second;
    for (const Seconds time : times) group.sum += time;
    group.repeats += static_cast<std::uint32_t>(times.size());
    group.least = std::min(group.least, least);
    group.most = std::max(group.most, most);
  }
}

// All layers have one size, so the fit has a factor for each kind.
void MeasuredUpdates::fit() {
  std::vector<FitRow> rows;
  for (const auto& [counts, group] : groups_) {
    FitRow row{.layers = {counts.begin(), counts.end()},
               .sizes = std::vector<LayerSize>(counts.size(), LayerSize{1, 1}),
               .roofline = modelled_,
               .time = group.mean(),
               .repeats = static_cast<double>(group.repeats)};
    for (std::size_t kind = 0; kind < counts.size(); ++kind)
      if (modelled_[kind] == Seconds()) row.layers[kind] = 0;
    rows.push_back(std::move(row));
  }
  const PassFit fitted = fit_passes(rows, kinds_.count());
  for (std::size_t kind = 0; kind < kinds_.count(); ++kind) {
    measured_[kind] = fitted.kinds[kind].measured();
    if (measured_[kind]) factors_[kind] = fitted.kinds[kind].factor;
  }
}

Seconds MeasuredUpdates::modelled(const KindCounts& counts) const {
  Seconds sum;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) sum += modelled_[kind] * counts[kind];
  return sum;
}

double MeasuredUpdates::factor(const KindCounts& counts) const {
  const auto known = groups_.find(counts);
  if (known != groups_.end() && known->second.modelled > Seconds())
    return known->second.mean() / known->second.modelled;
  const Seconds all = modelled(counts);
  if (all == Seconds()) return 1;
  Seconds scaled;
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    scaled += modelled_[kind] * (counts[kind] * factors_[kind]);
  return scaled / all;
}

std::vector<double> MeasuredUpdates::factors(const std::vector<Stage>& stages) const {
  std::vector<double> factors;
  for (const Stage& stage : stages)
    factors.push_back(empty() ? 1 : factor(kind_counts(kinds_, stage.layers)));
  return factors;
}

bool MeasuredUpdates::covers(const Stage& stage) const {
  for (std::uint32_t layer = stage.layers.first; layer < stage.layers.end; ++layer)
    if (measured_[kinds_.of[layer]]) return true;
  return false;
}

std::vector<UpdateGroup> MeasuredUpdates::groups() const {
  std::vector<UpdateGroup> groups;
  for (const auto& [counts, group] : groups_) groups.push_back(group);
  return groups;
}

}  // namespace spillway
