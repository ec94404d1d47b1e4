// A system (src/systems) and the options beside its name, before its layout.
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

// Returns "system" and the options of all systems.
std::vector<std::string_view> system_keys();

// Contract: `fields` has the key "system". Refuses an option of another system by name.
std::optional<SystemChoice> read_system_choice(const Fields& fields);

}  // namespace spillway
