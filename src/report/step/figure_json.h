// A figure over draws as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace spillway {

// Returns a number for one draw, and an object for several, even if they are equal. Null if a value is not
// finite.
nlohmann::ordered_json figure_json(const std::vector<double>& values);

}  // namespace spillway
