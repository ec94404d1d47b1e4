// Cost is a homomorphism: the regions' denotations, composed in any order and bracketing, give the longest
// path. This includes regions that share ranks, joined replicas and blocking transfers.
#include "maxplus/composition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "support/tolerance.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

const RandomLimits kSmall{.regions = 4, .ranks = 4, .microbatches = 6, .replicas = 3};

void expect_makespan(Seconds found, const Derived& derived, const Durations& durations) {
  const double expected = LongestPath(derived.order).timeline(durations).makespan().value();
  RC_ASSERT(std::abs(found.value() - expected) <= kRelative * expected);
}

// Joins two random parts until one is left.
TransferFunction composed_at_random(std::vector<TransferFunction> parts) {
  while (parts.size() > 1) {
    const std::size_t taken = number(0, static_cast<std::uint32_t>(parts.size()) - 1);
    const TransferFunction part = std::move(parts[taken]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(taken));
    TransferFunction& other = parts[number(0, static_cast<std::uint32_t>(parts.size()) - 1)];
    other = number(0, 1) == 0 ? compose(part, other) : compose(other, part);
  }
  return parts[0];
}

Seconds last_end(const TransferFunction& step) {
  RC_ASSERT(step.inputs().empty());
  const std::vector<Seconds> ends = completions(step, {});
  return *std::max_element(ends.begin(), ends.end());
}

std::vector<TransferFunction> denotations(const Derived& derived, const Durations& durations,
                                          const std::vector<std::vector<EventId>>& parts) {
  const Precedence precedence(derived.order);
  std::vector<TransferFunction> functions;
  for (const auto& part : parts) functions.push_back(denotation(precedence, durations, part));
  return functions;
}

RC_GTEST_PROP(Regions, ComposedAlongTheirSeamsGiveTheLongestPath, ()) {
  const RandomDerivation random = *random_derivation(kSmall);
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  expect_makespan(makespan_by_regions(derived, durations), derived, durations);
}

RC_GTEST_PROP(Regions, ComposedInAnyOrderAndBracketingGiveTheLongestPath, ()) {
  const RandomDerivation random = *random_derivation(kSmall);
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  const auto parts = denotations(derived, durations, parts_along_seams(derived));
  expect_makespan(last_end(composed_at_random(parts)), derived, durations);
}

// The argument does not need regions: any partition of the events works.
RC_GTEST_PROP(AnyPartition, ComposedGivesTheLongestPath, ()) {
  const RandomDerivation random = *random_derivation({.ranks = 3, .microbatches = 4, .replicas = 2});
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  std::vector<std::vector<EventId>> parts(number(1, 6));
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
    parts[number(0, static_cast<std::uint32_t>(parts.size()) - 1)].push_back(EventId(id));
  std::erase_if(parts, [](const auto& part) { return part.empty(); });
  const auto functions = denotations(derived, durations, parts);
  expect_makespan(last_end(compose_all(functions)), derived, durations);
}

// The denotation of a whole is the composition of the denotations of its parts, port by port.
RC_GTEST_PROP(AnyPartition, ComposesToTheDenotationOfItsUnion, ()) {
  const RandomDerivation random = *random_derivation({.ranks = 3, .microbatches = 4, .replicas = 2});
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  std::vector<EventId> first, second, both;
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const std::uint32_t part = number(0, 2);
    if (part < 2) (part == 0 ? first : second).push_back(EventId(id));
    if (part < 2) both.push_back(EventId(id));
  }
  const Precedence precedence(derived.order);
  const TransferFunction whole = denotation(precedence, durations, both);
  const TransferFunction joined =
      compose(denotation(precedence, durations, first), denotation(precedence, durations, second));
  const TransferFunction seen = restrict_to(joined, whole.outputs());
  RC_ASSERT(std::ranges::equal(seen.inputs(), whole.inputs()));
  for (std::size_t o = 0; o < whole.outputs().size(); ++o) {
    for (std::size_t c = 0; c < whole.row(o).size(); ++c) {
      const double expected = whole.row(o)[c], found = seen.row(o)[c];
      RC_ASSERT(found == expected || std::abs(found - expected) <= kRelative * expected);
    }
  }
}

// A transposed encoder shares every rank with the backbone. The hand-over of a rank makes the encoder's spill
// appear; without it the regions would run side by side.
TEST(Regions, HandEachOtherTheirRanks) {
  const Model model({{"enc", Role::Encoder, 1, true}, {"llm", Role::Backbone, 2, true}});
  const Derived derived = derive(model, schedule("transpose,1f1b"), {{1}}, {.pipeline = {2, 3}});
  const auto parts = parts_along_seams(derived);
  ASSERT_EQ(parts.size(), 4u) << "encoder, backbone, seam, end of the step";
  const Durations free(derived.order.event_count(), 1);
  const TransferFunction backbone = denotation(Precedence(derived.order), free, parts[1]);
  std::vector<std::string> taken;
  for (const Port port : backbone.inputs()) {
    const Event& event = derived.order.event(port.event);
    if (event.computes()) taken.push_back(event_name(event, derived));
  }
  EXPECT_EQ(taken, (std::vector<std::string>{"Fwd(enc,1,2)", "Fwd(enc,0,3)"}));
}

}  // namespace
}  // namespace spillway::testing
