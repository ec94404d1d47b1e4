// A configuration file as settings with the names of its keys, in its order:
//
//   [parallelism]                     parallelism.tensor_parallel_degree 8   (line 2)
//   tensor_parallel_degree = 8
//
// Elements of a list of tables have their number as a name. A list of single values is one setting with that
// many values; null is one without a value. TOML and YAML are read by toml++ and yaml-cpp, which packages of
// Debian hold: their grammars (dates, block scalars, anchors) are too long for a reader of our own to be
// right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "launch/command/arguments.h"

namespace spillway {

// `file` names the file in the settings; empty for the one that the user gave. Findings are added for text
// that is not of the format, for nesting beyond kDeepest levels and for more than kMostSettings.
std::vector<LaunchArgument> read_toml(std::string_view text, const std::string& file, Findings& findings);
// JSON, too, whose documents are YAML.
std::vector<LaunchArgument> read_yaml(const std::string& text, const std::string& file, Findings& findings);

inline constexpr std::size_t kMostSettings = 20000;

// "training.seq_len 4096", "--training.seq-len=4096", as a user gives it beside a file: names have
// underscores and no dashes in front.
std::vector<LaunchArgument> settings_given(const std::vector<std::string>& texts);

// Arguments of a command by the names that its configuration files have: "--training.seq-len" as
// "training.seq_len".
std::vector<LaunchArgument> as_settings(std::vector<LaunchArgument> arguments);

// Texts of a file may be anything; the control characters of launch/shell/marks.h are refused, and the
// settings that have them are removed.
void refuse_marks(std::vector<LaunchArgument>& settings, Findings& findings);

}  // namespace spillway
