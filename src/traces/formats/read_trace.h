// Reads a file or folder as a Trace. Its content decides the format.
#pragma once

#include <string>
#include <string_view>

#include "json/source.h"
#include "traces/events/trace.h"

namespace spillway {

// trace_formats.h describes how formats are recognized. Throws InputError, with file and line or offset, if
// the format is unknown or the file is unusable (a truncated archive, no events).
Trace read_trace(const std::string& path);

// Returns the first 65536 bytes of a file, unpacked, without leading blanks. Throws InputError if it cannot
// be read.
std::string beginning_of(const std::string& path);

// Returns true for one of our documents, false for a trace. A text is a document. Only the beginning of a
// file is read, because a trace may be a gigabyte.
bool is_own_document(const Source& source);

// Return true if a file with this beginning may be JSON, or is a trace that is not JSON.
bool begins_json(std::string_view beginning);
bool begins_trace(std::string_view beginning);

}  // namespace spillway
