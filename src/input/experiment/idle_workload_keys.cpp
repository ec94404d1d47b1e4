#include <array>

#include "input/experiment/idle_keys.h"

namespace spillway {
namespace {

const char* of_images(const WorkloadSpec& spec) {
  return spec.text_only_share < 1 ? nullptr : "text_only_share is 1, so no sample has images";
}

const char* rule(const WorkloadSpec& spec) {
  if (const char* why = of_images(spec)) return why;
  return spec.patches.images > 0 ? nullptr : "the trace has tokens, not image sizes to resize";
}

constexpr std::array<IdleRule<WorkloadSpec>, 3> kWorkloadKeys = {
    {{"trace", of_images}, {"images_per_sample", of_images}, {"rule", rule}}};

const char* of_videos(const WorkloadSpec& spec) {
  return spec.patches.videos > 0 ? nullptr : "the trace has no videos";
}

constexpr std::array<IdleRule<WorkloadSpec>, 1> kRuleKeys = {{{"video", of_videos}}};

// image_work is read only for the images that are encoded.
const char* text_of_image_work(const WorkloadSpec& spec) {
  return spec.packing == Packing::Packed ? nullptr
                                         : "text only fills packed sequences, and these are unpacked";
}

constexpr std::array<IdleRule<WorkloadSpec>, 1> kImageWorkKeys = {{{"text_tokens", text_of_image_work}}};

void add_image_work(const Node* blocks, const GivenCosts& costs, std::vector<IdleKey>& idle) {
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    if (!costs.blocks[i].image_work) continue;
    const WorkloadSpec& spec = *costs.blocks[i].image_work->workload;
    const Node* object = member(element(blocks, i), "image_work");
    const std::string pointer = "/model/blocks/" + std::to_string(i) + "/image_work";
    add_idle<WorkloadSpec>(object, pointer, kWorkloadKeys, spec, idle);
    add_idle<WorkloadSpec>(object, pointer, kImageWorkKeys, spec, idle);
    add_idle<WorkloadSpec>(member(object, "rule"), pointer + "/rule", kRuleKeys, spec, idle);
  }
}

}  // namespace

void add_idle_workload_keys(const Node& document, const Experiment& experiment, std::vector<IdleKey>& idle) {
  if (const auto* given = std::get_if<GivenCosts>(&experiment.costs)) {
    add_image_work(member(member(&document, "model"), "blocks"), *given, idle);
  } else {
    const WorkloadSpec& spec = std::get<AnalyticExperiment>(experiment.costs).workload;
    if (spec.packing == Packing::TextOnly) return;
    const Node* workload = member(&document, "workload");
    add_idle<WorkloadSpec>(workload, "/workload", kWorkloadKeys, spec, idle);
    add_idle<WorkloadSpec>(member(workload, "rule"), "/workload/rule", kRuleKeys, spec, idle);
  }
}

}  // namespace spillway
