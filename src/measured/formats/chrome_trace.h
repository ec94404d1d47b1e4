// Chrome trace-event files, whoever wrote them: PyTorch, Megatron, Ascend's profiler, or this program.
#pragma once

#include <string>

#include "measured/trace/trace.h"

namespace spillway {

// Told apart by content: the first event that only one of them writes. Plain or gzipped. Throws InputError
// where the file is no such trace (with the names of its first events), is broken (with the offset), or holds
// nothing but what importers drop.
Trace read_chrome_trace(const std::string& path);

// A folder with one .json or .json.gz per process of a PyTorch job, in the order of their names; other files
// are left alone. Throws InputError where there is none, or one of them is of another kind.
Trace read_chrome_folder(const std::string& path);

// Does the folder itself hold a .json or .json.gz file?
bool is_chrome_folder(const std::string& path);

}  // namespace spillway
