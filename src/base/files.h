// Questions about paths that do not throw. Every question is false for a path that cannot be examined (no
// permission, a cycle of links, a name that is too long); the code that opens the path reports why. Only this
// file calls std::filesystem (tests/house/text_and_paths_test.cpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace spillway {

// These follow links.
bool is_there(const std::filesystem::path& path);
bool is_missing(const std::filesystem::path& path);  // for certain
bool is_folder(const std::filesystem::path& path);
bool is_plain_file(const std::filesystem::path& path);
bool is_special(const std::filesystem::path& path);  // a device, a pipe, a socket
// These look at the path itself, so a broken link counts.
bool is_link(const std::filesystem::path& path);
bool is_taken(const std::filesystem::path& path);

// The system's error for a path for which is_there is false: "No such file or directory".
std::string why_not_there(const std::filesystem::path& path);

std::uintmax_t size_of_file(const std::filesystem::path& path);  // 0 where there is none

// The path from the root; unchanged if there is no current folder.
std::filesystem::path absolute_path(const std::filesystem::path& path);
// The path from the root, without . and .., with links resolved as far as they lead.
std::filesystem::path canonical_path(const std::filesystem::path& path);

// The entries of a folder, sorted by name. Throws InputError if the folder cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

std::error_code make_folders(const std::filesystem::path& folder);
std::error_code rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
void remove_file(const std::filesystem::path& path);  // if it is there

}  // namespace spillway
