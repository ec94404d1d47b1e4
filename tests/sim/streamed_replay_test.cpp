// The replay of a streamed order against that of the same order, held.
#include <gtest/gtest.h>

#include "priced_on.h"
#include "sim/replay.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/tolerance.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

// Several steps that stream per case.
rc::Gen<std::vector<RandomDerivation>> some_steps() {
  return rc::gen::container<std::vector<RandomDerivation>>(
      6, random_derivation({.regions = 3, .microbatches = 20, .replicas = 1, .every_skeleton = true}));
}

void expect_same_step(const RandomDerivation& random, const Platform& platform, Seconds software,
                      Replay& replay) {
  const Model model(random.blocks);
  if (!check_stream(model, random.schedule, random.cut, random.options).empty()) return;
  const Derived derived = random.derived();
  const PricedOn pricing(random.costs, derived, platform, 2, software);
  const Seconds held = replay.run(derived, price(derived, pricing)).makespan();
  const OrderStream stream(model, random.schedule, random.cut, random.options);
  const Seconds alone = LongestPath(derived.order).timeline(price(derived, pricing).durations).makespan();
  RC_CLASSIFY(held > alone * (1 + kRelative), "shares links");
  RC_ASSERT(std::abs((replay.makespan(stream, pricing) - held).value()) <= kRelative * held.value());
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

}  // namespace
}  // namespace spillway::testing
