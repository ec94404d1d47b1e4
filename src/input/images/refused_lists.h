// Names files that people give as lists of images and that are none, with what to give instead. Private to
// src/input.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/node.h"

namespace spillway {

// What to do about a folder or a file whose images are inside of Parquet files.
inline constexpr std::string_view kInsteadOfParquet =
    "write its width and height columns as CSV (duckdb -c \"copy (select width, height from 'x.parquet') to "
    "'x.csv' (header)\"), or its images into a folder";

// By the first bytes of a file; nothing for any other text.
std::optional<std::string> refused_format(std::string_view text);

// By the keys of a document in JSON.
std::optional<std::string> refused_document(const Object& document);

}  // namespace spillway
