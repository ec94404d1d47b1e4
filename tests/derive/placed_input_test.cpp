// Places passes of transposed inputs inside the body. Every placement that some run's order allows must be
// derived and run as placed.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cost/given.h"
#include "support/pipelines.h"
#include "support/property.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

struct PlacedCase {
  Model model;
  Schedule schedule;
  Cut cut;
  DeriveOptions options;

  Derived derived() const { return derive(model, schedule, cut, options); }
  std::size_t inputs() const { return model.blocks().size() - 1; }
  std::uint32_t pieces_of(std::size_t input) const {
    return options.input.by_layer ? model.blocks()[input].layers : 1;
  }
};

std::uint32_t number(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange(low, high + 1);
}

// One or two towers, before a backbone of that many layers.
Model any_model(std::uint32_t layers) {
  std::vector<Block> blocks = {{"vision", Role::Encoder, number(1, 4), *rc::gen::arbitrary<bool>()}};
  if (*rc::gen::arbitrary<bool>()) {
    blocks.front().beside_next = true;
    blocks.push_back({"audio", Role::Encoder, number(1, 4), *rc::gen::arbitrary<bool>()});
  }
  blocks.push_back({"llm", Role::Backbone, layers, true});
  return Model(std::move(blocks));
}

PlacedCase any_case() {
  const std::uint32_t ranks = number(1, 4), chunks = number(1, 3);
  const std::string body = *rc::gen::element<std::string>("1f1b", "gpipe", "zb-h1", "zb-v", "1f1b,1f1b");
  const Schedule schedule = testing::schedule("transpose," + body);
  const Model model = any_model(ranks * 2);
  const Cut behind{{model.layers_of(model.blocks().size() - 1).first}};
  PlacedCase drawn{
      model, schedule, *cut_by_runs(model, schedule, behind), {.pipeline = {ranks, ranks * chunks}}};
  drawn.options.point_to_point = *rc::gen::element(PointToPoint::Overlapped, PointToPoint::Blocking);
  drawn.options.input.by_layer = *rc::gen::arbitrary<bool>();
  drawn.options.input.gathered_first = *rc::gen::arbitrary<bool>();
  for (std::size_t input = 0; input < drawn.inputs(); ++input) {
    OwnerMap& owner = drawn.options.owners.emplace_back();
    for (std::uint32_t m = 0; m < ranks * chunks; ++m) owner.push_back(RankId(number(0, ranks - 1)));
  }
  return drawn;
}

bool is_of_input(const Derived& derived, const Event& event) {
  return derived.stage(event.stage).layers.end <=
         derived.model.layers_of(derived.model.blocks().size() - 1).first;
}

// Runs the order with one second per pass of the body; the inputs and the transfers take no time.
Timeline run_of(const Derived& derived) {
  Durations durations(derived.order.event_count(), 1);
  for (std::uint32_t id = 0; id < durations.events(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    const bool of_input = event.computes() && is_of_input(derived, event);
    durations.at(EventId(id), 0) = Seconds(event.computes() && !of_input ? 1 : 0);
  }
  return LongestPath(derived.order, 1).timeline(durations);
}

// Returns the rank's computing events of the inputs or of the body.
std::vector<EventId> computing(const Derived& derived, std::uint32_t rank, bool input) {
  std::vector<EventId> own;
  for (const EventId id : derived.order.nodes(RankId(rank))) {
    const Event& event = derived.order.event(id);
    if (event.computes() && is_of_input(derived, event) == input) own.push_back(id);
  }
  return own;
}

// Places some forwards of the inputs. Each follows only body passes that begin before its microbatch enters
// the body, so that no event waits for itself. Each rank's list is in the order of positions.
std::vector<std::vector<PlacedPass>> any_places(const PlacedCase& drawn, const Derived& derived) {
  const Timeline run = run_of(derived);
  std::vector<Seconds> enters(derived.pipeline.microbatches);
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    const Stage& stage = derived.stage(event.stage);
    if (event.runs_forward() && stage.region.index() == drawn.inputs() && stage.index == 0)
      enters[event.microbatch.index()] = run.start.at(EventId(id), 0);
  }
  std::vector<std::vector<PlacedPass>> placed(derived.pipeline.ranks);
  for (std::uint32_t m = 0; m < enters.size(); ++m) {
    std::uint32_t first = 0;
    for (std::size_t input = 0; input < drawn.inputs(); first += drawn.pieces_of(input++)) {
      if (*rc::gen::arbitrary<bool>()) continue;
      const std::uint32_t rank = drawn.options.owners[input][m].index();
      const std::vector<EventId> body = computing(derived, rank, false);
      std::uint32_t last = 0;
      while (last + 1 < body.size() && run.start.at(body[last], 0) < enters[m]) ++last;
      const std::uint32_t before = *rc::gen::inRange(0U, last + 1);
      for (std::uint32_t piece = 0; piece < drawn.pieces_of(input); ++piece)
        placed[rank].push_back({before, MicrobatchId(m), false, first + piece});
    }
  }
  for (auto& own : placed) std::ranges::stable_sort(own, {}, &PlacedPass::before);
  return placed;
}

bool is_piece(const PlacedCase& drawn, const Stage& stage, std::uint32_t piece) {
  for (std::size_t input = 0; input < stage.region.index(); ++input) piece -= drawn.pieces_of(input);
  return stage.index == piece;
}

RC_GTEST_PROP(PlacedInput, RunsWhereItIsPlacedAndTheBodyAsItWas, ()) {
  PlacedCase drawn = any_case();
  drawn.options.input.gathered_first = false;  // if true, the two orders wait for different outputs
  const Derived enclosed = drawn.derived();
  drawn.options.placed = any_places(drawn, enclosed);
  const Derived derived = drawn.derived();
  RC_ASSERT(derived.order.event_count() == enclosed.order.event_count());
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) {
    const auto body = computing(derived, rank, false), before = computing(enclosed, rank, false);
    RC_ASSERT(body.size() == before.size());
    const auto name = [](const Derived& of, EventId id) { return event_name(of.order.event(id), of); };
    for (std::size_t i = 0; i < body.size(); ++i)
      RC_ASSERT(name(derived, body[i]) == name(enclosed, before[i]));
    std::vector<EventId> all;
    for (const EventId id : derived.order.nodes(RankId(rank)))
      if (derived.order.event(id).computes()) all.push_back(id);
    for (const PlacedPass& pass : drawn.options.placed[rank]) {
      const auto at = std::ranges::find_if(all, [&](EventId id) {
        const Event& event = derived.order.event(id);
        const Stage& stage = derived.stage(event.stage);
        return event.kind == EventKind::Forward && is_of_input(derived, event) &&
               is_piece(drawn, stage, pass.piece) && event.microbatch == pass.microbatch;
      });
      RC_ASSERT(at != all.end());
      const auto next = std::find_if(
          at, all.end(), [&](EventId id) { return !is_of_input(derived, derived.order.event(id)); });
      RC_ASSERT(next != all.end() && *next == body[pass.before]);
    }
  }
}

// The body waits for all encodes before it: rank 0's body begins after the last encode has ended.
RC_GTEST_PROP(PlacedInput, GatheredFirstIsABarrier, ()) {
  PlacedCase drawn = any_case();
  drawn.options.input.gathered_first = true;
  const Derived derived = drawn.derived();
  Durations durations(derived.order.event_count(), 1);
  Seconds last;
  for (std::uint32_t id = 0; id < durations.events(); ++id)
    if (derived.order.event(EventId(id)).computes())
      durations.at(EventId(id), 0) = Seconds(*rc::gen::inRange(0, 9));
  const Timeline run = LongestPath(derived.order, 1).timeline(durations);
  for (std::uint32_t id = 0; id < durations.events(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if (event.kind == EventKind::Forward && is_of_input(derived, event))
      last = std::max(last, run.end.at(EventId(id), 0));
  }
  RC_ASSERT(run.start.at(computing(derived, 0, false).front(), 0) >= last);
}

// Each piece of an input runs once, on its owner: forwards from the first layer on, backwards from the last.
RC_GTEST_PROP(PlacedInput, PiecesAreTheWhole, ()) {
  const PlacedCase drawn = any_case();
  const Derived derived = drawn.derived();
  std::vector<std::vector<std::uint32_t>> layer;  // by input and microbatch
  for (std::size_t input = 0; input < drawn.inputs(); ++input)
    layer.emplace_back(derived.pipeline.microbatches, drawn.model.layers_of(input).first);
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    for (const EventId id : computing(derived, rank, true)) {
      const Event& event = derived.order.event(id);
      const Stage& stage = derived.stage(event.stage);
      const std::size_t input = stage.region.index();
      std::uint32_t& at = layer[input][event.microbatch.index()];
      RC_ASSERT(drawn.options.owners[input][event.microbatch.index()] == RankId(rank));
      RC_ASSERT(at == (event.kind == EventKind::Forward ? stage.layers.first : stage.layers.end));
      at = event.kind == EventKind::Forward ? stage.layers.end : stage.layers.first;
    }
  for (std::size_t input = 0; input < drawn.inputs(); ++input) {
    const LayerRange own = drawn.model.layers_of(input);
    const bool trained = drawn.model.blocks()[input].trainable;
    for (const std::uint32_t at : layer[input]) RC_ASSERT(at == (trained ? own.first : own.end));
  }
}

}  // namespace
}  // namespace spillway
