// Parameters of a stack of layers, by what they are part of.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cost/layers/architecture.h"

namespace spillway {

struct ParameterPart {
  std::string_view name;     // "attention", "routed experts", ...
  std::uint64_t parameters;  // they sum to the stack's
  std::uint64_t active;      // that a token passes through; they sum to active_parameters

  friend bool operator==(const ParameterPart&, const ParameterPart&) = default;
};

// In the order in which a token meets them; parts without parameters are left out.
std::vector<ParameterPart> parameter_parts(const LayerStack& stack);

}  // namespace spillway
