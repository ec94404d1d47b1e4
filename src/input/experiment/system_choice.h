// A system (src/systems) and the options that stand beside its name, before it is laid over a pipeline.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "json/place.h"
#include "systems/system.h"

namespace spillway {

struct SystemChoice {
  const System* system;
  SystemOptions options;
};

// "system" and every option of one.
std::vector<std::string_view> system_keys();

// Contract: `fields` has the key "system". An option of another system is refused by name.
std::optional<SystemChoice> read_system_choice(const Fields& fields);

}  // namespace spillway
