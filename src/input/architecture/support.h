// What of a config.json is covered: each part of its model as it would be read, or why it is refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "input/architecture/architecture_reader.h"
#include "json/file_memory.h"

namespace spillway {

struct SupportedPart {
  std::string name;        // "language model", "vision tower", "generator", or a section's key
  std::string section;     // JSON pointer
  std::string model_type;  // "" where the file names none
  std::optional<Architecture> architecture;  // nothing where it is refused
  std::vector<std::string> assumes;          // sentences
  std::vector<std::string> read, idle;       // keys that were asked for, and those that change nothing
  std::vector<Violation> refused;
};

// In the file's order of reading: tower, language model, what no reader knows. Layers of multi-token
// prediction are left out, as published counts have it. Throws InputError where the file is no object.
std::vector<SupportedPart> read_support(const std::string& path, const Files& files = {});

}  // namespace spillway
