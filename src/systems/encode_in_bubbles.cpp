// Encodes in bubbles: the first P microbatches are encoded before the interleaved pipeline begins, one on
// each rank. The others are encoded in the pipeline's idle gaps, each before its microbatch enters. Backwards
// run symmetrically, the last ones after the pipeline.
//
//   rank 0  e1 | F1 F2 F3 F4 .  .  B1 F5 b1 B2 ...      . idle; if no gap is early enough for an encode,
//   rank 1  e2 | e3 F1 F2 F3 B1 F4 b2 B2 ...            the pipeline begins later (optimize/input_gaps.cpp)
//
// Source: Kimi K3's plan (technical report, section 5.2.3: forwards of the early microbatches upfront, the
// others in bubbles, backwards symmetrically); pytorch/torchtitan PR 4381. The idea of a plan made once is
// from Optimus (ATC 2025).
#include "systems/layouts.h"

namespace spillway {
namespace {

LaidOut encode_in_bubbles(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& violation : check_body(options.body)) violations.push_back(std::move(violation));
  if (!violations.empty()) return violations;
  ScheduleSpec spec = transposed_encoder(job, options);
  spec.owner_from_draw = options.plans_each_draw(false);
  spec.split = options.split.value_or(StageSplit::Joint);
  spec.input.passes = InputPasses::InGaps;
  spec.assumptions = {
      "each encode runs without interruption in the earliest gap that is long enough; so does its backward, "
      "on the same rank",
      spec.owner_from_draw ? "gaps are planned for each draw, from its own sizes"
                           : "gaps are planned once, from expected times, for all draws and replicas",
      "activations of encodes are kept until their backwards"};
  return spec;
}

}  // namespace

extern const System kEncodeInBubbles = {.name = "encode-in-bubbles",
                                        .options = {"body", "split", "owner_from", "microbatch_group"},
                                        .layout = encode_in_bubbles,
                                        .has_generator = false,
                                        .plans_by_sizes = true};

}  // namespace spillway
