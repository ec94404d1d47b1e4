// Parameters of a stack of layers, by the part of the model they belong to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cost/layers/architecture.h"

namespace spillway {

struct ParameterPart {
  std::string_view name;     // "attention", "routed experts", ...
  std::uint64_t parameters;  // all parts sum to the stack's
  std::uint64_t active;      // parameters that a token passes through; all parts sum to active_parameters

  friend bool operator==(const ParameterPart&, const ParameterPart&) = default;
};

// In the order in which a token meets the parts; parts without parameters are left out.
std::vector<ParameterPart> parameter_parts(const LayerStack& stack);

}  // namespace spillway
