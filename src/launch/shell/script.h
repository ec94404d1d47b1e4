// Reads a shell script without running it: the commands that it would run, with their words expanded.
//
// Assignments, arrays, conditions, loops, functions and texts that a shell is given (bash -c, eval, sbatch
// <<EOF) are followed. No program runs and no other file is read, so that the output of a program, a file and
// a variable of the environment are unknown parts of the words; whoever needs such a part asks for it by
// name. If a condition is not known, what would be done under it is kept as an unknown part.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "launch/shell/marks.h"

namespace spillway {

struct ScriptWord {
  std::string text;  // may have marks of unknown parts (launch/shell/marks.h), but none of lines
  std::size_t line;
};

struct ScriptCommand {
  std::vector<ScriptWord> words;  // the first is the program
  // NAME=value before the program, and the script's own NPROC_PER_NODE and the like.
  std::map<std::string, ScriptWord, std::less<>> environment;
  bool certain;  // false: under a condition that is not known
};

struct ScriptNote {
  std::size_t line;
  std::string text;
};

struct ScriptReading {
  // Those with an argument that begins with "--", or a YAML file as one.
  std::vector<ScriptCommand> commands = {};
  std::vector<ScriptWord> sbatch = {};  // "--nodes=4" of "#SBATCH --nodes=4"
  std::vector<ScriptNote> notes = {};   // files that are not read, variables taken as empty
  UnknownParts unknowns = {};
};

// A variable of the script, or of the environment, or $1; it keeps this value whatever the script assigns.
using ScriptSettings = std::vector<std::pair<std::string, std::string>>;

// Every error of the script and of the settings is a finding.
ScriptReading read_script(const std::string& text, const ScriptSettings& settings, Findings& findings);

}  // namespace spillway
