// Gradient reduction of a stage over its copies.
#pragma once

#include <vector>

#include "cost/price.h"
#include "cost/slabs/footprint.h"
#include "cost/stage_slabs.h"

namespace spillway {

// Trainable parameters of a stage by how its devices share them.
struct StageParameters {
  double tensor = 0;    // split over the tensor-parallel group
  double expert = 0;    // split over the expert-parallel group
  double member = 0;    // whole on every member: encoders, whose images the members share out
  double repeated = 0;  // the same, but that every member has all images
  double split = 0;     // of encoders, split over the tensor-parallel group

  double on_device(const Parallelism& parallelism) const;
};

// Which pipeline ranks hold a stage's parameters: one, a rank and another with a copy of the stage, or every
// rank; from `first` to `last`, equally far apart.
struct Holders {
  RankId first;
  RankId last;
  std::uint32_t ranks;
};

// What the port of a device carries to the widest tier of the copies, all of it together, and how long that
// takes (cost/network/collective_layout.h, cost/network/collectives.h):
//   tensor  parameters / tensor, over context ranks and replicas of every holder
//   expert  parameters / expert, over the expert-parallel groups
//   member  reduced inside each rank first (priced as delay), then parameters / members each, gathered again
//   repeated  all-reduced over the tensor-parallel group first (a delay, too), which is no more than to keep
//           its copies alike, then over context ranks and replicas
//   split   as tensor
// Plain all-reduces the FP32 gradients; Zero1 scatters them and gathers the BF16 parameters; Zero2 gathers
// the parameters alone and Zero3 nothing: their gradients went in the passes (slab_collectives.h), but for
// encoders' (`member`, `repeated`, `split`), which they treat as Zero1 does.
struct GradientReduction {
  Transfer gradients;
  Transfer parameters;  // updated, gathered

  Transfer total() const {
    return {gradients.alone + parameters.alone, gradients.payload + parameters.payload};
  }
};
GradientReduction gradient_reduction(const AnalyticCosts& costs, const DeviceGrid& grid,
                                     const Holders& holders, const StageParameters& parameters);

// What a framework hides the two under, of one stage.
struct Cover {
  Seconds backward;
  Seconds forward;
};

// By stage: what the framework does not hide of it, and, as Transfer::update, that of its parameters when
// their gradients are reduced, at the speed of memory, and for what its host takes. `covers` by stage; empty
// where nothing hides.
std::vector<Transfer> stage_reductions(const AnalyticCosts& costs, const Outline& outline,
                                       const StageSlabs& stages, const std::vector<ModelState>& states,
                                       const std::vector<Cover>& covers);

// By stage of a transposed input: its trained parameters, BF16, from the first rank's devices to their
// counterparts on every other, as one message; nothing of any other stage, nor where none is broadcast. A
// chain carries as much through each port as an all-gather of which the first rank holds all. With Zero3 each
// device has its share.
std::vector<Transfer> stage_broadcasts(const AnalyticCosts& costs, const Outline& outline,
                                       const StageSlabs& stages);

}  // namespace spillway
