// The model that the Trainer's settings name, what of it is trained, and its images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/experiment.h"
#include "launch/trainer/flavour.h"

namespace spillway {

struct TrainerModel {
  std::optional<LaunchBlock> encoder = {};
  LaunchBlock backbone = {};
  std::optional<Node> config = {};  // a shipped model's, with keys that the settings change
  bool trains_encoder = false, trains_backbone = true;
  bool resizes = false;  // by pixels, as Qwen-VL does
  std::vector<std::string> assumptions = {};
};

TrainerModel read_trainer_model(Arguments& settings, TrainerFlavour flavour, const LaunchOptions& options);

}  // namespace spillway
