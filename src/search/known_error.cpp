#include "search/known_error.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spillway {
namespace {

// All held by tests/search/known_error_test.cpp.
constexpr std::array<LayoutError, 3> kLayouts = {{{"vtrain-a100", "NVIDIA A100", 0.061, 55},
                                                  {"torchtitan", "NVIDIA H100", 0.060, 6},
                                                  {"simumax-b200", "NVIDIA B200", 0.013, 8}}};
constexpr std::array<ModelError, 9> kModels = {{
    {"vtrain-a100", "NVIDIA A100", false, false, 0.064, 55},
    {"zero-bubble-a100", "NVIDIA A100", false, false, 0.033, 48},
    {"mpt-h100", "NVIDIA H100", false, false, 0.063, 35},
    {"nemo-h100", "NVIDIA H100", false, false, 0.027, 10},
    {"simumax-b200", "NVIDIA B200", false, false, 0.029, 9},
    {"modellink", "Ascend 910", false, false, 0.096, 25},
    {"megatron-bridge-bf16", "NVIDIA H100", false, true, 0.172, 8},
    {"mindspeed-mm-vl", "Ascend 910", true, false, 0.161, 13},
    {"megatron-bridge-vl", "NVIDIA H100", true, true, 0.483, 4},
}};

bool has_images(const JobCluster& cluster) {
  return std::ranges::any_of(cluster.base.model.blocks(),
                             [](const Block& block) { return block.role == Role::Encoder; });
}

bool has_experts(const JobCluster& cluster) {
  return std::ranges::any_of(cluster.analytic().costs.blocks,
                             [](const BlockCosts& block) { return routed_experts(block.architecture) > 0; });
}

std::string_view maker(std::string_view accelerator) {
  return accelerator.substr(0, accelerator.find(' '));
}

int nearness(const ModelError& known, const JobCluster& cluster) {
  const std::string_view accelerator = cluster.platform().accelerator.name;
  return 8 * (known.images == has_images(cluster)) + 4 * (known.experts == has_experts(cluster)) +
         2 * accelerator.starts_with(known.accelerator) + (maker(accelerator) == maker(known.accelerator));
}

}  // namespace

std::span<const LayoutError> layout_errors() {
  return kLayouts;
}

std::span<const ModelError> model_errors() {
  return kModels;
}

const LayoutError& layout_error(const JobCluster& cluster) {
  const std::string_view accelerator = cluster.platform().accelerator.name;
  const auto own = std::ranges::find_if(
      kLayouts, [&](const LayoutError& known) { return accelerator.starts_with(known.accelerator); });
  return own != kLayouts.end() ? *own : *std::ranges::max_element(kLayouts, {}, &LayoutError::rows);
}

const ModelError& model_error(const JobCluster& cluster) {
  return *std::ranges::max_element(kModels, [&](const ModelError& a, const ModelError& b) {
    return std::pair(nearness(a, cluster), a.error) < std::pair(nearness(b, cluster), b.error);
  });
}

double margin(const JobCluster& one, const JobCluster& other) {
  if (&one == &other) return layout_error(one).scatter;
  return std::max(model_error(one).error, model_error(other).error);
}

}  // namespace spillway
