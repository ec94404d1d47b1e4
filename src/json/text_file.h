// Reads a whole text file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/findings.h"
#include "json/file_memory.h"

namespace spillway {

// Larger inputs are refused before they are read to the end.
inline constexpr std::size_t kLargestFile = std::size_t{16} << 20;

// The file's text without a byte-order mark. A missing, unreadable, too large or non-UTF-8 file is a finding.
std::optional<std::string> read_file(const std::string& path, Findings& findings, const Files& files = {});

// The same for an optional file: a missing file gives nothing and no finding.
std::optional<std::string> read_file_if_any(const std::string& path, Findings& findings, const Files& files);

}  // namespace spillway
