// Parses a program's document from front to back. Actions and samples are read as they pass; the rest, which
// is small, stays text. Private to src/program.
#pragma once

#include <string>
#include <vector>

#include "base/findings.h"
#include "json/source.h"
#include "program/action_reader.h"
#include "program/rank_actions.h"

namespace spillway {

struct ParsedProgram {
  std::string head;                                 // the document with empty lists of actions and samples
  std::vector<std::vector<ProgramSample>> samples;  // as many as there are
  std::vector<RankActions> ranks;                   // by the element of "programs"; its rest may be empty
  Numbered<MessageSize> sizes;
};

// Adds what is wrong with single actions and samples to the findings. Throws InputError if the file cannot be
// read or is not JSON, also if it ends too early; the error names the byte.
ParsedProgram parse_program(const Source& source, Findings& findings);

}  // namespace spillway
