// Megatron's MIMO, disaggregated where modules are stated (derive/modules.h), else colocated: the encoder is
// on every rank, with data parallelism in place of a pipeline; the backbone is pipelined on the same devices.
// A rank encodes several of its microbatches at once, a macro-batch: their outputs leave together, their
// backwards begin when all their gradients have come.
//
//   rank 0  e1+e3 .| F1 F2 B1 F3 B2 ... | b1+b3      three phases: all is encoded, the pipeline runs, and
//   rank 1  e2+e4 .|    F1 B1 F2 B2 ... | b2+b4      all encodes run backwards
//
//   prefetched  | F1 F2 B1 F3 B2 ... | e1' e3'       of a frozen encoder: the next step's, behind all
//
// Source: NVIDIA/Megatron-LM, examples/mimo; PR 4784 (three phases where the backbone is pipelined), PR 5833
// (prefetch of frozen features); flagos-ai/FlagScale PR 1292 (vit_batch_factor: macro-batches).
#include "model/leading_encoder.h"
#include "systems/layouts.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

std::vector<Violation> check_macro_batch(const Pipeline& pipeline, std::uint32_t stated) {
  const auto [ranks, microbatches, replicas] = pipeline;
  if (stated == 0 || microbatches % (stated * std::uint64_t{ranks}) == 0) return {};
  const std::string expected =
      microbatches % ranks == 0
          ? "a number that divides the " + std::to_string(microbatches / ranks) + " microbatches of a rank"
          : "no such key where " + std::to_string(ranks) + " ranks do not share " +
                std::to_string(microbatches) + " microbatches evenly";
  return {{"", "/macro_batch", expected, std::to_string(stated)}};
}

std::vector<Violation> check_prefetch(const Model& model, bool prefetch) {
  if (!prefetch || !has_encoder(model) || !model.trainable({0, leading_encoder_layers(model)})) return {};
  return {{"", "/prefetch", "an encoder that is frozen: outputs of a trained one are made by its step",
           "one that is trained"}};
}

// Disaggregated: a pipeline of each module, fed by the one before it.
LaidOut on_own_devices(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& found : check_interleaved(options.body)) violations.push_back(std::move(found));
  const auto refuse = [&](const char* key, bool stated, const std::string& found) {
    if (stated)
      violations.push_back({"", key,
                            "no such key where modules have devices of their own: an encode leaves "
                            "when it is made",
                            found});
  };
  if (options.solve_modules)
    violations.push_back(
        {"", "/modules", "a list of modules, which disttrain alone solves for", "\"solved\""});
  refuse("/macro_batch", options.macro_batch > 0, std::to_string(options.macro_batch));
  refuse("/prefetch", options.prefetch, "true");
  refuse("/split", options.split.has_value(), "a split");
  if (!violations.empty()) return violations;
  ScheduleSpec spec = modules_apart(options);
  spec.assumptions = {
      "disaggregated: modules have the devices that are stated, and microbatches are dealt out "
      "to each one's pipelines in turn",
      "layers of each module are shared out by what they take, as with the job's parallelism"};
  return spec;
}

}  // namespace

LaidOut mimo(const SystemJob& job, const SystemOptions& options) {
  if (!options.modules.empty() || options.solve_modules) return on_own_devices(job, options);
  std::vector<Violation> violations = check_encoder(job.model);
  for (auto& found : {check_body(options.body), check_macro_batch(job.pipeline, options.macro_batch),
                      check_prefetch(job.model, options.prefetch)})
    violations.insert(violations.end(), found.begin(), found.end());
  if (!violations.empty()) return violations;
  const auto [ranks, microbatches, replicas] = job.pipeline;
  const bool all_at_once = options.macro_batch == 0;
  const std::uint32_t batch = all_at_once ? (microbatches + ranks - 1) / ranks : options.macro_batch;
  ScheduleSpec spec = transposed_encoder(job, options);
  spec.owner = OwnerPolicy::RoundRobin;
  spec.split = options.split.value_or(StageSplit::Joint);
  spec.input.batch = batch;
  spec.input.gathered_first = all_at_once && !options.prefetch;
  spec.input.prefetched = options.prefetch;
  if (batch > 1) spec.regrouping = {Regrouping::Rule::Pooled, batch, ranks};
  spec.assumptions = {
      "colocated, since no modules are stated; the encoder has the tensor parallelism that its blocks state",
      "images of a macro-batch are spread over its rank's devices together; a macro-batch takes what its "
      "microbatches take, larger products are no faster",
      "activations of encodes are kept for their backwards"};
  if (options.prefetch)
    spec.assumptions.emplace_back("encodes run for the next step behind the pipeline, one step ahead");
  return spec;
}

}  // namespace spillway
