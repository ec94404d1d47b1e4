// Files that come with the program, found by name: "platform": "cloudmatrix384", `spillway run experiment-a`.
#pragma once

#include <string>
#include <string_view>

#include "json/source.h"

namespace spillway {

// The path itself where its last part ends in .json or .csv, or there is something of that name. Else, for a
// value of `key` ("platform", "framework", "architecture", "trace", "images_per_sample",
// "text_tokens", "experiment", "job", "sweep", "cases", "known_errors"), the shipped file of that name; where there is none,
// the path again. Shipped files lie in the folder that the environment's SPILLWAY_DATA names, else in
// share/spillway of the nearest folder above the program that has one, or in a clone that it was built in.
std::string shipped_or(const std::string& path, std::string_view key);
Source shipped_source(Source source, std::string_view key);

}  // namespace spillway
