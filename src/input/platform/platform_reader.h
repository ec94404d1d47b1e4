// Reads a platform from its JSON form (platform/platform.h), in its own file or inside another document.
#pragma once

#include <optional>
#include <string>

#include "json/file_memory.h"
#include "json/node.h"
#include "platform/platform.h"

namespace spillway {

struct Place;

// Throws InputError with every violation. `changes` are made to the document before it is read: values by
// JSON pointer.
Platform read_platform(const std::string& path, const Object& changes = {}, const Files& files = {});

// Reads a platform from a document that is not written yet. `path` is its future place. Throws InputError.
Platform read_platform_text(const std::string& text, const std::string& path);

// Files that it names are relative to the document.
std::optional<Platform> read_platform(const Place& place);

}  // namespace spillway
