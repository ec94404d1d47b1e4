#include "experiment/encoder_images.h"

#include <algorithm>
#include <variant>

namespace spillway {
namespace {

constexpr std::string_view kImagesAreShared =
    "every device of a rank holds its encoder whole and encodes a share of a microbatch's images; where "
    "every device encodes all of them, as towers from Hugging Face do in front of a Megatron model, "
    "/parallel/images is repeated, and where tensor parallelism splits the encoder too, as towers made "
    "of Megatron's layers, split";
constexpr std::string_view kEncodersAreSplit =
    "tensor parallelism splits encoders too, without sequence parallelism: every group of it encodes all "
    "images of its microbatch, with an all-reduce behind every sublayer; patches are embedded on every "
    "device, and a projector's all-reduce is counted as wide as its tower";

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
