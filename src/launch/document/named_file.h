// A configuration file that a script names.
#pragma once

#include <optional>
#include <string>

#include "base/findings.h"
#include "launch/command/launch_options.h"

namespace spillway {

struct NamedFile {
  std::string name;  // the last part of its path
  std::string text;
};

// A file of options.files (--file) whose last part is the same; otherwise the path from the script's folder
// or from one above it, since scripts are started from there. Nothing if there is none, which is a finding at
// `place`.
std::optional<NamedFile> named_file(const std::string& path, const std::string& script,
                                    const LaunchOptions& options, const std::string& place,
                                    Findings& findings);

}  // namespace spillway
