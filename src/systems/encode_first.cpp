// Encode first: the encoder is on every rank; all microbatches of the step are encoded before the pipeline
// begins, spread evenly; outputs alone are kept; the pipeline runs as of a text model; then the encoder's
// forwards are computed again for its backwards, spread as before.
//
//   rank 0  e1 e3 .| F1 F2 B1 F3 B2 ... | e1b1 e3b3      |: the pipeline begins when all has been encoded
//   rank 1  e2 e4 .|    F1 B1 F2 B2 ... | e2b2 e4b4
//
// Source: Kimi K2.5's decoupled encoder process (arXiv 2602.02276, section 4.5); LongCat-Flash-Omni's
// modality-decoupled parallelism (arXiv 2511.00279). Reported: 90 % and more of text-only throughput.
#include "systems/layouts.h"
#include "systems/system_list.h"

namespace spillway {

LaidOut encode_first(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& violation : check_body(options.body)) violations.push_back(std::move(violation));
  if (!violations.empty()) return violations;
  ScheduleSpec spec = transposed_encoder(job, options);
  spec.owner = options.owner.value_or(OwnerPolicy::Greedy);
  spec.owner_from_draw = options.owner_from_draw.value_or(true);
  spec.split = options.split.value_or(StageSplit::Joint);
  spec.input = {.gathered_first = true, .recomputed = true};
  spec.assumptions = {
      "encodes are spread over the ranks of their own replica by whole microbatches, where the systems "
      "spread images over all devices; heaviest first, each draw by its own sizes",
      "the pipeline begins when its first rank has every output; a rank computes encodes again and runs "
      "their backwards behind its own part of the pipeline, each when its gradient has come"};
  return spec;
}

}  // namespace spillway
