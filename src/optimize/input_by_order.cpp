// Plans of transposed inputs that follow from the order of the body alone.
#include <optional>

#include "optimize/input_plan.h"

namespace spillway {
namespace {

bool at_entry(const Derived& derived, StageId id) {
  const Stage& stage = derived.stage(id);
  return stage.region.index() == derived.inputs() && stage.index == 0;
}

// Returns the microbatch whose gradient for the input the event completes, if it completes one.
std::optional<std::uint32_t> leaves(const Derived& derived, const Event& event) {
  if (event.kind == EventKind::ForwardBackward)
    return at_entry(derived, event.peer_stage) ? std::optional(event.peer_microbatch.index()) : std::nullopt;
  const bool backward = event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput;
  return backward && at_entry(derived, event.stage) ? std::optional(event.microbatch.index()) : std::nullopt;
}

// Places the passes of all inputs, backwards in reverse.
void place_inputs(PlacedPass pass, const Derived& derived, std::vector<PlacedPass>& placed) {
  const auto pieces = static_cast<std::uint32_t>(derived.input_stages(RankId(0)).size());
  for (std::uint32_t i = 0; i < pieces; ++i) {
    pass.piece = pass.backward ? pieces - 1 - i : i;
    placed.push_back(pass);
  }
}

class EntryPasses {
 public:
  EntryPasses(const Derived& derived, const InputRule& rule)
      : derived_(derived),
        rule_(rule),
        plan_{OwnerMap(derived.pipeline.microbatches),
              std::vector<std::vector<PlacedPass>>(derived.pipeline.ranks),
              {}} {
    for (std::uint32_t m = 0; m < plan_.owner.size(); ++m)
      plan_.owner[m] = RankId(m % derived.pipeline.ranks);
    for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) own_entries(RankId(rank));
    for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank) place_on(RankId(rank));
  }

  InputPlan plan() && { return std::move(plan_); }

 private:
  bool inline_forward(std::uint32_t m) const {
    return rule_.passes == InputPasses::OneEach && m >= derived_.pipeline.ranks;
  }
  bool inline_backward(std::uint32_t m, RankId rank) const {
    return rule_.backwards == InputBackwards::AtEntry ||
           (rule_.backwards == InputBackwards::Returned && plan_.owner[m] == rank);
  }

  template <class Visit>
  void for_each_of_body(RankId rank, Visit visit) const {
    std::uint32_t position = 0;
    for (const EventId id : derived_.order.nodes(rank)) {
      const Event& event = derived_.order.event(id);
      if (event.computes() && !derived_.is_input(event.stage)) visit(event, position++);
    }
  }

  // Gives the rank at which microbatches enter the body those that it encodes itself.
  void own_entries(RankId rank) {
    for_each_of_body(rank, [&](const Event& event, std::uint32_t) {
      if (!event.runs_forward() || !at_entry(derived_, event.stage)) return;
      if (const std::uint32_t m = event.microbatch.index(); inline_forward(m)) plan_.owner[m] = rank;
    });
  }

  // Places nothing behind the last pass of a body, since such passes run behind the body anyway.
  void place_on(RankId rank) {
    std::vector<std::uint32_t> behind;  // gradients that the previous pass has completed
    const auto place = [&](std::uint32_t position, std::uint32_t m, bool backward) {
      place_inputs({position, MicrobatchId(m), backward}, derived_, plan_.placed[rank.index()]);
    };
    for_each_of_body(rank, [&](const Event& event, std::uint32_t position) {
      for (const std::uint32_t m : behind) place(position, m, true);
      behind.clear();
      if (event.runs_forward() && at_entry(derived_, event.stage) && inline_forward(event.microbatch.index()))
        place(position, event.microbatch.index(), false);
      if (const auto m = leaves(derived_, event); m && inline_backward(*m, rank)) behind.push_back(*m);
    });
  }

  const Derived& derived_;
  const InputRule& rule_;
  InputPlan plan_;
};

bool in_first_stage(const Derived& derived, StageId stage) {
  return derived.stage(stage).region.index() == derived.inputs() && derived.stage(stage).chunk == 0;
}

// Return the microbatch whose forward, or whose input gradient, the event computes in its rank's first stage
// of the body.
std::optional<std::uint32_t> forward_in(const Derived& derived, const Event& event) {
  if (!event.runs_forward() || !in_first_stage(derived, event.stage)) return std::nullopt;
  return event.microbatch.index();
}

std::optional<std::uint32_t> backward_in(const Derived& derived, const Event& event) {
  if (event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput)
    return in_first_stage(derived, event.stage) ? std::optional(event.microbatch.index()) : std::nullopt;
  if (event.kind != EventKind::ForwardBackward || !in_first_stage(derived, event.peer_stage))
    return std::nullopt;
  return event.peer_microbatch.index();
}

}  // namespace

InputPlan plan_at_entry(const Derived& derived, const InputRule& rule) {
  return EntryPasses(derived, rule).plan();
}

InputPlan plan_uniform(const Derived& derived) {
  const std::uint32_t ranks = derived.pipeline.ranks, microbatches = derived.pipeline.microbatches;
  InputPlan plan{OwnerMap(microbatches), std::vector<std::vector<PlacedPass>>(ranks), {}};
  for (std::uint32_t m = 0; m < microbatches; ++m) plan.owner[m] = RankId(m % ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::uint32_t position = 0;
    const auto place = [&](std::uint32_t m, bool backward) {
      if (m < microbatches && m % ranks == rank)
        place_inputs({position, MicrobatchId(m), backward}, derived, plan.placed[rank]);
    };
    for (const EventId id : derived.order.nodes(RankId(rank))) {
      const Event& event = derived.order.event(id);
      if (!event.computes() || derived.is_input(event.stage)) continue;
      if (const auto m = forward_in(derived, event)) place(*m + ranks, false);
      if (const auto m = backward_in(derived, event); m && *m >= ranks) place(*m - ranks, true);
      ++position;
    }
  }
  return plan;
}

}  // namespace spillway
