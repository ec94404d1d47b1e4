// What a user states beside a launch script.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/shell/script.h"

namespace spillway {

struct LaunchOptions {
  std::string platform = {};                  // a shipped one or a path; required
  std::string framework = {};                 // the same; empty: by the script's framework
  std::string architecture = {};              // a shipped model or a config.json; empty: from the arguments
  std::optional<std::uint32_t> devices = {};  // of the job; none: as the launcher says
  ScriptSettings variables = {};              // of the shell
  std::vector<std::string> arguments = {};    // "--vocab-size 32000": as if the script gave them last
  std::vector<std::string> files = {};        // configuration files that the script names
  std::string images = {};                    // a table of image sizes, for models with an encoder
  std::optional<std::uint32_t> text_tokens = {};  // of a sample, beside its images
  std::uint32_t images_per_sample = 1;
  std::optional<double> measured_s = {};  // a measured step: the result is then a table of one case
  std::string out = {};                   // path of the experiment; names the architecture beside it
};

}  // namespace spillway
