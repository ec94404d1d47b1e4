#include "memory/activations.h"

#include <algorithm>

#include "memory/lifetime.h"

namespace spillway {
namespace {

bool keeps_activations(const Outline& derived, const Stage& stage) {
  const std::size_t region = stage.region.index();
  return derived.placement[region].layout == Layout::Sharded &&
         derived.model.trainable({0, derived.regions[region].layers.end});
}

// The activations of a stage for one microbatch.
Held held_by(const Outline& derived, const Stage& stage, const std::vector<LayerActivations>& layers) {
  Held held;
  if (!keeps_activations(derived, stage)) return held;
  for (std::size_t block = 0; block < derived.model.blocks().size(); ++block) {
    LayerActivations layer = layers.empty() ? LayerActivations{} : layers[block];
    if (!derived.model.blocks()[block].trainable) layer.for_weight_gradient = 0;
    const double count = derived.model.part_of(block, stage.layers).size();
    held += Held{Bytes(layer.held), Bytes(layer.for_weight_gradient), Bytes()} * count;
  }
  return held;
}

// The share of each stage in its rank's activations; zero if the rank holds none.
std::vector<Held> slab_shares(const Derived& derived, const std::vector<LayerActivations>& layers) {
  std::vector<Held> shares;
  std::vector<double> slab(derived.order.rank_count(), 0);
  for (const Stage& stage : derived.stages) {
    shares.push_back(held_by(derived, stage, layers));
    slab[stage.rank.index()] += shares.back().activations.value();
  }
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i].activations > Bytes()) shares[i] = shares[i] * (1 / slab[derived.stages[i].rank.index()]);
  return shares;
}

double peak_of(const Derived& derived, RankId rank, const std::vector<Held>& shares) {
  const auto share_of = [&](StageId stage, MicrobatchId) { return shares[stage.index()]; };
  Bytes live, peak;
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    const auto changes = changes_of(event, share_of);
    for (const Change& change : changes) live += change.at_start;
    peak = std::max(peak, live);
    for (const Change& change : changes) live += change.at_end;
  }
  return peak.value();
}

}  // namespace

std::vector<double> peak_activations(const Derived& derived, const std::vector<LayerActivations>& layers) {
  const std::vector<Held> shares = slab_shares(derived, layers);
  std::vector<double> peaks;
  for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank)
    peaks.push_back(peak_of(derived, RankId(rank), shares));
  return peaks;
}

}  // namespace spillway
