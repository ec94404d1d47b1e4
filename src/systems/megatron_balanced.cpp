// Megatron-LM with its layers shared out by what they take: Optimus' balanced baseline, a joint min-max over
// the V x P stages of encoder and backbone together, wherever blocks end.
//
//   rank 0  e e e e e   | 1F1B        the slowest stage takes as little as it can (optimize/layer_split.h)
//   rank 1  e l         |
//   rank 2  l l         |
//
// Source: Optimus (ATC 2025), section 5, "Megatron-LM balanced".
#include "systems/layouts.h"
#include "systems/system_list.h"

namespace spillway {

LaidOut megatron_balanced(const SystemJob& job, const SystemOptions& options) {
  if (auto violations = check_interleaved(options.body); !violations.empty()) return violations;
  ScheduleSpec spec = balanced_model(job.model, options);
  spec.assumptions = {"no layer is split between stages"};
  return spec;
}

}  // namespace spillway
