// The model of a Megatron command line: a config.json made from its arguments, or a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/node.h"
#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"
#include "launch/megatron/flavour.h"
#include "launch/megatron/layout.h"

namespace spillway {

struct MegatronEncoder {
  bool trainable = true;
  bool recomputed = false;
  bool pads = false;                                // samples of a microbatch to their longest
  std::uint32_t depth = 0;                          // of a tower that is whole on the first rank
  std::vector<std::uint32_t> layers = {};           // of each pipeline rank; empty: all on the first
  Object rule = {};                                 // bounds of images
  std::string framework = {};                       // a shipped one; empty: by the flavour
  bool split = false;                               // tensor parallelism splits it
  std::optional<std::uint32_t> packed_tokens = {};  // of the sequence that samples fill; none: not packed
};

struct MegatronModel {
  std::optional<Node> config = {};  // made from the arguments; none: `architecture` is a file
  std::string architecture = {};    // a shipped model or a path; "" with a config
  LayerCounts layers = {0, 0, {}};  // 0 layers: not known, which is a finding
  bool has_experts = false;
  std::optional<MegatronEncoder> encoder = {};  // of `config`, or of the file
  bool trains_backbone = true;
  Object framework_set = {};  // what the arguments change of the framework
  std::vector<std::string> assumptions = {};
};

// Findings say what is wrong; the result is then of no use.
MegatronModel read_model(Arguments& arguments, MegatronFlavour flavour, const LaunchOptions& options);

}  // namespace spillway
