// A platform from its JSON form (platform/platform.h), in a file of its own or inside another document.
#pragma once

#include <optional>
#include <string>

#include "platform/platform.h"

namespace spillway {

struct Place;

// Throws InputError with every violation.
Platform read_platform(const std::string& path);

// The files it names are relative to the document.
std::optional<Platform> read_platform(const Place& place);

}  // namespace spillway
