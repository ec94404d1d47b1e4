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
  std::optional<double> measured_s = {};
  std::string out = {};  // file for the experiment; its architecture is written beside it; empty: none
};

LaunchImport import_script(const ImportScriptArguments& arguments);

}  // namespace spillway
