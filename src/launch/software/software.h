// The shipped frameworks (platforms/frameworks) as software that a user could run: the devices that each runs
// on, and how it treats images. The models that it trains are stated by its file
// (platform/launched_models.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_set.h"
#include "experiment/experiment.h"

namespace spillway {

enum class DeviceMaker : std::uint8_t { Nvidia, Amd, Ascend };
// A language model without or with experts.
enum class TrainedBackbone : std::uint8_t { Dense, Mixture };

struct ShippedSoftware {
  std::string_view shipped;  // platforms/frameworks/SHIPPED.json
  std::string_view name;     // Framework::name; copies of the file with other numbers keep it
  EnumSet<DeviceMaker> runs_on;
  EnumSet<TrainedBackbone> backbones;
  // How a rank of several devices treats images. Nothing if it trains no encoder, or has no such rank.
  std::optional<EncoderImages> images = {};
  bool splits = true;  // false: each device has the whole model, without pipelines and parallel groups
  // Why it is not offered to users who do not name it. Empty: it is.
  std::string_view not_offered = {};
};

// In the order in which they are listed.
const std::vector<ShippedSoftware>& shipped_software();
// Null for a framework that is not shipped.
const ShippedSoftware* software_named(std::string_view framework);

// Platforms with HCCL are Ascend's, and those that are neither Ascend's nor AMD's count as NVIDIA's.
bool runs_on(const ShippedSoftware& software, const Platform& platform);

// Returns what the framework lacks of the experiment's model: "it trains no models with images". "" if it
// trains the model, or states no models, or if no framework has a model of such blocks.
std::string lacking_model(const Framework& framework, const Experiment& experiment);

// The software that is offered on the experiment's platform.
struct OfferedSoftware {
  std::vector<const ShippedSoftware*> trains;  // the experiment's model
  std::vector<const ShippedSoftware*> lacks;   // its encoder, though it trains such language models
};
// Both are empty if durations are given, or if no framework has a model of such blocks.
OfferedSoftware offered_software(const Experiment& experiment);

// Returns true if both frameworks price all layouts of the model alike: they differ only in names, sources
// and statements about operators that the model does not have. Contract: equal models on one platform.
bool price_alike(const AnalyticCosts& one, const AnalyticCosts& other);

}  // namespace spillway
