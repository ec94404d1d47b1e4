// Optimus: every rank holds the encoder. Its layers are placed, once and by expected times, in the idle time
// of the backbone's pipeline: coarse, in bubbles between passes; fine, while passes communicate.
//
//   rank 0  e e e | F1 F2 F3 F4 .  B1 F5 ...    the first microbatch is encoded before the pipeline
//   rank 1  e e e e e | F1 F2 F3 B1 F4 ...      layers of the next ones where rank 1 waits for it, and under
//                 ^~~ inside F1's collectives   the tensor-parallel collectives of the pipeline's passes
//
// An encode must end before its microbatch enters the backbone, and its backward begins after the gradient
// arrives (EF_i <= F_i, EB_i >= B_i). The plan uses mean durations; draws run by it.
//
// Source: Optimus (ATC 2025), sections 4 and 5: bubble scheduling with dependency points.
#include "systems/layouts.h"

namespace spillway {
namespace {

LaidOut optimus(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& violation : check_body(options.body)) violations.push_back(std::move(violation));
  if (!violations.empty()) return violations;
  ScheduleSpec spec = transposed_encoder(job, options);
  spec.split = options.split.value_or(StageSplit::Joint);
  spec.owner_from_draw = options.plans_each_draw(false);
  spec.input = {.passes = InputPasses::InGaps, .under_communication = true, .by_layer = true};
  spec.assumptions = {
      "the encoder has the tensor parallel size that its blocks state, and no pipeline of its own, whereas "
      "Optimus tries several of both",
      "a layer is hidden completely if a pass's exposed collectives take at least as long, as if its kernels "
      "filled every gap; its own collectives are not hidden",
      "encoder backwards after the pipeline overlap with the backbone's gradient reduction without slowing "
      "it or being slowed; parameters are gathered right after it, so no encode overlaps with that; warm-up "
      "counts are the skeleton's",
      spec.owner_from_draw ? "planned for each draw from its own sizes, whereas Optimus plans once"
                           : "planned once, from expected times"};
  return spec;
}

}  // namespace

extern const System kOptimus = {.name = "optimus",
                                .options = {"body", "split", "microbatch_group"},
                                .layout = optimus,
                                .has_generator = false,
                                .plans_by_sizes = true};

}  // namespace spillway
