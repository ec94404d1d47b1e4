// Values of a report, whatever it says: nothing where there is no such value. Private to src/compare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/node.h"

namespace spillway {

std::optional<double> number_in(const Node* node);
std::optional<std::uint64_t> whole_in(const Node& node, std::string_view key);
std::string text_in(const Node& node, std::string_view key);  // "" where there is none

// Of one draw, or of several that part of its object.
std::optional<double> figure_in(const Node& of, std::string_view key, std::string_view part = "mean");

}  // namespace spillway
