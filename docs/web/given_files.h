// The files that a page gives the core, by path: those that come with the program, below kShipped, and those
// that an experiment names. They are all the files that there are.
#pragma once

#include <string>

#include "json/file_memory.h"

namespace spillway {

inline constexpr const char* kShipped = "/spillway";

// Forgets all files, so that others can have their paths.
void forget_files();
void give_file(const std::string& path, std::string text);

FileMemory& given_files();

}  // namespace spillway
