#include "evaluate/lane_blocks.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace spillway {
namespace {

// As many lanes as fill vectors and stay near.
constexpr std::uint32_t kLanesAtOnce = 8;

// How many neighbouring replicas a block may not part: those that compute together, and those that meet at
// reductions which do not take every draw and replica the same time.
std::uint32_t together(const PreparedOrder& prepared, const std::vector<const Pricing*>& draws) {
  std::uint32_t lanes = 1;
  for (std::uint32_t price_class = 0; price_class < prepared.classes.count(); ++price_class) {
    const Event& event = prepared.derived.order.event(prepared.classes.representative(price_class));
    const auto uniform = [&](const Pricing* pricing) { return pricing->uniform(event); };
    const bool parts = event.kind == EventKind::StepBarrier ||
                       (event.communicates() && std::all_of(draws.begin(), draws.end(), uniform));
    if (!parts) lanes = std::lcm(lanes, event.joined_replicas);
  }
  return lanes;
}

// What all blocks take alike is priced once, and run once where that is the step with transposed work free.
class LaneBlocks {
 public:
  LaneBlocks(const PreparedOrder& prepared, const std::vector<const Pricing*>& draws)
      : prepared_(prepared),
        prices_(prepared.derived, prepared.classes, draws),
        most_(std::lcm(kLanesAtOnce, together(prepared, draws))) {}

  // By draw and replica.
  std::vector<LaneFigures> figures() {
    std::vector<LaneFigures> all;
    for (std::uint32_t first = 0; first < prices_.lanes(); first += most_) {
      price(first, std::min(most_, prices_.lanes() - first));
      for (LaneFigures& lane : prepared_.evaluator.figures(counted_, free_lanes_, ends_))
        all.push_back(std::move(lane));
    }
    return all;
  }

 private:
  void price(std::uint32_t first, std::uint32_t lanes) {
    const bool anew = counted_.lanes() != lanes;
    price(TransposedWork::Counted, first, lanes, counted_);
    if (!prepared_.evaluator.spills() || (prices_.free_is_uniform() && !anew)) return;
    price(TransposedWork::Free, first, prices_.free_is_uniform() ? 1 : lanes, free_);
    free_lanes_ = prepared_.evaluator.free_lanes(free_, ends_);
  }

  void price(TransposedWork work, std::uint32_t first, std::uint32_t lanes, Durations& out) const {
    if (out.lanes() == lanes) return prices_.reprice(work, first, out);
    out = Durations(prepared_.derived.order.event_count(), lanes);
    prices_.price(work, first, out);
  }

  const PreparedOrder& prepared_;
  const LanePrices prices_;
  std::uint32_t most_;
  Durations counted_;
  Durations free_;  // a single lane where that stands for all
  std::vector<FreeLane> free_lanes_;
  PerEvent<Seconds> ends_;  // scratch space
};

}  // namespace

std::vector<LaneFigures> lane_figures(const PreparedOrder& prepared,
                                      const std::vector<const Pricing*>& draws) {
  return LaneBlocks(prepared, draws).figures();
}

}  // namespace spillway
