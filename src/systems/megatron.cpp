// Megatron-LM, the usual baseline: encoder and backbone are one stack of layers. Layers are split over the
// stages of one pipeline by number, so the encoder fills the first stages.
//
//   rank 0  e e e | 1F1B        P = 4, 6 encoder layers of 12: stages of 3 layers, whatever a layer takes
//   rank 1  e e e |
//   rank 2  l l l |             body 1f1b,1f1b: 2P stages, two on each rank, interleaved
//   rank 3  l l l |
//
// Source: NVIDIA/Megatron-LM, megatron/core/pipeline_parallel/schedules.py; the baseline of DistTrain (arXiv
// 2408.04275), Optimus (ATC 2025) and Mpipe.
//
// Megatron-LM with layers split by their times: Optimus' balanced baseline. It is a joint min-max over the V
// x P stages of encoder and backbone together, wherever blocks end.
//
//   rank 0  e e e e e   | 1F1B        the slowest stage takes as little as it can (optimize/layer_split.h)
//   rank 1  e l         |
//   rank 2  l l         |
//
// Source: Optimus (ATC 2025), section 5, "Megatron-LM balanced".
#include "systems/layouts.h"

namespace spillway {
namespace {

LaidOut megatron(const SystemJob& job, const SystemOptions& options) {
  if (auto violations = check_interleaved(options.body); !violations.empty()) return violations;
  ScheduleSpec spec = whole_model(job.model, options);
  spec.assumptions = {"the first stages hold the encoder"};
  return spec;
}

LaidOut megatron_balanced(const SystemJob& job, const SystemOptions& options) {
  if (auto violations = check_interleaved(options.body); !violations.empty()) return violations;
  ScheduleSpec spec = balanced_model(job.model, options);
  spec.assumptions = {"no layer is split between stages"};
  return spec;
}

}  // namespace

extern const System kMegatron = {.name = "megatron",
                                 .options = {"body", "microbatch_group"},
                                 .layout = megatron,
                                 .has_generator = true,
                                 .is_baseline = true};

extern const System kMegatronBalanced = {.name = "megatron-balanced",
                                         .options = {"body", "microbatch_group"},
                                         .layout = megatron_balanced,
                                         .has_generator = true,
                                         .is_baseline = true};

}  // namespace spillway
