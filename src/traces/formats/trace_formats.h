// The formats of traces: how each is recognized and read. A new format is a file that defines one of these
// records; no other file names it. CMake lists the records that it finds in this folder as kEveryFolderFormat
// and so on (trace_format_list.h), in the order of the files. Nothing depends on that order. Private to
// src/traces.
#pragma once

#include <string>
#include <string_view>

#include "traces/events/trace.h"
#include "traces/files/json_events.h"

namespace spillway {

// Reads a path of the format. Throws InputError for a broken file, with its line or offset, and for a file
// that holds only events that importers drop.
using ReadTrace = Trace(const std::string& path);

// A profiler's folder.
struct FolderFormat {
  std::string_view holds;  // "a folder of ..."
  bool (*is_of)(const std::string& folder);
  ReadTrace* read;
};

// Chrome trace-event JSON, plain or packed. The first event that only one writer writes decides.
struct EventFormat {
  std::string_view writer;                // "a trace of ..."
  bool (*wrote)(const JsonEvent& event);  // its one argument is args.name
  ReadTrace* read;
};

// Any other file. Its first 65536 bytes, unpacked, are checked before JSON is tried.
struct FileFormat {
  std::string_view is;
  bool (*begins)(std::string_view bytes);
  ReadTrace* read;
};

// Returns the writer's format of a file of trace events. Throws InputError if the file is broken or no format
// fits; the error names its first events.
const EventFormat& event_format_of(const std::string& path);

}  // namespace spillway
