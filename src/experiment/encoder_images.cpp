#include "experiment/encoder_images.h"

#include <algorithm>
#include <variant>

namespace spillway {
namespace {

constexpr std::string_view kImagesAreShared =
    "every device of a rank holds the whole encoder and encodes a share of a microbatch's images; set "
    "/parallel/images to repeated if every device encodes all of them (as Hugging Face towers before a "
    "Megatron model do), or to split if tensor parallelism also splits the encoder (as in towers of Megatron "
    "layers)";
constexpr std::string_view kEncodersAreSplit =
    "tensor parallelism also splits encoders, without sequence parallelism: every tensor-parallel group "
    "encodes all images of its microbatch, with an all-reduce after every sublayer; every device embeds the "
    "patches, and a projector's all-reduce is counted with the width of its tower";

}  // namespace

bool encodes_images(const Experiment& experiment) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  return analytic && analytic->workload.packing != Packing::TextOnly &&
         std::ranges::any_of(experiment.model.blocks(),
                             [](const Block& block) { return block.role == Role::Encoder; });
}

std::optional<std::string_view> assumption_on_images(const Experiment& experiment) {
  if (!encodes_images(experiment)) return std::nullopt;
  switch (on_platform(experiment.costs)->parallelism.images) {
    case EncoderImages::Shared:
      return kImagesAreShared;
    case EncoderImages::Repeated:
      return std::nullopt;
    case EncoderImages::Split:
      return kEncodersAreSplit;
  }
  throw ContractBreach("unknown way with images");
}

bool has_several_devices(const Experiment& experiment) {
  if (parallelism_of(experiment.costs).members() > 1) return true;
  return std::ranges::any_of(experiment.schedules, [](const ScheduleSpec& schedule) {
    return schedule.solve_modules || std::ranges::any_of(schedule.modules, [](const PlacedModule& module) {
             return module.members() > 1;
           });
  });
}

}  // namespace spillway
