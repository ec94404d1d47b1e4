// OrchMLLM: one pipeline like Megatron's. In every phase, samples are placed so that data-parallel replicas
// are even. After sampling, the images of a microbatch are reassigned among replicas for the encoder, and its
// samples for the backbone. An all-to-all between the two brings outputs to their replica, and gradients
// back.
//
//   replica 0  e(drawn 0, some of 1) >< l(drawn 0)        ><: all-to-all, as long as its busiest replica's
//   replica 1  e(the rest of 1)      >< l(drawn 1)
//
// Source: OrchMLLM (arXiv 2503.23830): batch post-balancing by a cost in sequence length, largest first;
// node-wise all-to-all. Its dispatcher reads and moves raw samples ahead of the step.
#include <string>
#include <vector>

#include "systems/layouts.h"

namespace spillway {
namespace {

LaidOut orchmllm(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& violation : check_interleaved(options.body)) violations.push_back(std::move(violation));
  if (!violations.empty()) return violations;
  ScheduleSpec spec = balanced_model(job.model, options);
  spec.assumptions = {"the pipeline is our addition: OrchMLLM's published runs have none"};
  if (!*options.moves_samples) return spec;
  spec.regrouping = {.rule = Regrouping::Rule::EachPhase};
  const std::vector<std::string> of_samples = {
      "images (and samples, if microbatches consist of samples) are balanced over all replicas by patches "
      "and tokens, separately for each microbatch; among equally even assignments one that also balances the "
      "whole step is chosen; text and pixels move before the step, in no time",
      "the all-to-all takes as long as the busiest replica's, from latency and bandwidth only; it is part of "
      "the forward and backward of the first stage after the encoder; no replica waits for another there, "
      "and traffic is not kept inside nodes",
      "planning takes no time on the devices, since it runs before the step"};
  spec.assumptions.insert(spec.assumptions.end(), of_samples.begin(), of_samples.end());
  return spec;
}

}  // namespace

extern const System kOrchmllm = {.name = "orchmllm",
                                 .options = {"body", "microbatch_group"},
                                 .layout = orchmllm,
                                 .has_generator = false,
                                 .moves_samples = true,
                                 .knows_draw = true};

}  // namespace spillway
