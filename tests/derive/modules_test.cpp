// Checks the units of jobs with modules on dedicated devices, and the orders of their ranks.
#include "derive/modules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "support/property.h"

namespace spillway {
namespace {

const Model kModel({{"enc", Role::Encoder, 2, true}, {"llm", Role::Backbone, 6, true}});

DeriveOptions options_of(const Pipeline& job, const std::vector<PlacedModule>& modules) {
  DeriveOptions options{.pipeline = unit_of(job, modules)};
  options.modules = modules;
  return options;
}

const Schedule kApart{{SkeletonKind::OneFOneB, SkeletonKind::OneFOneB}};

// Returns the rank's passes, F or B with the microbatch.
std::string body_of(const Derived& derived, std::uint32_t rank) {
  std::string text;
  for (const EventId id : derived.order.nodes(RankId(rank))) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    text += (text.empty() ? "" : " ") + std::string(event.runs_forward() ? "F" : "B") +
            std::to_string(event.microbatch.index() + 1);
  }
  return text;
}

TEST(Modules, AUnitHasSoManyPipelinesOfEachAsHaveNoCommonDivisor) {
  const std::vector<PlacedModule> modules = {{{0, 2}, 1, 4}, {{2, 8}, 3, 2}};
  const Pipeline unit = unit_of({5, 6, 2}, modules);
  EXPECT_EQ(unit.replicas, 2U);
  EXPECT_EQ(unit.ranks, 2U * 1 + 3);
  EXPECT_EQ(unit.microbatches, 6U);
  const std::vector<ModulePlace> places = places_of(modules, unit);
  EXPECT_EQ(places[0].copies, 2U);
  EXPECT_EQ(places[1].first_rank, 2U);
  EXPECT_EQ(module_of_rank(places, RankId(1)), 0U);
  EXPECT_EQ(module_of_rank(places, RankId(4)), 1U);
}

TEST(Modules, TwoEncodersTakeTurnsAheadOfOnePipeline) {
  const Derived derived =
      derive(kModel, kApart, Cut{{2}}, options_of({5, 6, 2}, {{{0, 2}, 1, 4}, {{2, 8}, 3, 2}}));
  EXPECT_EQ(body_of(derived, 0), "F1 F3 F5 B1 B3 B5");
  EXPECT_EQ(body_of(derived, 1), "F2 F4 F6 B2 B4 B6");
  EXPECT_EQ(body_of(derived, 2), "F1 F2 F3 B1 F4 B2 F5 B3 F6 B4 B5 B6");
  EXPECT_EQ(body_of(derived, 4), "F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6");
  EXPECT_EQ(derived.collectives.seams.front().forward, Comm::Gather);
}

TEST(Modules, OneEncoderServesTwoPipelines) {
  const Derived derived =
      derive(kModel, kApart, Cut{{2}}, options_of({3, 4, 2}, {{{0, 2}, 2, 1}, {{2, 8}, 2, 2}}));
  EXPECT_EQ(derived.pipeline.ranks, 2U + 4);
  EXPECT_EQ(derived.pipeline.microbatches, 8U);
  EXPECT_EQ(body_of(derived, 2), "F1 F3 B1 F5 B3 F7 B5 B7") << "copy 0 of the backbone's first stage";
  EXPECT_EQ(body_of(derived, 5), "F2 B2 F4 B4 F6 B6 F8 B8") << "copy 1 of its last";
  EXPECT_EQ(body_of(derived, 1), "F1 F2 F3 F4 F5 B1 F6 B2 F7 B3 F8 B4 B5 B6 B7 B8");
}

TEST(Modules, ReduceOverTheRanksOfAStage) {
  const Derived derived =
      derive(kModel, kApart, Cut{{2}}, options_of({5, 6, 2}, {{{0, 2}, 1, 6}, {{2, 8}, 2, 2}}));
  std::vector<std::uint32_t> holders;
  for (const Event& event : derived.order.events())
    if (event.kind == EventKind::DpReduce) holders.push_back(event.holders());
  std::sort(holders.begin(), holders.end());
  EXPECT_EQ(holders, (std::vector<std::uint32_t>{1, 1, 3}));
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const auto nodes = derived.order.nodes(RankId(rank));
    EXPECT_EQ(derived.order.event(nodes[nodes.size() - 2]).kind, EventKind::DpReduce) << rank;
  }
}

// Returns the events and their predecessors, without event numbers and transfer names.
std::vector<std::string> waits_of(const Derived& derived) {
  std::vector<std::string> all;
  const auto text = [&](const Event& e) {
    return std::to_string(static_cast<int>(e.kind)) + ' ' + std::to_string(e.rank.index()) + ' ' +
           std::to_string(e.peer_rank.index()) + ' ' + std::to_string(e.microbatch.index());
  };
  for (const Edge& edge : derived.order.edges())
    all.push_back(text(derived.order.event(edge.from)) + " -> " + text(derived.order.event(edge.to)));
  std::sort(all.begin(), all.end());
  return all;
}

// Holds a model in one pipeline and in modules with as many pipelines each, with one layer on each rank.
struct OneAndMany {
  Derived one, many;
  std::uint32_t encoder_ranks;
};

OneAndMany one_and_many(bool encoder_trainable) {
  const auto number = [](std::uint32_t low, std::uint32_t high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
  };
  const std::uint32_t first = number(1, 3), second = number(1, 3), third = number(0, 2);
  const std::uint32_t replicas = number(1, 3), microbatches = number(1, 9);
  const Pipeline job{first + second + third, microbatches, replicas};
  std::vector<PlacedModule> modules = {{{0, first}, first, replicas},
                                       {{first, first + second}, second, replicas}};
  Schedule apart = kApart;
  Cut cut{{first}};
  std::vector<Block> blocks = {{"enc", Role::Encoder, first, encoder_trainable},
                               {"llm", Role::Backbone, second, true}};
  if (third > 0) {
    modules.push_back({{first + second, job.ranks}, third, replicas});
    blocks.push_back({"gen", Role::Generator, third, true});
    cut.boundaries.push_back(first + second);
    apart.skeletons.push_back(SkeletonKind::OneFOneB);
  }
  const Model model(blocks);
  return {derive(model, Schedule{{SkeletonKind::OneFOneB}}, Cut{}, {.pipeline = job}),
          derive(model, apart, cut, options_of(job, modules)), first};
}

RC_GTEST_PROP(ModulesProperty, WithAsManyPipelinesAreOnePipeline, ()) {
  const OneAndMany both = one_and_many(true);
  RC_ASSERT(waits_of(both.one) == waits_of(both.many));
}

// Returns the rank orders and all other dependencies, without the gradients of the first `ranks` ranks.
std::vector<std::string> without_gradients_of(std::uint32_t ranks, const Derived& derived) {
  const auto struck = [&](const Event& e) {
    const bool here = e.kind != EventKind::StepBarrier && e.peer_rank.index() < ranks;
    return here && (e.kind == EventKind::Backward || e.kind == EventKind::DpReduce ||
                    (e.kind == EventKind::Collective && e.comm == Comm::RecvGrad));
  };
  const auto text = [](const Event& e) {
    return std::to_string(static_cast<int>(e.kind)) + ' ' + std::to_string(e.rank.index()) + ' ' +
           std::to_string(e.peer_rank.index()) + ' ' + std::to_string(e.microbatch.index());
  };
  std::vector<std::string> all;
  for (const Edge& edge : derived.order.edges()) {
    const Event &from = derived.order.event(edge.from), &to = derived.order.event(edge.to);
    if (struck(from) || struck(to) || (from.computes() && edge.kind == EdgeKind::Sequence)) continue;
    all.push_back(text(from) + " -> " + text(to));
  }
  std::sort(all.begin(), all.end());
  for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank)
    for (const EventId id : derived.order.nodes(RankId(rank)))
      if (const Event& e = derived.order.event(id); e.computes() && !struck(e)) all.push_back(text(e));
  return all;
}

// A single pipeline sends gradients through frozen stages, too. A frozen module has no gradients.
RC_GTEST_PROP(ModulesProperty, OfAFrozenEncoderAreOnePipelineWithoutItsGradients, ()) {
  const OneAndMany both = one_and_many(false);
  RC_ASSERT(without_gradients_of(both.encoder_ranks, both.one) ==
            without_gradients_of(both.encoder_ranks, both.many));
  for (const Event& event : both.many.order.events())
    RC_ASSERT(event.kind != EventKind::Collective || event.comm != Comm::RecvGrad ||
              event.peer_rank.index() >= both.encoder_ranks);
}

// For any pipelines the derived order is acyclic, and every microbatch passes every layer once.
RC_GTEST_PROP(ModulesProperty, EveryMicrobatchPassesEveryLayerOnce, ()) {
  const auto number = [](std::uint32_t low, std::uint32_t high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
  };
  const std::uint32_t e = number(1, 4), d = number(1, 4), g = number(1, 4);
  const std::uint32_t all = std::lcm(std::lcm(e, d), g) * number(1, 3);
  const std::vector<PlacedModule> modules = {
      {{0, 3}, number(1, 3), e}, {{3, 7}, number(1, 4), d}, {{7, 9}, number(1, 2), g}};
  const Model model({{"enc", Role::Encoder, 3, number(0, 1) == 1},
                     {"llm", Role::Backbone, 4, true},
                     {"gen", Role::Generator, 2, true}});
  const SkeletonKind kind = *rc::gen::element(SkeletonKind::OneFOneB, SkeletonKind::GPipe);
  DeriveOptions options = options_of({9, all, 1}, modules);
  options.point_to_point = *rc::gen::element(PointToPoint::Overlapped, PointToPoint::Blocking);
  const Derived derived = derive(model, Schedule{{kind, kind, kind}}, Cut{{3, 7}}, options);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> forwards;
  for (const Event& event : derived.order.events()) {
    if (event.kind != EventKind::Forward) continue;
    const LayerRange layers = derived.stage(event.stage).layers;
    for (std::uint32_t layer = layers.first; layer < layers.end; ++layer)
      ++forwards[{layer, event.microbatch.index()}];
  }
  RC_ASSERT(forwards.size() == std::size_t{9} * derived.pipeline.microbatches);
  for (const auto& [at, times] : forwards) RC_ASSERT(times == 1);
}

}  // namespace
}  // namespace spillway
