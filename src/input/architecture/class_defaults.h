// The sizes that configuration classes of transformers give where a file leaves them out. The files of
// composed models hold only what differs from these, in the sections of their parts. Private to src/input.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace spillway {

struct ClassDefault {
  std::string_view key;
  std::uint32_t value;
};

// Returns an empty list for a model_type whose sections are always written out.
std::span<const ClassDefault> class_defaults(std::string_view model_type);

}  // namespace spillway
