// The training that a script starts, or that a configuration file is of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"
#include "launch/megatron/flavour.h"

namespace spillway {

// Whose arguments or settings they are.
enum class LaunchKind { Megatron, Titan, Trainer, Bridge, Nemo };

struct LaunchSource {
  LaunchKind kind = LaunchKind::Megatron;
  MegatronFlavour flavour = MegatronFlavour::Megatron;
  std::string program = {};  // "pretrain_gpt.py"; the file itself if it is a configuration
  std::size_t line = 0;      // where it is started; 0 for a configuration
  std::vector<LaunchArgument> arguments = {};
  std::optional<std::uint32_t> devices = {};
  std::string model = {};                     // a shipped one that a recipe has
  std::vector<std::string> assumptions = {};  // about what a recipe does
  ScriptReading script = {};                  // its notes and unknown parts; empty for a configuration
};

// Findings say what is missing; the result is then of use for further findings only if it has arguments.
LaunchSource read_source(const std::string& path, const std::string& text, const LaunchOptions& options,
                         Findings& findings);

// By the name: what is read as a configuration alone.
bool is_toml(const std::string& path);
bool is_yaml(const std::string& path);

}  // namespace spillway
