// What no evaluation of a layout can fall below: bounds by which layouts are left out unevaluated.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "base/quantity.h"
#include "base/remembered.h"
#include "search/held_counts.h"
#include "search/layout.h"
#include "search/stage_layers.h"
#include "search/stage_passes.h"

namespace spillway {

// Step. No schedule does all the work in less than what a rank has of it on average; a rank begins when a
// microbatch has come through the stages before its first one, computes its own share, and its last backward
// goes back through them. What images add to a microbatch is left out, so that it does not matter to which
// replica and microbatch a system deals them: packed sequences are all as long, whoever has them, and of
// samples of their own lengths nothing is bounded.
// Memory. Model states and what an order holds as a backward begins, read off the order itself where it does
// not depend on times. What is transposed before the pipelines is held all through them: by which rank is not
// known, but on average over the ranks; left out where samples move, too.
//
// By rough ones, of the model's blocks shared out evenly, layouts are put in order; fine ones, of stages,
// cost more. Each is at least the rough one. Priced once for all layouts that price alike. For several
// threads.
class LayoutBounds {
 public:
  LayoutBounds(const PlanJob& job, StageLayers& layers);

  Seconds rough_step(const PlanLayout& layout);
  Bytes rough_memory(const PlanLayout& layout);
  Seconds step(const PlanLayout& layout);
  Bytes memory(const PlanLayout& layout);

 private:
  // Of a schedule, what its bounds are read off.
  struct Body {
    std::optional<ShardedRun> run;  // where the ranks' orders of it are the skeleton's
    bool behind_transposed;         // the input region, before and behind it, activations kept meanwhile
  };
  using CountsByRank = std::vector<std::vector<HeldCounts>>;

  static Body body_of(const ScheduleChoice& choice);
  bool knows_stages(const PlanLayout& layout) const;
  std::size_t key_of_stages(std::size_t schedule) const;
  PlanLayout key_of(PlanLayout layout, bool stages) const;
  const StagePasses& passes(PlanLayout layout, bool stages);
  const std::vector<Bytes>& states(const PlanLayout& layout, bool stages);  // of the model, or by rank
  const CountsByRank& counts(const PlanLayout& layout);
  Bytes held_transposed(const PlanLayout& layout);

  const PlanJob& job_;
  StageLayers& layers_;
  std::vector<Body> bodies_;  // by schedule
  // By the layout, what they do not depend on left at 0.
  Remembered<PlanLayout, StagePasses> passes_;
  Remembered<PlanLayout, std::vector<Bytes>> states_;
  Remembered<PlanLayout, std::vector<Bytes>> transposed_;  // by how many microbatches
  Remembered<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, CountsByRank> counts_;
};

}  // namespace spillway
