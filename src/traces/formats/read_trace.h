// From a file or folder to a Trace, whatever its format: looked at, never told.
#pragma once

#include <string>
#include <string_view>

#include "json/source.h"
#include "traces/events/trace.h"

namespace spillway {

// Formats and how they are told apart: trace_formats.h. Throws InputError, file and line or offset named,
// where the format is none of ours or the file is broken beyond use (a truncated archive, no events).
Trace read_trace(const std::string& path);

// How a file begins, unpacked, without what is blank in front: the first 65536 bytes. Throws InputError where
// it cannot be read.
std::string beginning_of(const std::string& path);

// Is it a document of ours rather than a trace? A text is; of a file what it begins with is looked at, for a
// trace may be a gigabyte.
bool is_own_document(const Source& source);

// What a file that begins like this may be: JSON; one of the traces that are none.
bool begins_json(std::string_view beginning);
bool begins_trace(std::string_view beginning);

}  // namespace spillway
