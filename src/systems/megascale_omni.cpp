// MegaScale-Omni: encoder and backbone share the same devices. Encodes are inserted evenly into the
// backbone's pipeline, on demand. Loaders reorder samples inside groups of neighbouring replicas.
//
//   rank 0  e1 | F1 F2 e5 F3 ...  B1 ... b1 B5       encode j on rank j mod P, P microbatches before the
//   rank 1  e2 | F1 e6 F2 B1 ...                     pipeline uses it; its backward P later
//
// Source: MegaScale-Omni (arXiv 2605.08962): encoder-LLM multiplexing, joint pipeline, decentralized grouped
// reordering in data loaders, resharding from encoder to backbone ranks.
#include <string>

#include "systems/layouts.h"

namespace spillway {
namespace {

std::vector<Violation> check_group(const SystemJob& job, const SystemOptions& options) {
  const std::uint32_t stated = options.group_replicas;
  if (stated > 0 && job.drawn && !*options.moves_samples)
    return {
        {"", "/group_replicas", "no such key, since no sample leaves its replica", std::to_string(stated)}};
  if (stated == 0 || job.pipeline.replicas % stated == 0) return {};
  return {{"", "/group_replicas", "a divisor of the " + std::to_string(job.pipeline.replicas) + " replicas",
           std::to_string(stated)}};
}

// Returns true if samples are reassigned, in each draw by its own sizes.
bool deals(const SystemJob& job, const SystemOptions& options) {
  return job.drawn && options.plans_each_draw(true);
}

std::string dealt_assumption(const SystemJob& job, const SystemOptions& options) {
  if (!deals(job, options)) return "samples stay in the replica that drew them";
  if (!*options.moves_samples) return "samples are reassigned among the microbatches of their replica";
  return options.group_replicas > 0 ? "samples are reassigned inside groups of replicas, as stated"
                                    : "samples are reassigned among all replicas, which form one group";
}

LaidOut megascale_omni(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (auto& found : {check_body(options.body), check_group(job, options)})
    violations.insert(violations.end(), found.begin(), found.end());
  if (!violations.empty()) return violations;
  ScheduleSpec spec = transposed_encoder(job, options);
  spec.split = options.split.value_or(StageSplit::Joint);
  spec.input.passes = InputPasses::Uniform;
  if (deals(job, options))
    spec.regrouping = {.rule = Regrouping::Rule::Stratified,
                       .together = *options.moves_samples ? options.group_replicas : 1U};
  spec.assumptions = {
      "encode j runs on rank j mod P, right before the rank's forward of microbatch j - P; its backward runs "
      "right before the backward of j + P; MegaScale-Omni's own spacing is not published",
      "every image is encoded on one device; large images are not split among devices",
      dealt_assumption(job, options),
      "resharding takes the time to transfer outputs from the rank that computed them; loaders reorder "
      "samples in no time"};
  return spec;
}

}  // namespace

extern const System kMegascaleOmni = {
    .name = "megascale-omni",
    .options = {"body", "split", "group_replicas", "microbatch_group"},
    .layout = megascale_omni,
    .has_generator = false,
    .moves_samples = true,
    .knows_draw = true,
    .plans_by_sizes = true,
    .unranked =
        "how it spaces encodes is not published, so it is simulated by a rule that is not its authors'"};

}  // namespace spillway
