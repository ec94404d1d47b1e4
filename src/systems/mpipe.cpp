// Mpipe as the paper has it: every rank holds the encoder, runs the encodes it owns inside the warm-up bubble
// of the body and their backwards inside the cool-down.
//
//   rank 0  e1     | F1 F2 B1 F3 B2 ... | b1        the owner map gives ranks that wait longer more to encode
//   rank 1  e2 e3  | F1 B1 F2 B2 ...    | b2 b3
//
// Source: "HyperParallel-Mpipe: A Composable Algebra System for Optimizing MLLM Training over Supernode
// Clusters", sections 3.1 to 3.3. What its released runtime does differs: mpipe-released.
#include "systems/layouts.h"
#include "systems/system_list.h"

namespace spillway {

LaidOut mpipe(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& violation : check_body(options.body)) violations.push_back(std::move(violation));
  if (!violations.empty()) return violations;
  ScheduleSpec spec = transposed_encoder(job, options);
  spec.owner = options.owner.value_or(OwnerPolicy::Greedy);
  spec.owner_from_draw = options.plans_each_draw(false);
  spec.order = options.order.value_or(MicrobatchOrder::AsSampled);
  spec.split = options.split.value_or(StageSplit::Joint);
  spec.assumptions = {
      "each microbatch is encoded on the rank that the owner map names; its backward runs on the same rank, "
      "after that rank's part of the pipeline; activations are kept until then"};
  return spec;
}

}  // namespace spillway
