// An architecture from a Hugging Face config.json (families.h; config_section.h says which keys
// are held against the file and which passed over).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cost/layers/architecture.h"
#include "json/file_memory.h"
#include "model/model.h"

namespace spillway {

// What an experiment asks for beside the file.
struct ArchitectureOptions {
  std::optional<std::uint32_t> layers = {};  // instead of the file's
  bool multi_token_prediction = false;  // lay out the layers that published totals leave out, behind the last
  bool fused_attention = true;
  bool separate_vocabulary = false;  // embedding and head as layers of their own, which `layers` leaves out

  friend bool operator==(const ArchitectureOptions&, const ArchitectureOptions&) = default;
};

// The section by role: an encoder's "vision_config"; a language model's "text_config" where there is one,
// else the whole file. The model_type is the section's where a family has that name, else the file's. A
// generator is a diffusion transformer where _class_name says so, else a language model. Throws InputError
// with every violation.
Architecture read_architecture(const std::string& path, Role role, const ArchitectureOptions& options,
                               const Files& files = {});

// What of a config.json is covered: each part of its model as it would be read, or why it is refused.
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
