// Reads a framework from its JSON form (platform/framework.h), in its own file or inside another document.
#pragma once

#include <optional>
#include <string>

#include "json/file_memory.h"
#include "json/node.h"
#include "platform/framework.h"

namespace spillway {

struct Place;

// Throws InputError with every violation. `changes` are made to the document before it is read: values by
// JSON pointer. check_framework checks what depends on the accelerator.
Framework read_framework(const std::string& path, const Object& changes, const Files& files);

std::optional<Framework> read_framework(const Place& place);

}  // namespace spillway
