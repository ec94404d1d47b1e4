// The model of a torchtitan flavour.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/layers/text_model.h"
#include "json/node.h"
#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"

namespace spillway {

struct TitanModel {
  std::string architecture = {};    // a shipped model or a path; empty with a config
  std::optional<Node> config = {};  // made from the flavour
  std::uint32_t layers = 0;         // 0: not known, which is a finding
  bool has_experts = false;
  std::vector<std::string> assumptions = {};
};

TitanModel read_titan_model(Arguments& settings, const LaunchOptions& options);

struct TitanFlavour {
  std::string model, flavour;  // "llama3", "8B"
};
// The flavour of v0.2.2 that is this network, without predictions. Nothing if there is none.
std::optional<TitanFlavour> titan_flavour(const TextModel& network);
std::string titan_flavour_names();  // for people

}  // namespace spillway
