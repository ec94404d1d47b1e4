#include "memory/activations.h"

#include <algorithm>

namespace spillway {
namespace {

bool keeps_activations(const Derived& derived, const Stage& stage) {
  const std::size_t region = stage.region.index();
  return derived.placement[region].layout == Layout::Sharded &&
         derived.model.trainable({0, derived.regions[region].layers.end});
}

// What a stage holds for one microbatch.
double held_by(const Derived& derived, const Stage& stage, const std::vector<double>& layer_activations) {
  if (!keeps_activations(derived, stage)) return 0;
  if (layer_activations.empty()) return stage.layers.size();
  double held = 0;
  for (std::size_t block = 0; block < layer_activations.size(); ++block)
    held += derived.model.part_of(block, stage.layers).size() * layer_activations[block];
  return held;
}

// What each stage holds over what its rank's stages hold together; zero where they hold nothing.
std::vector<double> slab_shares(const Derived& derived, const std::vector<double>& layer_activations) {
  std::vector<double> shares, slab(derived.order.rank_count(), 0);
  for (const Stage& stage : derived.stages) {
    shares.push_back(held_by(derived, stage, layer_activations));
    slab[stage.rank.index()] += shares.back();
  }
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0) shares[i] /= slab[derived.stages[i].rank.index()];
  return shares;
}

}  // namespace

std::vector<double> peak_activations(const Derived& derived, const std::vector<double>& layer_activations) {
  const std::vector<double> shares = slab_shares(derived, layer_activations);
  std::vector<double> peaks(derived.order.rank_count(), 0);
  for (std::uint32_t rank = 0; rank < peaks.size(); ++rank) {
    double live = 0;
    for (EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (!event.computes()) continue;
      const double share = shares[event.stage.index()];
      live += event.kind == EventKind::Forward ? share : -share;
      peaks[rank] = std::max(peaks[rank], live);
    }
  }
  return peaks;
}

}  // namespace spillway
