// A streamed step against the order of derive(), its longest path and its figures, to the last bit.
#include "timing/streamed_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "derive/feeding.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/figures.h"

namespace spillway::testing {
namespace {

EventPrices prices_of(const Pricing& costs, ReplicaId replica, bool uniform) {
  return {[&costs, replica](const Event& event) { return event_seconds(costs, event, replica); },
          [uniform](const Event&) { return uniform; }};
}

std::uint64_t timed_events(const Order& order) {
  const auto events = order.events();
  return static_cast<std::uint64_t>(std::count_if(
      events.begin(), events.end(), [](const Event& e) { return e.computes() || e.communicates(); }));
}

// Compares every replica's step; the last of them ends the whole step.
void expect_same_step(const Derived& derived, const OrderStream& stream, const GivenCosts& given,
                      bool uniform, const std::string& what) {
  const GivenCostModel costs(given, derived), streamed_costs(given, stream.outline());
  const Durations durations = price(derived, costs).durations;
  const LongestPath path(derived.order);
  const Timeline timeline = path.timeline(durations),
                 free = path.timeline(transposed_free(derived, durations));
  const std::vector<RankFigures> ranks = rank_figures(derived, durations, timeline);
  const bool spills = ranks.front().spill.has_value();
  std::vector<LaneFigures> lanes;
  Seconds end, free_end;
  for (std::uint32_t replica = 0; replica < derived.pipeline.replicas; ++replica) {
    const StreamedStep step = streamed_step(stream, prices_of(streamed_costs, ReplicaId(replica), uniform));
    end = std::max(end, step.end);
    EXPECT_EQ(step.free_end.has_value(), spills) << what;
    free_end = std::max(free_end, step.free_end.value_or(Seconds()));
    EXPECT_EQ(step.events, timed_events(derived.order)) << what;
    const LaneFigures lane = lane_figures(step);
    EXPECT_EQ(lane.spill.has_value(), spills) << what;
    lanes.push_back(lane);
    for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
      const RankFigures& expected = ranks[replica * derived.pipeline.ranks + rank];
      EXPECT_EQ(step.ranks[rank].busy, expected.busy) << what << " rank " << rank;
      EXPECT_EQ(step.ranks[rank].first_start, expected.first_start) << what << " rank " << rank;
      EXPECT_EQ(step.ranks[rank].last_end, expected.last_end) << what << " rank " << rank;
      if (!spills) continue;
      EXPECT_EQ(step.ranks[rank].encoder, expected.spill->encoder) << what << " rank " << rank;
      EXPECT_EQ(step.ranks[rank].warm_up_slack, expected.spill->warm_up_slack) << what << " rank " << rank;
    }
  }
  const PathEnds path_ends{timeline.makespan(), free.makespan()};
  EXPECT_EQ(step_figures(lanes, 1),
            step_figures(ranks, timeline.makespan(), spills ? std::optional(path_ends) : std::nullopt))
      << what;
  EXPECT_EQ(end, timeline.makespan()) << what;
  if (spills) {
    EXPECT_EQ(free_end, free.makespan()) << what;
  }
}

BlockProfile profile(double forward, double input_gradient, double weight_gradient) {
  return uniform_costs(forward, input_gradient, weight_gradient).blocks[0];
}

// Milliseconds that binary fractions do not represent exactly.
const GivenCosts kCosts{
    {profile(0.3e-3, 0.41e-3, 0.27e-3), profile(1.1e-3, 1.3e-3, 0.9e-3)}, Seconds(0.07e-3), Seconds(2.3e-3)};

void expect_same_small_step(const std::string& text, const Model& model, const DeriveOptions& options) {
  const Schedule parsed = schedule(text);
  const Cut cut = *default_cut(model, parsed.skeletons.size());
  if (!check_stream(model, parsed, cut, options).empty()) return;
  const std::string what = text + " P=" + std::to_string(options.pipeline.ranks) +
                           " M=" + std::to_string(options.pipeline.microbatches);
  GivenCosts costs = kCosts;
  costs.blocks.resize(model.blocks().size());
  expect_same_step(derive(model, parsed, cut, options), OrderStream(model, parsed, cut, options), costs, true,
                   what);
}

void expect_same_small_steps(const std::string& text, bool encoder_trained, bool backbone_trained) {
  for (std::uint32_t p = 1; p <= 5; ++p) {
    const Model model(
        {{"enc", Role::Encoder, 10, encoder_trained}, {"llm", Role::Backbone, 20, backbone_trained}});
    for (std::uint32_t m = 1; m <= 12; ++m) {
      for (const PointToPoint mode : {PointToPoint::Overlapped, PointToPoint::Blocking})
        expect_same_small_step(text, model, {.pipeline = {p, m, 2}, .point_to_point = mode});
    }
  }
}

TEST(StreamedStep, EverySmallStep) {
  for (const char* text : {"1f1b,1f1b", "gpipe,gpipe", "transpose,1f1b", "transpose,gpipe"}) {
    for (const bool encoder_trained : {false, true}) {
      for (const bool backbone_trained : {false, true})
        expect_same_small_steps(text, encoder_trained, backbone_trained);
    }
  }
}

TEST(StreamedStep, EverySmallStepOfOneRegion) {
  for (const std::string skeleton : kPipelined) {
    for (std::uint32_t p = 1; p <= 4; ++p) {
      for (std::uint32_t m = 1; m <= 12; ++m) {
        const Model model({{"llm", Role::Backbone, stages_of(schedule(skeleton).skeletons[0], p), true}});
        for (const PointToPoint mode : {PointToPoint::Overlapped, PointToPoint::Blocking})
          expect_same_small_step(skeleton, model, {.pipeline = {p, m}, .point_to_point = mode});
      }
    }
  }
}

// All ranks do after the last reduction what the barrier takes.
TEST(StreamedStep, EndsWithItsBarrier) {
  const Model model({{"llm", Role::Backbone, 4, true}});
  const OrderStream stream(model, schedule("1f1b"), {}, {.pipeline = {2, 4}});
  const auto step = [&](double barrier) {
    const auto price = [barrier](const Event& event) {
      return event.kind == EventKind::StepBarrier ? Seconds(barrier) : Seconds(event.computes() ? 1 : 0.5);
    };
    return streamed_step(stream, {price, [](const Event&) { return true; }});
  };
  EXPECT_EQ(step(7).end, step(0).end + Seconds(7));
  EXPECT_EQ(step(7).events, step(0).events + 1);
}

// Tests every map of four microbatches to three ranks.
TEST(StreamedStep, EverySmallOwnerMap) {
  constexpr std::uint32_t kRanks = 3, kMicrobatches = 4;
  for (const bool trained : {false, true}) {
    const Model model({{"enc", Role::Encoder, 1, trained}, {"llm", Role::Backbone, kRanks, true}});
    for (std::uint32_t map = 0; map < 81; ++map) {
      OwnerMap owner;
      for (std::uint32_t m = 0, rest = map; m < kMicrobatches; ++m, rest /= kRanks)
        owner.emplace_back(rest % kRanks);
      for (const PointToPoint mode : {PointToPoint::Overlapped, PointToPoint::Blocking})
        expect_same_small_step(
            "transpose,1f1b", model,
            {.pipeline = {kRanks, kMicrobatches}, .point_to_point = mode, .owners = {owner}});
    }
  }
}

// A rank's turn ends before its work does.
TEST(StreamedStep, TurnsDoNotShow) {
  for (const char* text : {"1f1b", "gpipe", "transpose,1f1b", "transpose,gpipe"}) {
    const bool transposed = schedule(text).skeletons.size() == 2;
    const Model model = transposed
                            ? Model({{"enc", Role::Encoder, 1, true}, {"llm", Role::Backbone, 7, true}})
                            : Model({{"llm", Role::Backbone, 7, true}});
    expect_same_small_step(text, model, {.pipeline = {7, 301}});
  }
}

RC_GTEST_PROP(StreamedStep, EveryStepThatStreams, ()) {
  const RandomDerivation random =
      *random_derivation({.regions = 3, .ranks = 6, .microbatches = 40, .every_skeleton = true});
  const Model model(random.blocks);
  RC_PRE(check_stream(model, random.schedule, random.cut, random.options).empty());
  const OrderStream stream(model, random.schedule, random.cut, random.options);
  expect_same_step(random.derived(), stream, random.costs, false, "random");
  RC_ASSERT(!::testing::Test::HasFailure());
}

std::vector<std::string> violations(const std::string& text, const Model& model,
                                    const DeriveOptions& options) {
  const Schedule parsed = schedule(text);
  std::vector<std::string> lines;
  for (const Violation& violation :
       check_stream(model, parsed, *default_cut(model, parsed.skeletons.size()), options))
    lines.push_back(to_string(violation));
  return lines;
}

TEST(CheckStream, RefusesWhatDoesNotStreamByName) {
  const Model model({{"enc", Role::Encoder, 4, true},
                     {"llm", Role::Backbone, 8, true},
                     {"generator", Role::Generator, 4, true}});
  using Lines = std::vector<std::string>;
  EXPECT_EQ(violations("transpose,1f1b,transpose", model, {.pipeline = {2, 2}}),
            (Lines{": /schedule: expected one run of pipelined regions, with only transposed regions before "
                   "it, since this order is streamed, found transpose,1f1b,transpose"}));
  EXPECT_EQ(violations("transpose,1f1b,1f1b", model, {.pipeline = {2, 2, 4}, .joined_replicas = {1, 2, 1}}),
            (Lines{": /pipeline/replicas: expected independent replicas, since this order is streamed, found "
                   "expert groups that span replicas"}));
}

TEST(CheckStream, StreamsMoreThanIsHeldOfFormulas) {
  const Model model({{"llm", Role::Backbone, 4096, true}});
  EXPECT_EQ(violations("1f1b", model, {.pipeline = {4096, 16384}}).size(), 0U);
  EXPECT_EQ(violations("zb-h1", model, {.pipeline = {4096, 16384}}).size(), 1U);
  EXPECT_EQ(violations("1f1b", model, {.pipeline = {4096, 1'000'000}}).size(), 1U);
}

}  // namespace
}  // namespace spillway::testing
