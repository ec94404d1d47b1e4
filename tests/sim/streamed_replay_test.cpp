// The replay of a streamed order against the replay of the same order held in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cost/given.h"
#include "derive/order_stream.h"
#include "priced_on.h"
#include "sim/replay.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/tolerance.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

// Each case has six derivations; tests skip those that cannot be streamed.
rc::Gen<std::vector<RandomDerivation>> some_steps() {
  return rc::gen::container<std::vector<RandomDerivation>>(
      6, random_derivation({.regions = 3, .microbatches = 20, .replicas = 1, .every_skeleton = true}));
}

// Returns the first start and last end of a rank's computing events in a replay of the whole order.
StreamedReplay::Computing computing(const Derived& derived, const Timeline& timeline, RankId rank) {
  std::optional<Seconds> first;
  Seconds last;
  for (const EventId id : derived.order.nodes(rank)) {
    if (!derived.order.event(id).computes()) continue;
    first = std::min(first.value_or(timeline.start.at(id, 0)), timeline.start.at(id, 0));
    last = std::max(last, timeline.end.at(id, 0));
  }
  return {first.value_or(Seconds()), last};
}

// Times may differ by `tolerance` times the step.
void expect_close(const StreamedReplay& streamed, const Derived& derived, const Timeline& held,
                  double tolerance) {
  const Seconds most = tolerance * held.makespan();
  const auto close = [&](Seconds a, Seconds b) { return a - b <= most && b - a <= most; };
  RC_ASSERT(close(streamed.end, held.makespan()));
  RC_ASSERT(streamed.ranks.size() == derived.order.rank_count());
  for (std::uint32_t rank = 0; rank < streamed.ranks.size(); ++rank) {
    const auto [first, last] = computing(derived, held, RankId(rank));
    RC_ASSERT(close(streamed.ranks[rank].first_start, first) && close(streamed.ranks[rank].last_end, last));
  }
}

void expect_same_step(const RandomDerivation& random, const Platform& platform, Seconds software,
                      Replay& replay) {
  const Model model(random.blocks);
  if (!check_stream(model, random.schedule, random.cut, random.options).empty()) return;
  const Derived derived = random.derived();
  const PricedOn pricing(random.costs, derived, platform, 2, software);
  const Timeline timeline = replay.run(derived, price(derived, pricing));
  const Seconds held = timeline.makespan();
  const OrderStream stream(model, random.schedule, random.cut, random.options);
  const Seconds alone = LongestPath(derived.order).timeline(price(derived, pricing).durations).makespan();
  RC_CLASSIFY(held > alone * (1 + kRelative), "shares links");
  expect_close(replay.run(stream, pricing), derived, timeline, kRelative);
}

TEST(StreamedReplay, EndsWithTheReplayOfTheOrder) {
  for (const bool contention : {false, true}) {
    Platform platform = enough_devices();
    platform.contention = contention;
    Replay replay(Fabric{{5, 1, 1}, 2, platform});
    EXPECT_TRUE(rc::check([&] {
      const Seconds software = microseconds(*rc::gen::inRange(0, 50));
      for (const RandomDerivation& random : *some_steps())
        expect_same_step(random, platform, software, replay);
    }));
  }
}

// Without a cluster both replays are equal to the last bit, since `run` does not print which one ran.
TEST(StreamedReplay, IsTheReplayOfTheOrderWithoutACluster) {
  EXPECT_TRUE(rc::check([] {
    for (const RandomDerivation& random : *some_steps()) {
      const Model model(random.blocks);
      if (!check_stream(model, random.schedule, random.cut, random.options).empty()) continue;
      const Derived derived = random.derived();
      const OrderStream stream(model, random.schedule, random.cut, random.options);
      const GivenCostModel pricing(random.costs, derived);
      Replay replay(Fabric{derived.pipeline});
      const Timeline held = replay.run(derived, price(derived, pricing));
      expect_close(replay.run(stream, pricing), derived, held, 0);
    }
  }));
}

}  // namespace
}  // namespace spillway::testing
