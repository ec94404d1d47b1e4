// `spillway import` of a launch script.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/import.h"

namespace spillway {

struct ImportScriptArguments {
  std::string script;
  std::string platform = {}, framework = {}, architecture = {};
  std::optional<std::uint32_t> devices = {};
  std::vector<std::string> sets = {};       // NAME=value, of the shell
  std::vector<std::string> arguments = {};  // "--vocab-size 32000"
  std::vector<std::string> files = {};      // configuration files that the script names
  std::string images = {};                  // a table of image sizes
  std::optional<std::uint32_t> text_tokens = {};
  std::uint32_t images_per_sample = 1;
  std::optional<double> measured_s = {};
  std::string out = {};  // file for the experiment; its architecture is written beside it; empty: none
};

LaunchImport import_script(const ImportScriptArguments& arguments);

}  // namespace spillway
