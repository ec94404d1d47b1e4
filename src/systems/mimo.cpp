// Megatron's MIMO: disaggregated if modules are stated (derive/modules.h), otherwise colocated. Colocated,
// every rank holds the encoder, with data parallelism instead of a pipeline; the backbone is pipelined on the
// same devices. A rank encodes several of its microbatches at once, a macro-batch. Their outputs leave
// together, and their backwards begin when all their gradients have arrived.
//
//   rank 0  e1+e3 .| F1 F2 B1 F3 B2 ... | b1+b3      three phases: all encodes run, then the pipeline,
//   rank 1  e2+e4 .|    F1 B1 F2 B2 ... | b2+b4      then all backwards of encodes
//
//   prefetched  | F1 F2 B1 F3 B2 ... | e1' e3'       frozen encoder: the next step's encodes run last
//
// Source: NVIDIA/Megatron-LM, examples/mimo; PR 4784 (three phases if the backbone is pipelined), PR 5833
// (prefetch of frozen features); flagos-ai/FlagScale PR 1292 (vit_batch_factor: macro-batches).
#include "model/model.h"
#include "systems/layouts.h"

namespace spillway {
namespace {

// Encode a frozen encoder's outputs one step ahead.
constexpr OptionKey kPrefetch = OptionKey::flag("prefetch");

std::vector<Violation> check_macro_batch(const Pipeline& pipeline, std::uint32_t stated) {
  const auto [ranks, microbatches, replicas] = pipeline;
  if (stated == 0 || microbatches % (stated * std::uint64_t{ranks}) == 0) return {};
  const std::string expected =
      microbatches % ranks == 0
          ? "a divisor of the " + std::to_string(microbatches / ranks) + " microbatches of a rank"
          : "no such key, since " + std::to_string(ranks) + " ranks do not share " +
                std::to_string(microbatches) + " microbatches evenly";
  return {{"", "/macro_batch", expected, std::to_string(stated)}};
}

std::vector<Violation> check_prefetch(const Model& model, bool prefetch) {
  if (!prefetch || !has_encoder(model) || !model.trainable({0, leading_encoder_layers(model)})) return {};
  return {{"", "/prefetch", "false, since a trained encoder's outputs depend on the step that uses them",
           "true, with a trained encoder"}};
}

// Disaggregated: each module has a pipeline, fed by the module before it.
LaidOut on_own_devices(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& found : check_interleaved(options.body)) violations.push_back(std::move(found));
  const auto refuse = [&](const char* key, bool stated, const std::string& found) {
    if (stated)
      violations.push_back(
          {"", key, "no such key, since modules have dedicated devices and send each encode when it is done",
           found});
  };
  if (options.solve_modules)
    violations.push_back(
        {"", "/modules", "a list of modules; only disttrain can solve for them", "\"solved\""});
  refuse("/macro_batch", options.macro_batch > 0, std::to_string(options.macro_batch));
  refuse("/prefetch", options.has(kPrefetch), "true");
  refuse("/split", options.split.has_value(), "a split");
  if (!violations.empty()) return violations;
  ScheduleSpec spec = modules_apart(options);
  spec.assumptions = {
      "disaggregated: modules have the stated devices, and microbatches go to the pipelines of each module "
      "in turn",
      "the layers of each module are split by their time under the job's parallelism"};
  return spec;
}

LaidOut mimo(const SystemJob& job, const SystemOptions& options) {
  if (!options.modules.empty() || options.solve_modules) return on_own_devices(job, options);
  std::vector<Violation> violations = check_encoder(job.model);
  for (auto& found : {check_body(options.body), check_macro_batch(job.pipeline, options.macro_batch),
                      check_prefetch(job.model, options.has(kPrefetch))})
    violations.insert(violations.end(), found.begin(), found.end());
  if (!violations.empty()) return violations;
  const auto [ranks, microbatches, replicas] = job.pipeline;
  const bool all_at_once = options.macro_batch == 0;
  const std::uint32_t batch = all_at_once ? (microbatches + ranks - 1) / ranks : options.macro_batch;
  ScheduleSpec spec = transposed_encoder(job, options);
  spec.owner = OwnerPolicy::RoundRobin;
  spec.split = options.split.value_or(StageSplit::Joint);
  spec.input.batch = batch;
  spec.input.gathered_first = all_at_once && !options.has(kPrefetch);
  spec.input.prefetched = options.has(kPrefetch);
  if (batch > 1) spec.regrouping = {Regrouping::Rule::Pooled, batch, ranks};
  spec.assumptions = {
      "colocated, since no modules are stated; the encoder has the tensor parallel size that its blocks "
      "state",
      "the images of a macro-batch are spread over its rank's devices together; a macro-batch takes the sum "
      "of its microbatches' times, since larger matrix products are assumed to be no faster",
      "activations of encodes are kept until their backwards"};
  if (options.has(kPrefetch))
    spec.assumptions.emplace_back("encodes for the next step run after the pipeline of this one");
  return spec;
}

}  // namespace

extern const System kMimo = {
    .name = "mimo",
    .options = {"body", "split", "macro_batch", kPrefetch, "microbatch_group", "modules"},
    .layout = mimo,
    .has_generator = true};

}  // namespace spillway
