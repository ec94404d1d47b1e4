// Output files appear whole or not at all: written beside their place, then renamed into it.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

namespace spillway {

// Makes the folders on the way and replaces a file that is there. Throws InputError, naming the path, where
// the file cannot be made or written; whatever `write` throws leaves no file behind either.
void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace spillway
