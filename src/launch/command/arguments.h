// The command line of a training program, as readers of a framework ask for its arguments.
//
//   Arguments arguments(...);
//   arguments.whole("--num-layers");   // a missing, unknown or wrong value is a finding, with its line
//   arguments.left();                  // what nobody asked for: to be listed
//
// Names are as Megatron-LM's: "--num_layers" counts as "--num-layers". The last of several equal names
// counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "launch/shell/script.h"

namespace spillway {

struct LaunchArgument {
  std::string name;                // "--num-layers"
  std::vector<ScriptWord> values;  // up to the next argument
  std::size_t line;                // 0: given beside the script
  std::string file = {};           // a file that the script names, or a recipe; empty: the script itself
  std::string as_written = {};     // the name in messages; empty: `name`
  bool asked_for = false;
  bool idle = false;  // asked for, and changes nothing
};

class Arguments {
 public:
  // `unknowns` and `findings` outlive this.
  Arguments(std::vector<LaunchArgument> arguments, const UnknownParts& unknowns, Findings& findings)
      : arguments_(std::move(arguments)), unknowns_(unknowns), findings_(findings) {}

  // True if the argument is given, without a value or with one that is not false.
  bool flag(std::string_view name);
  // Nothing if the argument is not given; a wrong or unknown value is a finding, too.
  std::optional<std::uint32_t> whole(std::string_view name);  // from 1
  std::optional<double> number(std::string_view name);
  std::optional<std::string> word(std::string_view name);
  std::vector<std::string> words(std::string_view name);
  // The same for a word that is used only if it is known.
  std::optional<std::string> known_word(std::string_view name);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // A finding at the argument, or at the command if it is not given.
  void refuse(std::string_view name, const std::string& expected, const std::string& found);
  // An argument that is needed and not given.
  void ask_for(std::string_view name, const std::string& what);
  // Marks arguments whose name matches the pattern (launch/shell/glob.h) as asked for and idle.
  // "NAME=VALUE" is for one value alone, in lower case; an empty one is no value.
  void pass_over(std::string_view pattern);

  // Marks an argument that a reader asked for, and that changes nothing in this job, as idle.
  void changes_nothing(std::string_view name);

  // Refuses a value with an unknown part, and names the variable to set. Returns true if it is known.
  bool expect_known(const ScriptWord& value, const std::string& place);

  std::vector<LaunchArgument> read() const;  // asked for, and not idle
  std::vector<LaunchArgument> idle() const;
  std::vector<LaunchArgument> left() const;
  const std::vector<LaunchArgument>& all() const { return arguments_; }
  Findings& findings() { return findings_; }
  std::string shown(const LaunchArgument& argument) const;

 private:
  const LaunchArgument* find(std::string_view name) const;
  const LaunchArgument* ask(std::string_view name);
  std::vector<LaunchArgument> those(bool (*chosen)(const LaunchArgument&)) const;
  // The single value of an argument, known.
  const ScriptWord* value(std::string_view name);

  std::vector<LaunchArgument> arguments_;
  const UnknownParts& unknowns_;
  Findings& findings_;
};

// "line 7, --num-layers", or "zero3.json, line 7, zero_optimization.stage"
std::string place_of(const LaunchArgument& argument);

// "--num_layers=4" is an argument with a value; a word that begins with "-" and a digit is a value.
// A word that the script adds under a condition that is not known is an argument without a name.
std::vector<LaunchArgument> arguments_of(const std::vector<ScriptWord>& words, const UnknownParts& unknowns);

// A command split at the program that trains.
struct LaunchCommand {
  std::vector<LaunchArgument> launcher;  // of torchrun, srun, ...
  std::string program;                   // "pretrain_gpt.py", "megatron sft"
  std::vector<LaunchArgument> arguments;
  std::map<std::string, ScriptWord, std::less<>> environment;
  std::size_t line;
  bool certain;
};

// Nothing if the command starts no Python program that trains.
std::optional<LaunchCommand> launch_command(const ScriptCommand& command, const UnknownParts& unknowns);

}  // namespace spillway
