#include "evaluate/lane_blocks.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace spillway {
namespace {

// As many lanes as fill the widest vectors twice; what is alive of a usual pipeline stays near then.
constexpr std::uint32_t kLanesAtOnce = 16;

// How many neighbouring replicas a block may not part: those that compute together, and those that meet at
// reductions which do not take every draw and replica the same time.
std::uint32_t together(const PreparedOrder& prepared, const std::vector<const Pricing*>& draws) {
  std::uint32_t lanes = 1;
  for (std::uint32_t price_class = 0; price_class < prepared.classes.count(); ++price_class) {
    const Event& event = prepared.derived.order.event(prepared.classes.representative(price_class));
    if (event.joined_replicas == 1) continue;
    const auto uniform = [&](const Pricing* pricing) { return pricing->uniform(event); };
    const bool parts = event.kind == EventKind::StepBarrier ||
                       (event.communicates() && std::all_of(draws.begin(), draws.end(), uniform));
    if (!parts) lanes = std::lcm(lanes, event.joined_replicas);
  }
  return lanes;
}

// Of each lane, or of one that stands for all; none where nothing spills.
std::vector<FreeLane> free_lanes(const PreparedOrder& prepared, const LanePrices& prices, PricedRows& free,
                                 std::uint32_t first, std::uint32_t lanes, LiveEnds& ends) {
  free.set_lanes(first, prices.free_is_uniform() ? 1 : lanes);
  return prepared.evaluator.free_lanes(free, ends);
}

}  // namespace

std::vector<LaneFigures> lane_figures(const PreparedOrder& prepared,
                                      const std::vector<const Pricing*>& draws) {
  const LanePrices prices(prepared.derived, prepared.classes, draws);
  const bool spills = prepared.evaluator.spills();
  const std::uint32_t most = std::lcm(kLanesAtOnce, together(prepared, draws));
  PricedRows counted(prices, TransposedWork::Counted);
  std::optional<PricedRows> free;
  if (spills) free.emplace(prices, TransposedWork::Free);
  std::vector<FreeLane> without;
  std::vector<LaneFigures> all;
  LiveEnds ends;
  for (std::uint32_t first = 0; first < prices.lanes(); first += most) {
    const std::uint32_t lanes = std::min(most, prices.lanes() - first);
    if (spills && (first == 0 || !prices.free_is_uniform()))
      without = free_lanes(prepared, prices, *free, first, lanes, ends);
    counted.set_lanes(first, lanes);
    for (LaneFigures& lane : prepared.evaluator.figures(counted, without, ends))
      all.push_back(std::move(lane));
  }
  return all;
}

}  // namespace spillway
