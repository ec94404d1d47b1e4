// Finds files that come with the program by name: "platform": "cloudmatrix384", `spillway run experiment-a`.
#pragma once

#include <string>
#include <string_view>

#include "json/source.h"

namespace spillway {

// Returns the path itself if its last part ends in .json or .csv, or if it exists. Else returns the shipped
// file of that name for a value of `key` ("platform", "framework", "architecture", "trace",
// "images_per_sample", "text_tokens", "order_file", "file" of a platform's tables, "experiment", "job",
// "sweep", "cases", "recorded" trace, "known_errors"), or the path itself if there is none. Shipped files are
// in the folder that the environment variable SPILLWAY_DATA names. Without it they are in share/spillway of
// the nearest folder above the program that has one, or in the clone in which the program was built.
std::string shipped_or(const std::string& path, std::string_view key);

// The same for an argument of a command. Throws InputError if there is no such file, and a shipped one has a
// name so near that it may be meant.
std::string shipped_argument(const std::string& path, std::string_view key);
Source shipped_source(Source source, std::string_view key);

// Returns words for a message about a missing file: ", or the shipped \"hgx-h100\"" if the last part of its
// path is near to that name, or a part of it between hyphens; empty otherwise.
std::string or_the_shipped(const std::string& path, std::string_view key);

}  // namespace spillway
