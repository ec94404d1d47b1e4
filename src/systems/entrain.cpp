// Entrain: one pipeline like Megatron's. Before the step, samples are assigned so that the encoder's work is
// even among replicas and microbatches. Then, pair by pair, a microbatch with too much work for the backbone
// defers some of it to another one that follows directly.
//
//   assigned  m1 [e9 l9+l5]  m2 [e9 l2]           e: encoded, l: passes the backbone
//   deferred  m1 [e9 l9]     m2 [e9 l2+l5]        the sample is encoded in m1 and waits for m2
//
// Source: Entrain (arXiv 2605.27918): one static layout, hierarchical microbatch assignment: encoder work
// made equal first, excess work then deferred within the step.
#include <string>

#include "systems/layouts.h"

namespace spillway {
namespace {

LaidOut entrain(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& violation : check_interleaved(options.body)) violations.push_back(std::move(violation));
  if (!violations.empty()) return violations;
  ScheduleSpec spec = balanced_model(job.model, options);
  if (job.drawn && options.plans_each_draw(true))
    spec.regrouping = {.rule = Regrouping::Rule::Deferred, .together = *options.moves_samples ? 0U : 1U};
  if (spec.regrouping.rule == Regrouping::Rule::AsDrawn) return spec;
  spec.assumptions = {std::string("samples are assigned to microbatches, ") +
                          (*options.moves_samples ? "" : "inside their replica, ") +
                          "those with the most patches first; every microbatch keeps its number of samples; "
                          "sequences of equal length move whole, and no part of them is deferred",
                      "the data loaders move samples between replicas in no time; the memory of outputs that "
                      "wait for the next microbatch is not counted",
                      "planning takes no time on the devices, since it runs before the step"};
  return spec;
}

}  // namespace

extern const System kEntrain = {.name = "entrain",
                                .options = {"body", "microbatch_group"},
                                .layout = entrain,
                                .has_generator = false,
                                .moves_samples = true,
                                .knows_draw = true,
                                .plans_by_sizes = true};

}  // namespace spillway
