// What is at a path, asked without throwing: a path that cannot be looked at (no permission, a circle of
// links, a name that is too long) is none of these, and whoever opens it says why it cannot be. The one place
// that asks std::filesystem anything (tests/house/text_and_paths_test.cpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace spillway {

// Of what links lead to.
bool is_there(const std::filesystem::path& path);
bool is_missing(const std::filesystem::path& path);  // for certain
bool is_folder(const std::filesystem::path& path);
bool is_plain_file(const std::filesystem::path& path);
bool is_special(const std::filesystem::path& path);  // a device, a pipe, a socket
// Of the path itself, a link that leads nowhere included.
bool is_link(const std::filesystem::path& path);
bool is_taken(const std::filesystem::path& path);

// What the system says of a path where is_there is false: "No such file or directory".
std::string why_not_there(const std::filesystem::path& path);

std::uintmax_t size_of_file(const std::filesystem::path& path);  // 0 where there is none

// From the root; as it is where there is no current folder.
std::filesystem::path absolute_path(const std::filesystem::path& path);
// From the root, without . and .., links followed as far as they lead.
std::filesystem::path canonical_path(const std::filesystem::path& path);

// What a folder holds, by name. Throws InputError where that cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

std::error_code make_folders(const std::filesystem::path& folder);
std::error_code rename_file(const std::filesystem::path& from, const std::filesystem::path& to);
void remove_file(const std::filesystem::path& path);  // if it is there

}  // namespace spillway
