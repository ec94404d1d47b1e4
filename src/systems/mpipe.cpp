// Mpipe as in the paper: every rank holds the encoder. It runs its encodes inside the warm-up bubble of the
// body, and their backwards inside the cool-down.
//
//   rank 0  e1     | F1 F2 B1 F3 B2 ... | b1        the owner map gives ranks that wait longer more to encode
//   rank 1  e2 e3  | F1 B1 F2 B2 ...    | b2 b3
//
// Source: "HyperParallel-Mpipe: A Composable Algebra System for Optimizing MLLM Training over Supernode
// Clusters", sections 3.1 to 3.3. Its released runtime differs: mpipe-released.
//
// Mpipe as in its released runtime: the model's first T layers are transposed. The pipeline begins when its
// first rank has all outputs that other ranks encode before it.
//
//   full   rank 0  e1 e5 .| F1 F2 B1 ...     microbatch j on rank j mod P      |: a barrier
//          rank 1  e2 e6 |     F1 B1 ...
//   min    rank 0  e1    .| F1 F2 B1 e5 F5   one each; the others on rank 0, right before they enter
//          rank 1  e2    |     F1 B1 ...
//
// If these layers are trained, only the first rank has their parameters, and broadcasts them each step (=).
// By default the first rank runs all backwards, each right after the microbatch's own backward. For that it
// encodes again (e' b) from the input that the owner sent along. It alone accumulates gradients and updates.
// With owner_backward, owners keep their activations and get their gradients when the first rank has
// finished. Gradients are then summed over all ranks.
//
//   first rank's   rank 0  = e1 | F1 F2 B1 e1' b1 F3 B2 e2' b2 ...
//                  rank 1  = e2 |      F1 B1 ...
//   owners'        rank 0  = e1 | F1 F2 B1 b1 F3 B2 ... |
//                  rank 1  = e2 |      F1 B1 ...          b2
//
// T = 0 is the body alone. The first stage is shorter by the layers taken from it. An encoder is taken from
// no stage: the runtime's stages do not count it.
//
// Source: mindspore-ai/hyper-parallel @b6b50664, docs/mpipe_transpose.md,
// core/pipeline_parallel/mpipe/{schedule,executor}.py and their tests. Test: tests/systems/released_test.cpp.
#include <utility>

#include "model/model.h"
#include "systems/layouts.h"

namespace spillway {
namespace {

// Owners run backwards; else the first rank recomputes.
constexpr OptionKey kOwnerBackward = OptionKey::flag("owner_backward");

// Returns the layers of every stage of a body over the whole model, as even as counting allows.
std::vector<std::uint32_t> even_layers(const SystemJob& job, const ScheduleSpec& body) {
  std::vector<std::uint32_t> layers;
  const std::uint32_t ranks = job.pipeline.ranks;
  for (const Region& region : regions_of(job.model, body.cut))
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      layers.push_back(even_share(region.layers.size(), ranks, rank));
  return layers;
}

bool is_tower(const Model& model, std::uint32_t layers) {
  return has_encoder(model) && layers == leading_encoder_layers(model);
}

std::vector<Violation> check_layers(const SystemJob& job, const SystemOptions& options,
                                    std::uint32_t layers) {
  std::vector<Violation> violations;
  const std::uint32_t first = even_layers(job, whole_model(job.model, options)).front();
  const std::uint32_t tower = has_encoder(job.model) ? leading_encoder_layers(job.model) : 0;
  if (layers > 0 && layers >= first && layers != tower)
    violations.push_back({"", "/transposed_layers",
                          (tower > 0 ? "the " + std::to_string(tower) + " layers of the encoder, or " : "") +
                              "fewer layers than the first stage has, " + std::to_string(first),
                          std::to_string(layers)});
  if (options.has(kOwnerBackward) && !job.model.trainable({0, std::min(layers, job.model.layer_count())}))
    violations.push_back({"", "/owner_backward",
                          "false, since only trained transposed layers have a backward",
                          layers == 0 ? "true, with no transposed layers" : "true, with frozen layers"});
  return violations;
}

// The stages of the body alone, with a shorter first stage.
ScheduleSpec taken_from_first_stage(const SystemJob& job, std::uint32_t layers,
                                    const SystemOptions& options) {
  ScheduleSpec spec = whole_model(job.model, options);
  spec.layers_per_rank = even_layers(job, spec);
  spec.layers_per_rank.front() -= layers;
  spec.schedule.skeletons.insert(spec.schedule.skeletons.begin(), SkeletonKind::Transpose);
  spec.cut.boundaries.insert(spec.cut.boundaries.begin(), layers);
  return spec;
}

InputRule rule_of(const SystemOptions& options, bool trained) {
  InputRule rule{.passes = options.min_ownership ? InputPasses::OneEach : InputPasses::Enclosing,
                 .gathered_first = true};
  if (!trained) return rule;
  rule.broadcast = true;
  rule.backwards = options.has(kOwnerBackward) ? InputBackwards::Returned : InputBackwards::AtEntry;
  rule.recomputed = !options.has(kOwnerBackward);
  return rule;
}

std::vector<std::string> assumptions_of(const SystemOptions& options, bool trained) {
  std::vector<std::string> assumptions = {
      "loading data and sending the shapes of outputs take no time",
      "the first rank waits until everything that is encoded before the pipeline has arrived"};
  if (!trained) return assumptions;
  assumptions.emplace_back(
      "trained parameters are broadcast along a chain of ranks as one message, whereas the runtime sends "
      "them tensor by tensor; with given durations the broadcast takes as long as a reduction");
  assumptions.emplace_back(
      options.has(kOwnerBackward)
          ? "gradients of transposed layers are summed over pipeline ranks and replicas in one reduction; "
            "every rank stores and updates those layers"
          : "inputs travel in the same message as outputs, in BF16, with ids of 8 bytes; only the first rank "
            "stores gradients and optimizer states of transposed layers");
  return assumptions;
}

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

LaidOut mpipe_released(const SystemJob& job, const SystemOptions& options) {
  if (auto violations = check_interleaved(options.body); !violations.empty()) return violations;
  const std::uint32_t layers = options.transposed_layers.value_or(leading_encoder_layers(job.model));
  if (auto violations = check_layers(job, options, layers); !violations.empty()) return violations;
  const bool trained = layers > 0 && job.model.trainable({0, layers});
  ScheduleSpec spec = layers == 0                   ? whole_model(job.model, options)
                      : is_tower(job.model, layers) ? transposed_layers(job, layers, options)
                                                    : taken_from_first_stage(job, layers, options);
  spec.owner = OwnerPolicy::RoundRobin;
  if (layers > 0) spec.input = rule_of(options, trained);
  spec.assumptions = assumptions_of(options, trained);
  return spec;
}

}  // namespace

extern const System kMpipe = {
    .name = "mpipe",
    .options = {"body", "split", "owner", "owner_from", "order", "microbatch_group"},
    .layout = mpipe,
    .has_generator = true,
    .plans_by_sizes = true};

extern const System kMpipeReleased = {
    .name = "mpipe-released",
    .options = {"body", "ownership", kOwnerBackward, "transposed_layers", "microbatch_group"},
    .layout = mpipe_released,
    .has_generator = true};

}  // namespace spillway
