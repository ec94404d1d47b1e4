// Reads a launch script of a training framework as an experiment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "launch/command/launch_options.h"
#include "launch/shell/script.h"

namespace spillway {

struct ShownArgument {
  std::size_t line;       // 0: given beside the script
  std::string text;       // "--seq-length 4096"
  std::string file = {};  // a file that the script names; empty: the script itself
};

// What is not in a script of Megatron is assumed as its framework does by default, and said.
struct LaunchImport {
  std::string framework;                           // "Megatron-LM"
  std::string program;                             // "pretrain_gpt.py"
  std::size_t line = 0;                            // where it is started
  std::vector<ShownArgument> read = {};            // taken into the experiment
  std::vector<ShownArgument> idle = {};            // change nothing that is simulated
  std::vector<ShownArgument> not_understood = {};  // may change a step; left out, and so listed
  std::vector<ScriptNote> notes = {};
  std::vector<std::string> assumptions = {};
  std::string layout = {};    // the stages in Megatron's words: "Et*8|(t*8|)*2t*8L"
  std::string document = {};  // spillway/experiment/1, or spillway/cases/1 with a measured step
  std::optional<std::string> architecture = {};  // a config.json made from the arguments
  std::string architecture_file = {};            // its path beside options.out
};

// True for a shell script by its name or its first line, and for TOML and YAML by the name.
bool is_launch_script(const std::string& path);

// Throws InputError with every violation: of the script, its arguments, the options, and of the experiment
// that they make together.
LaunchImport import_launch(const std::string& path, const LaunchOptions& options);

}  // namespace spillway
