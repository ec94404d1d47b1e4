// Mpipe as its released runtime has it, with a frozen encoder: T layers of the model's first ones are
// transposed; the pipeline begins when its first rank has all that others encode before it.
//
//   full   rank 0  e1 e5 .| F1 F2 B1 ...     microbatch j on rank j mod P      |: a barrier
//          rank 1  e2 e6 |     F1 B1 ...
//   min    rank 0  e1    .| F1 F2 B1 e5 F5   one each; the others on rank 0, right before they enter
//          rank 1  e2    |     F1 B1 ...
//
// T = 0 is the body alone. Of trained layers the runtime broadcasts the parameters each step and computes the
// encode again on rank 0 for its backward; that needs a broadcast at the start of a step, and is refused.
//
// Source: mindspore-ai/hyper-parallel @b6b50664, docs/mpipe_transpose.md,
// core/pipeline_parallel/mpipe/schedule.py.
#include "model/leading_encoder.h"
#include "systems/layouts.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

std::vector<Violation> check_layers(const Model& model, std::uint32_t layers) {
  std::vector<Violation> violations;
  if (layers >= model.layer_count())
    violations.push_back(
        {"", "/transposed_layers", "fewer layers than the model has", std::to_string(layers)});
  else if (model.trainable({0, layers}))
    violations.push_back(
        {"", "/transposed_layers",
         "layers that are frozen: trained ones need a broadcast of parameters at the start of "
         "a step, which is not played yet",
         std::to_string(layers) + ", of which some are trained"});
  return violations;
}

}  // namespace

LaidOut mpipe_released(const SystemJob& job, const SystemOptions& options) {
  if (auto violations = check_interleaved(options.body); !violations.empty()) return violations;
  const std::uint32_t layers = options.transposed_layers.value_or(leading_encoder_layers(job.model));
  if (auto violations = check_layers(job.model, layers); !violations.empty()) return violations;
  ScheduleSpec spec = layers == 0 ? whole_model(job.model, options) : transposed_layers(job, layers, options);
  spec.owner = OwnerPolicy::RoundRobin;
  if (layers > 0)
    spec.input = {.passes = options.min_ownership ? InputPasses::OneEach : InputPasses::Enclosing,
                  .gathered_first = true};
  spec.assumptions = {
      "the pipeline's layers are split by their number; loading and the shapes sent ahead of outputs take no "
      "time",
      "the barrier on the first rank is for all that is encoded before the pipeline"};
  return spec;
}

}  // namespace spillway
