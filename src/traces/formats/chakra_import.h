// Makes a Trace of the nodes of Chakra's execution traces, whatever their files. Private to src/traces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/events/trace.h"
#include "traces/formats/chakra_play.h"

namespace spillway {

// A file for each rank. `format` is the trace's. Throws InputError if nothing computes or communicates.
Trace import_chakra(std::vector<ChakraFile> files, std::string_view format);

// "3" of "NAME.3.et" or "NAME_3.json". A name without a number gets its place among the files.
std::string number_of_file(const std::string& path, std::size_t place);

}  // namespace spillway
