// A config.json and a part of it, with what reading it knew beside the architecture. Private to src/input.
#pragma once

#include <string>
#include <vector>

#include "base/findings.h"
#include "input/architecture/architecture_reader.h"
#include "json/node.h"

namespace spillway {

struct ReadPart {
  Architecture architecture;
  std::vector<std::string> assumes;  // sentences
  std::vector<std::string> read;     // keys of its section that were asked for
  std::vector<std::string> idle;     // and those that change nothing
};

// An object. As readers of these files take them: Infinity and NaN are numbers, comments are passed over.
// Throws InputError.
Node read_config(const std::string& path, Findings& findings, const Files& files);

// read_architecture of a document. Throws InputError with every violation.
ReadPart read_part(const Node& document, Role role, const ArchitectureOptions& options, Findings& findings);

}  // namespace spillway
