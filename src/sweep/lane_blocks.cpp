#include "sweep/lane_blocks.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace spillway {
namespace {

// As many lanes as fill vectors and stay near.
constexpr std::uint32_t kLanesAtOnce = 8;

// How many neighbouring replicas a block may not part: those that compute together, and those that meet at
// reductions which do not take every draw and replica the same time.
std::uint32_t together(const PreparedOrder& prepared, const std::vector<const CostModel*>& draws) {
  std::uint32_t lanes = 1;
  for (std::uint32_t price_class = 0; price_class < prepared.classes.count(); ++price_class) {
    const Event& event = prepared.derived.order.event(prepared.classes.representative(price_class));
    const auto uniform = [&](const CostModel* costs) {
      return costs->uniform(prepared.derived, event, EncoderWork::Counted);
    };
    const bool parts = event.kind == EventKind::StepBarrier ||
                       (event.communicates() && std::all_of(draws.begin(), draws.end(), uniform));
    if (!parts) lanes = std::lcm(lanes, event.joined_replicas);
  }
  return lanes;
}

// What all blocks take alike is priced once, and run once where that is the encoder-free step.
class LaneBlocks {
 public:
  LaneBlocks(const PreparedOrder& prepared, const std::vector<const CostModel*>& draws)
      : prepared_(prepared),
        prices_(prepared.derived, prepared.classes, draws),
        most_(std::lcm(kLanesAtOnce, together(prepared, draws))) {}

  // By draw and replica.
  std::vector<LaneFigures> figures() {
    std::vector<LaneFigures> all;
    for (std::uint32_t first = 0; first < prices_.lanes(); first += most_) {
      price(first, std::min(most_, prices_.lanes() - first));
      for (LaneFigures& lane : prepared_.evaluator.figures(counted_, encoder_forwards_, free_lanes_, ends_))
        all.push_back(std::move(lane));
    }
    return all;
  }

 private:
  void price(std::uint32_t first, std::uint32_t lanes) {
    if (counted_.lanes() != lanes) return price_all(first, lanes);
    prices_.reprice(EncoderWork::Counted, first, counted_);
    prices_.reprice_encoder_forwards(first, counted_, encoder_forwards_);
    if (prices_.free_is_uniform()) return;
    prices_.reprice(EncoderWork::Free, first, free_);
    free_lanes_ = prepared_.evaluator.free_lanes(free_, ends_);
  }

  void price_all(std::uint32_t first, std::uint32_t lanes) {
    const std::size_t events = prepared_.derived.order.event_count();
    counted_ = Durations(events, lanes);
    encoder_forwards_ = Durations(events, lanes);
    free_ = Durations(events, prices_.free_is_uniform() ? 1 : lanes);
    prices_.price(EncoderWork::Counted, first, counted_);
    prices_.encoder_forwards(first, encoder_forwards_);
    prices_.price(EncoderWork::Free, first, free_);
    free_lanes_ = prepared_.evaluator.free_lanes(free_, ends_);
  }

  const PreparedOrder& prepared_;
  const LanePrices prices_;
  std::uint32_t most_;
  Durations counted_;
  Durations encoder_forwards_;
  Durations free_;  // a single lane where that stands for all
  std::vector<FreeLane> free_lanes_;
  PerEvent<Seconds> ends_;  // scratch space
};

}  // namespace

std::vector<LaneFigures> lane_figures(const PreparedOrder& prepared,
                                      const std::vector<const CostModel*>& draws) {
  return LaneBlocks(prepared, draws).figures();
}

}  // namespace spillway
