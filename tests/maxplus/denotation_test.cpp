// Denotations: of a small part by hand, and of any part of any order against the longest path.
#include "maxplus/denotation.h"

#include <gtest/gtest.h>

#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

std::vector<std::string> names(std::span<const Port> ports, const Derived& derived) {
  std::vector<std::string> lines;
  for (const Port port : ports) lines.push_back(event_name(derived.order.event(port.event), derived));
  return lines;
}

using Names = std::vector<std::string>;

// Rank 1 of two under 1F1B maps the arrivals of two activations to the two gradients it sends back.
TEST(Denotation, OfARankMapsItsArrivalsToItsCompletions) {
  const Derived derived = uniform("1f1b", 2, 2);
  const Prices prices = price(derived, GivenCostModel(uniform_costs(3, 2, 2), derived));
  std::vector<EventId> slab;
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if ((event.computes() || event.kind == EventKind::Loss) && event.rank == RankId(1))
      slab.push_back(EventId(id));
  }
  const TransferFunction rank = denotation(Precedence(derived.order), prices.durations, slab);
  EXPECT_EQ(names(rank.inputs(), derived), (Names{"Coll(Send,llm:0-1,1)", "Coll(Send,llm:0-1,2)"}));
  EXPECT_EQ(names(rank.outputs(), derived), (Names{"Bwd(llm,1,1)", "Bwd(llm,1,2)"}));
  EXPECT_EQ(rank.from_start(0), Seconds(7));
  EXPECT_EQ(rank.delay(0, 0), Seconds(7));
  EXPECT_EQ(rank.delay(0, 1), kNoPath) << "the first gradient does not wait for the second activation";
  EXPECT_EQ(rank.delay(1, 0), Seconds(14));
  EXPECT_EQ(rank.delay(1, 1), Seconds(7));
}

// The function of any part, given the ends that the part waits for, returns when its own events end.
RC_GTEST_PROP(Denotation, OfAnyPartSaysWhenItEnds, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  const Timeline timeline = LongestPath(derived.order).timeline(durations);
  std::vector<EventId> part;
  std::uint64_t state = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1, 1U << 30));
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    if (state >> 62 == 0) part.push_back(EventId(id));
  }
  const TransferFunction function = denotation(Precedence(derived.order), durations, part);
  std::vector<Seconds> arrivals;
  for (const Port port : function.inputs()) arrivals.push_back(timeline.end.at(port.event, port.lane));
  const std::vector<Seconds> ends = completions(function, arrivals);
  for (std::size_t o = 0; o < ends.size(); ++o) {
    const Port port = function.outputs()[o];
    const double expected = timeline.end.at(port.event, port.lane).value();
    RC_ASSERT(std::abs(ends[o].value() - expected) <= 1e-9 * expected);
  }
}

}  // namespace
}  // namespace spillway::testing
