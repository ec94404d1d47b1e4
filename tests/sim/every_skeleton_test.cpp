// Runs every skeleton, alone and behind a transposed encoder, on up to 16 ranks and 64 microbatches, with
// different durations for each layer. The three engines agree where nothing is shared, and no rank holds more
// than its activation_bound.
#include <gtest/gtest.h>

#include <random>

#include "maxplus/window_engine.h"
#include "memory/activations.h"
#include "sim/replay.h"
#include "support/pipelines.h"
#include "support/tolerance.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

constexpr int kShapes = 8;

// std::uniform_int_distribution is free to differ between libraries.
class Dice {
 public:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  Seconds duration() { return Seconds(below(8) == 0 ? 0 : 0.1 * (1 + below(99))); }

 private:
  std::mt19937 engine_{20261121};
};

struct Case {
  Schedule schedule;
  RunShape shape;
  Derived derived;
  Prices prices;
};

// Each stage has one layer and each layer is a block. The encoder, if any, comes first.
Case draw_case(const std::string& text, bool transposed, Dice& dice) {
  const Skeleton skeleton = schedule(text).skeletons.front();
  Pipeline pipeline{1 + dice.below(16), 1 + dice.below(64)};
  if (skeleton == SkeletonKind::DualPipe) pipeline.ranks += pipeline.ranks % 2;
  const bool dual = skeleton == SkeletonKind::DualPipe || skeleton == SkeletonKind::DualPipeV;
  if (dual) pipeline.microbatches = 2 * std::max(pipeline.ranks, pipeline.microbatches / 2);
  const std::uint32_t stages = stages_of(skeleton, pipeline.ranks);
  std::vector<Block> blocks;
  GivenCosts costs;
  costs.p2p = dice.below(3) == 0 ? Seconds() : dice.duration();
  for (std::uint32_t layer = transposed ? 0 : 1; layer <= stages; ++layer) {
    const std::string name = (layer == 0 ? "enc" : "llm") + std::to_string(layer);
    blocks.push_back({name, role_from_name(name), 1, true});
    costs.blocks.push_back({dice.duration(), dice.duration(), dice.duration(), {}, {}, {}, {}, {}});
  }
  const Schedule whole = schedule(transposed ? "transpose," + text : text);
  const PointToPoint p2p = dice.below(2) == 0 ? PointToPoint::Blocking : PointToPoint::Overlapped;
  Derived derived = derive(Model(std::move(blocks)), whole, transposed ? Cut{{1}} : Cut{},
                           {.pipeline = pipeline, .point_to_point = p2p});
  Prices prices = price(derived, GivenCostModel(costs, derived));
  return {whole,
          {pipeline.ranks, pipeline.microbatches, chunks_of(skeleton),
           default_group(pipeline.ranks, pipeline.microbatches)},
          std::move(derived),
          std::move(prices)};
}

class EverySkeletonAtSize : public ::testing::TestWithParam<const char*> {};

TEST_P(EverySkeletonAtSize, EnginesAgreeAndBoundsHold) {
  Dice dice;
  Replay replay({{16, 64, 1}, 1, std::nullopt});
  for (int i = 0; i < kShapes; ++i) {
    const Case drawn = draw_case(GetParam(), i % 2 == 1, dice);
    SCOPED_TRACE(to_string(drawn.schedule) + " P=" + std::to_string(drawn.shape.ranks) +
                 " M=" + std::to_string(drawn.shape.microbatches));
    const LongestPath path(drawn.derived.order);
    const double longest = path.timeline(drawn.prices.durations).makespan().value();
    EXPECT_NEAR(max_plus_makespan(drawn.derived.order, drawn.prices.durations).value(), longest,
                kRelative * longest);
    EXPECT_NEAR(replay.run(drawn.derived, drawn.prices).makespan().value(), longest, kRelative * longest);
    const std::vector<double> peaks = peak_activations(drawn.derived);
    for (std::uint32_t rank = 0; rank < peaks.size(); ++rank)
      EXPECT_LE(peaks[rank],
                activation_bound(drawn.schedule.skeletons.back(), drawn.shape, RankId(rank)) + kRelative)
          << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Backbone, EverySkeletonAtSize, ::testing::ValuesIn(kPipelined),
                         [](const auto& text) { return "n" + std::to_string(text.index); });

}  // namespace
}  // namespace spillway::testing
