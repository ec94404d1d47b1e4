// Lower bounds of every evaluation of a layout. The search uses them to leave out layouts without an
// evaluation.
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

// Step. No schedule does all its work in less time than a rank's average share of it. A rank begins when a
// microbatch has passed the stages before its first one. It then computes its own share, and its last
// backward passes back through those stages. Images add nothing to the bound, so it does not matter to which
// replica and microbatch a system assigns them. Packed sequences all have the same length, but count without
// attention where samples attend within themselves; samples with their own lengths get no bound.
// Memory. A rank holds its model states, and the activations that its order holds when a backward begins. The
// order itself gives these if it does not depend on times. Work transposed before the pipelines is held all
// through them. Which rank holds it is unknown, so it counts as an average over the ranks. It is left out if
// samples move, too.
//
// Rough bounds use the model's blocks, shared out evenly, and give layouts their first order. Fine bounds use
// the stages and cost more. A fine bound is never below the rough one. Layouts with equal prices are priced
// once. Several threads may call it.
class LayoutBounds {
 public:
  LayoutBounds(const PlanJob& job, StageLayers& layers);

  Seconds rough_step(const PlanLayout& layout);
  Bytes rough_memory(const PlanLayout& layout);
  Seconds step(const PlanLayout& layout);
  Bytes memory(const PlanLayout& layout);

 private:
  // The parts of a schedule from which its bounds follow.
  struct Body {
    std::optional<ShardedRun> run;  // set if the ranks' orders of it are the skeleton's
    bool behind_transposed;         // input region before and behind it, activations kept meanwhile
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
  // The keys are layouts in which members that do not matter are 0.
  Remembered<PlanLayout, StagePasses> passes_;
  Remembered<PlanLayout, std::vector<Bytes>> states_;
  Remembered<PlanLayout, std::vector<Bytes>> transposed_;  // by number of microbatches
  Remembered<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, CountsByRank> counts_;
};

}  // namespace spillway
