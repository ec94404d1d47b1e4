// A gap as JSON: "gap" of a schedule in spillway/explanation/1.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "explain/gap.h"
#include "json/settings.h"

namespace spillway {

// [ { "pointer", "value" } ]
nlohmann::ordered_json settings_json(const std::vector<Setting>& settings);
nlohmann::ordered_json gap_json(const GapAccount& account);

}  // namespace spillway
