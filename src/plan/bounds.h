// What no evaluation of a layout can fall below: bounds by which layouts are left out unevaluated.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/quantity.h"
#include "plan/layout.h"
#include "plan/stage_layers.h"

namespace spillway {

// Step. No schedule does all the work in less than what a rank has of it on average; a rank begins when a
// microbatch has come through the stages before its first one, computes its own share, and its last backward
// goes back through them. What differs from microbatch to microbatch is left out.
// Memory. Model states and, of what a rank has begun before its first backward, the activations.
//
// By rough ones, of the model's blocks shared out evenly, layouts are put in order; fine ones, of stages,
// cost more. Each is at least the rough one. Priced once for all layouts that price alike.
class LayoutBounds {
 public:
  LayoutBounds(const PlanJob& job, StageLayers& layers) : job_(job), layers_(layers) {}

  Seconds rough_step(const PlanLayout& layout);
  Bytes rough_memory(const PlanLayout& layout);
  Seconds step(const PlanLayout& layout);
  Bytes memory(const PlanLayout& layout);

 private:
  // Of one microbatch; zero where microbatches differ.
  struct Passes {
    Seconds forward, backward, input_gradient, weight_gradient;
    Bytes kept;
  };
  // Stages in the order in which a microbatch passes them, or the model's blocks.
  struct Parts {
    std::vector<std::uint32_t> ranks;  // which has each; of blocks all are one's
    std::vector<Passes> passes;
  };

  bool knows_stages(const PlanLayout& layout) const;
  std::size_t key_of_stages(std::size_t schedule) const;
  PlanLayout key_of(PlanLayout layout, bool stages) const;
  const Parts& passes(PlanLayout layout, bool stages);
  const std::vector<Bytes>& states(const PlanLayout& layout, bool stages);  // of the model, or by rank

  const PlanJob& job_;
  StageLayers& layers_;
  // By the layout, what they do not depend on left at 0.
  std::map<PlanLayout, Parts> passes_;
  std::map<PlanLayout, std::vector<Bytes>> states_;
};

}  // namespace spillway
