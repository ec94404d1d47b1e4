// Gradient reduction of a stage over its copies.
#pragma once

#include <vector>

#include "cost/network/collectives.h"
#include "cost/price.h"
#include "cost/slabs/footprint.h"
#include "cost/stage_slabs.h"

namespace spillway {

// Trainable parameters of a stage by how its devices share them.
struct StageParameters {
  double tensor = 0;    // split over the tensor-parallel group
  double expert = 0;    // split over the expert-parallel group
  double member = 0;    // encoders that lie whole on every member; the members share out the images
  double repeated = 0;  // as `member`, but every member has all images
  double split = 0;     // encoders that are split over the tensor-parallel group
  Bytes tensor_weight = Bytes(2);  // of an updated parameter when it is gathered, on average
  Bytes expert_weight = Bytes(2);

  double on_device(const Parallelism& parallelism) const;
};

// The pipeline ranks that hold a stage's parameters: one, a rank and another with a copy of the stage, or
// every rank; from `first` to `last`, at equal distances.
struct Holders {
  RankId first;
  RankId last;
  std::uint32_t ranks;
};

Holders holders_of(const Outline& outline, const Stage& stage);

// The parameters that a device with these states updates.
struct UpdatedShare {
  double all;
  double here;    // of those, what the host does not update
  Bytes saved;    // traffic of second moments that matrices under Muon lack
  Bytes to_fp32;  // traffic of gradients that were accumulated in BF16 and become FP32
};
UpdatedShare updated_share(const AnalyticCosts& costs, const ModelState& state);

// Returns the time of an update that takes `on_device` there. A swapped optimizer comes in and goes out at
// once. If the host updates a part, its gradients go there and its parameters come back, one after the other
// (megatron/core/optimizer/cpu_offloading/hybrid_optimizer.py); the host's own work is not known, and takes
// no time here.
Seconds with_states_of_host(const AnalyticCosts& costs, const ModelState& state, Seconds on_device);
StageParameters trained_parameters(const StageSlabs& stages, StageId stage);
// The number of a stage's tensors that a device updates: all on the device, or its share from ZeRO-1 on.
double updated_tensors(const StageSlabs& stages, StageId stage, std::uint32_t holders);

// The bytes that a device's port to the widest tier of the copies carries, all together, and their time
// (cost/network/collective_layout.h, cost/network/collectives.h):
//   tensor    parameters / tensor, over context ranks and replicas of every holder
//   expert    parameters / expert, over the expert-parallel groups
//   member    reduced inside each rank first (priced as a delay), then parameters / members each, gathered
//   again repeated  all-reduced over the tensor-parallel group first (a delay, too), only to keep its copies
//   alike,
//             then over context ranks and replicas
//   split     as tensor
// Plain all-reduces the FP32 gradients. Zero1 scatters them and gathers the BF16 parameters, or the
// primary weights in FP8 or FP4. Zero2 gathers
// only the parameters, and Zero3 nothing: the passes reduced their gradients (slab_collectives.h), unless the
// framework reduces them once, here. Both treat
// the encoders' parameters (`member`, `repeated`, `split`) as Zero1 does.
struct GradientReduction {
  Transfer gradients;
  Transfer parameters;  // the updated parameters, gathered

  Transfer total() const {
    return {gradients.alone + parameters.alone, gradients.payload + parameters.payload};
  }
};
// Stages whose devices lie alike share the work. Contract: the costs outlive it.
class GradientReductions {
 public:
  GradientReductions(const AnalyticCosts& costs, const DeviceGrid& grid)
      : costs_(&costs), grid_(grid), timed_(costs.platform) {}

  GradientReduction of(const Holders& holders, const StageParameters& parameters);

 private:
  const AnalyticCosts* costs_;
  DeviceGrid grid_;
  TimedCollectives timed_;
};

// The passes of one stage that a framework hides the two transfers under.
struct Cover {
  Seconds backward;
  Seconds forward;
};

// Returns true if sharded gradients are added up whole, and scattered once when a step ends.
bool reduces_sharded_once(const AnalyticCosts& costs);

// The update of a stage's parameters where the framework states no end of a step: at the speed of memory,
// plus the host's time for each tensor. `holders`: the ranks that hold the stage's layers.
Seconds update_of_stage(const AnalyticCosts& costs, const StageSlabs& stages, StageId stage,
                        std::uint32_t holders, const ModelState& state);

// By stage: the part of the reduction that the framework does not hide. Transfer::update is the update of its
// parameters when their gradients are reduced (update_of_stage), times `update_factors`, which is by stage;
// empty multiplies none. A framework that states how a step ends updates and gathers after all reductions
// (step_end.h) instead; `reductions` then says what begins when. `covers` is by stage; empty if nothing
// hides.
std::vector<Transfer> stage_reductions(const AnalyticCosts& costs, const Outline& outline,
                                       const StageSlabs& stages, const std::vector<ModelState>& states,
                                       const std::vector<Cover>& covers,
                                       const std::vector<double>& update_factors = {});

// By stage of a transposed input: its trained parameters in BF16, as one message from the first rank's
// devices to their counterparts on every other rank. Other stages broadcast nothing, nor does a job without
// broadcast. A chain carries as much through each port as an all-gather in which the first rank holds
// everything. With Zero3 each device has its share.
std::vector<Transfer> stage_broadcasts(const AnalyticCosts& costs, const Outline& outline,
                                       const StageSlabs& stages);

}  // namespace spillway
