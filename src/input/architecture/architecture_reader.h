// Reads an architecture from a Hugging Face config.json. families.h has the families; config_section.h says
// which keys are checked and which are ignored.
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

// An experiment states these beside the file.
struct ArchitectureOptions {
  std::optional<std::uint32_t> layers = {};  // replaces the file's number
  bool multi_token_prediction = false;  // add these layers after the last one; published totals omit them
  bool fused_attention = true;
  bool separate_vocabulary = false;  // embedding and head are separate layers, not counted in `layers`
  // The tower that an encoder takes. If absent, it takes the vision tower, unless the file has only an audio
  // tower.
  std::optional<Modality> modality = {};

  friend bool operator==(const ArchitectureOptions&, const ArchitectureOptions&) = default;
};

// The role chooses the section: an encoder's "vision_config" or "audio_config"; a language model's
// "text_config" (or "llm_config", "language_config") if there is one, otherwise the whole file. A model that
// also speaks has these in its "thinker_config". The model_type is the section's if a family has that name,
// otherwise the file's. A generator is a diffusion transformer if _class_name says so, otherwise a language
// model. Throws InputError with every violation.
Architecture read_architecture(const std::string& path, Role role, const ArchitectureOptions& options,
                               const Files& files = {});

// The file's own model_type: "qwen2_5_vl". "" if it names none.
std::string model_type_of(const std::string& path, const Files& files = {});

// A part of a config.json's model: its architecture, or why it is refused.
struct SupportedPart {
  std::string name;        // "language model", "vision tower", "audio tower", "generator", or a section's key
  std::string section;     // JSON pointer
  std::string model_type;  // "" if the file names none
  std::optional<Architecture> architecture;  // absent if it is refused
  std::vector<std::string> assumes;          // sentences
  std::vector<std::string> read, idle;       // keys that were read, and keys that change nothing
  std::vector<Violation> refused;
};

// Returns the parts in the order of reading: vision tower, audio tower, language model, then parts that no
// family reads. Layers of multi-token prediction are left out, as in published counts. Throws InputError if
// the file is no object.
std::vector<SupportedPart> read_support(const std::string& path, const Files& files = {});

}  // namespace spillway
