#include "memory/activations.h"

#include <algorithm>

namespace spillway {
namespace {

bool keeps_activations(const Derived& derived, const Stage& stage) {
  const std::size_t region = stage.region.index();
  return derived.placement[region].layout == Layout::Sharded &&
         derived.model.trainable({0, derived.regions[region].layers.end});
}

// Each stage's layers over all the layers its rank keeps activations of.
std::vector<double> slab_shares(const Derived& derived) {
  std::vector<double> kept_on_rank(derived.order.rank_count(), 0);
  for (const Stage& stage : derived.stages) {
    if (keeps_activations(derived, stage)) kept_on_rank[stage.rank.index()] += stage.layers.size();
  }
  std::vector<double> shares;
  for (const Stage& stage : derived.stages) {
    shares.push_back(
        keeps_activations(derived, stage) ? stage.layers.size() / kept_on_rank[stage.rank.index()] : 0);
  }
  return shares;
}

}  // namespace

std::vector<double> peak_activations(const Derived& derived) {
  const std::vector<double> shares = slab_shares(derived);
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
