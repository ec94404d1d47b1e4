// Warm-up slack against the longest path of the whole order, and its independence of the owner map.
#include "timing/warm_up.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

// Returns the durations with the transposed work, and the transfers of its outputs, free.
Durations freed(const Derived& derived, const Feeding& feeding, const Durations& durations) {
  Durations free = transposed_free(derived, durations);
  for (std::uint32_t event = 0; event < free.events(); ++event)
    if (feeds(derived, feeding, derived.order.event(EventId(event)))) free.fill(EventId(event), Seconds());
  return free;
}

bool occupies(const Derived& derived, const Event& event) {
  return !event.transfers() || derived.point_to_point == PointToPoint::Blocking;
}

// Returns how long nothing occupies the rank before `until`, checking each moment of a possible change.
Seconds idle_before(const Derived& derived, const Timeline& timeline, RankId rank, std::uint32_t lane,
                    Seconds until) {
  std::vector<Seconds> moments = {Seconds(), until};
  for (EventId id : derived.order.nodes(rank))
    for (Seconds t : {timeline.start.at(id, lane), timeline.end.at(id, lane)})
      if (t < until) moments.push_back(t);
  std::sort(moments.begin(), moments.end());
  Seconds idle;
  for (std::size_t i = 0; i + 1 < moments.size(); ++i) {
    const auto runs = [&](EventId id) {
      return occupies(derived, derived.order.event(id)) && timeline.start.at(id, lane) <= moments[i] &&
             timeline.end.at(id, lane) > moments[i];
    };
    const auto nodes = derived.order.nodes(rank);
    if (std::none_of(nodes.begin(), nodes.end(), runs)) idle += moments[i + 1] - moments[i];
  }
  return idle;
}

Seconds slow_slack(const Derived& derived, const Feeding& feeding, const Timeline& timeline, RankId rank,
                   std::uint32_t lane) {
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (event.computes() && derived.stage(event.stage).region >= feeding.fed)
      return idle_before(derived, timeline, rank, lane, timeline.start.at(id, lane));
  }
  return Seconds();
}

bool close(Seconds a, Seconds b) {
  return std::max(a, b) - std::min(a, b) <= Seconds(1e-12 * std::max(1.0, std::max(a, b).value()));
}

RC_GTEST_PROP(WarmUp, IsTheIdleTimeOfTheWholeOrder, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  const auto slack = warm_up_slack(derived, durations);
  const std::optional<Feeding> feeding = feeding_of(derived);
  RC_ASSERT(slack.size() == (feeding ? derived.pipeline.replicas : 0));
  if (!feeding) return;
  const Timeline timeline = LongestPath(derived.order).timeline(freed(derived, *feeding, durations));
  for (std::uint32_t lane = 0; lane < slack.size(); ++lane)
    for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
      RC_ASSERT(close(slack[lane][rank], slow_slack(derived, *feeding, timeline, RankId(rank), lane)));
}

// Exact where the transposed region is the input; other layouts give another order of events.
RC_GTEST_PROP(WarmUp, DoesNotDependOnTheOwnerMap, ()) {
  RandomDerivation random = *random_derivation({.every_skeleton = true});
  RC_PRE(layout_of(random.schedule.skeletons.front()) == Layout::Replicated);
  const Derived mapped = random.derived();
  random.options.owners.clear();
  const Derived round_robin = random.derived();
  RC_ASSERT(warm_up_slack(mapped, random.priced(mapped).durations) ==
            warm_up_slack(round_robin, random.priced(round_robin).durations));
}

TEST(WarmUp, IsThereOnlyWhereATransposedRegionFeedsAPipelinedOne) {
  for (const char* text : {"1f1b", "1f1b,transpose"}) {
    const Model model({{"enc", Role::Encoder, 4, true}, {"gen", Role::Generator, 4, true}});
    const Schedule parsed = schedule(text);
    const Derived derived =
        derive(model, parsed, *default_cut(model, parsed.skeletons.size()), {.pipeline = {2, 3}});
    EXPECT_FALSE(feeding_of(derived)) << text;
    EXPECT_TRUE(warm_up_slack(derived, Durations(derived.order.event_count(), 1)).empty()) << text;
  }
}

}  // namespace
}  // namespace spillway::testing
