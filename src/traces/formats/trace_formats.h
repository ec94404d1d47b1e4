// The formats of traces: how each is told and read. One more is a file that defines one of these records;
// nothing else knows of it, for CMake lists the records that it finds in this folder: kEveryFolderFormat and
// so on, trace_format_list.h, in the order of the files, on which nothing rests. Private to src/traces.
#pragma once

#include <string>
#include <string_view>

#include "traces/events/trace.h"
#include "traces/files/json_events.h"

namespace spillway {

// Of a path that is of the format. Throws InputError: a broken file with its line or offset, and one that
// holds nothing but what importers drop.
using ReadTrace = Trace(const std::string& path);

// A folder of a profiler.
struct FolderFormat {
  std::string_view holds;  // "a folder of ..."
  bool (*is_of)(const std::string& folder);
  ReadTrace* read;
};

// Chrome trace-event JSON, plain or packed. Told by the first event that only one of the writers writes.
struct EventFormat {
  std::string_view writer;                // "a trace of ..."
  bool (*wrote)(const JsonEvent& event);  // its one argument is args.name
  ReadTrace* read;
};

// Any other file. Told by its first 65536 bytes, unpacked, before it is asked whether it is JSON.
struct FileFormat {
  std::string_view is;
  bool (*begins)(std::string_view bytes);
  ReadTrace* read;
};

// Who wrote a file of trace events. Throws InputError where it is broken or nobody's, with the names of its
// first events.
const EventFormat& event_format_of(const std::string& path);

}  // namespace spillway
