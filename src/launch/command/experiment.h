// An experiment from what a reader of launch scripts found, whatever the framework.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/node.h"
#include "launch/command/launch_options.h"
#include "launch/command/stages.h"

namespace spillway {

struct LaunchBlock {
  std::string architecture = {};  // a shipped name or a path; empty: LaunchExperiment::config
  Object keys = {};               // of the block, without name, role and architecture
};

struct LaunchPipeline {
  std::uint32_t ranks = 1;
  std::string skeletons = "1f1b";
  bool reflected = false;               // stages go down the ranks and up again; none of them is cut
  std::vector<StageParts> stages = {};  // in their order; none or one: not split
  std::vector<std::uint32_t> encoder_layers = {};  // of each rank, beside those of its stage; empty: unsplit
  bool separate_vocabulary = false;                // a stage may hold only the embedding or only the head
  std::optional<std::uint32_t> microbatch_group = {};
  bool blocks_transfers = true;
};

struct LaunchExperiment {
  LaunchPipeline pipeline = {};
  std::uint32_t microbatches = 1, replicas = 1;
  std::string framework = {};  // a shipped one
  Object framework_set = {};
  Object parallel = {};
  std::optional<LaunchBlock> encoder = {};
  LaunchBlock backbone = {};
  std::optional<Node> config = {};  // a config.json made from the arguments
  Object workload = {};
};

// What a reader of a format returns. Findings say what is wrong; it is then of no use.
struct LaunchReading {
  std::string framework;  // "torchtitan"
  LaunchExperiment experiment;
  std::vector<std::string> assumptions;
};

// `config` is the path of the experiment's config.json, beside its file.
Object experiment_of(const std::string& name, const LaunchExperiment& experiment,
                     const LaunchOptions& options, const std::string& config,
                     const std::vector<std::string>& assumptions);

// Changes a framework's loss to one kernel that keeps the logits, not their softmax.
void add_loss_of_one_kernel(Object& framework_set, const std::string& source);

// A path is found from anywhere, a shipped name stays.
std::string from_anywhere(const std::string& name);

}  // namespace spillway
