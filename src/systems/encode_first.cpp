// Encode first: every rank holds the encoder. All images of the step are encoded before the pipeline begins,
// spread evenly over the ranks of all replicas (workload/spread_images.cpp). Only outputs are kept. The
// pipeline runs like that of a text model. Then the encoder's forwards are recomputed for its backwards,
// spread as before.
//
//   rank 0  e1 e3 .| F1 F2 B1 F3 B2 ... | e1b1 e3b3      |: the pipeline begins when all has been encoded
//   rank 1  e2 e4 .|    F1 B1 F2 B2 ... | e2b2 e4b4
//
// Source: Kimi K2.5's decoupled encoder process (arXiv 2602.02276, section 4.5); LongCat-Flash-Omni's
// modality-decoupled parallelism (arXiv 2511.00279). Reported: 90 % and more of text-only throughput.
#include <string>

#include "systems/layouts.h"

namespace spillway {
namespace {

// Microbatches are encoded whole if an owner map is stated, if one plan serves all draws, or if images are
// not drawn.
Regrouping images_of(const SystemJob& job, const SystemOptions& options) {
  if (options.owner || !job.drawn || !options.plans_each_draw(true)) return {};
  return {.rule = Regrouping::Rule::Spread,
          .together = *options.moves_samples ? 0U : 1U,
          .stride = job.pipeline.ranks};
}

std::string spread_assumption(const Regrouping& images, bool by_sizes) {
  if (images.rule == Regrouping::Rule::AsDrawn)
    return std::string(
               "each microbatch is encoded by one rank of its own replica, the largest microbatch first, ") +
           (by_sizes ? "by each draw's own sizes" : "by expected sizes");
  return images.together == 0 ? "images are spread over the devices of all replicas, largest first, by each "
                                "draw's own sizes; outputs from another replica take as long as those from a "
                                "rank of the same replica, and no replica waits for another"
                              : "images are spread over the devices of their own replica, largest first, by "
                                "each draw's own sizes";
}

LaidOut encode_first(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& violation : check_body(options.body)) violations.push_back(std::move(violation));
  if (!violations.empty()) return violations;
  ScheduleSpec spec = transposed_encoder(job, options);
  spec.regrouping = images_of(job, options);
  const bool spread = spec.regrouping.rule == Regrouping::Rule::Spread;
  spec.owner = options.owner.value_or(spread ? OwnerPolicy::RoundRobin : OwnerPolicy::Greedy);
  spec.owner_from_draw = !spread && options.plans_each_draw(true);
  spec.split = options.split.value_or(StageSplit::Joint);
  spec.input = {.gathered_first = true, .recomputed = true};
  spec.assumptions = {
      spread_assumption(spec.regrouping, spec.owner_from_draw),
      "the pipeline begins when its first rank has every output; after its own part of the pipeline, each "
      "rank recomputes its encodes and runs their backwards as the gradients arrive"};
  return spec;
}

}  // namespace

extern const System kEncodeFirst = {.name = "encode-first",
                                    .options = {"body", "split", "owner", "owner_from", "microbatch_group"},
                                    .layout = encode_first,
                                    .has_generator = false,
                                    .moves_samples = true,
                                    .knows_draw = true,
                                    .plans_by_sizes = true};

}  // namespace spillway
