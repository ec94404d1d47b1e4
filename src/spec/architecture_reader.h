// An architecture from a Hugging Face config.json (cost/architecture.h says which).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cost/architecture.h"
#include "model/model.h"

namespace spillway {

// `layers` replaces the file's number of layers. Keys that do not fix sizes are passed over: such files have
// many. Throws InputError with every violation.
Architecture read_architecture(const std::string& path, Role role, std::optional<std::uint32_t> layers);

}  // namespace spillway
