// The formats of traces: how each is told and read. One more is a file that defines one of these records, and
// its name here, twice; nothing else knows of it. Formats are looked for in the order of their list. Private
// to src/measured.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "measured/files/json_events.h"
#include "measured/trace/trace.h"

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
extern const FolderFormat kAscendFolder, kPipelineDump, kNsightFolder, kChakraFolder, kKinetoFolder;
inline constexpr std::array kFolderFormats = {&kAscendFolder, &kPipelineDump, &kNsightFolder, &kChakraFolder,
                                              &kKinetoFolder};

// Chrome trace-event JSON, plain or packed. Told by the first event that only one of the writers writes.
struct EventFormat {
  std::string_view writer;                // "a trace of ..."
  bool (*wrote)(const JsonEvent& event);  // its one argument is args.name
  ReadTrace* read;
};
extern const EventFormat kKineto, kMegatronTrace, kAscendTraceView, kOwnTrace;
inline constexpr std::array kEventFormats = {&kKineto, &kMegatronTrace, &kAscendTraceView, &kOwnTrace};

// Any other file. Told by its first 65536 bytes, unpacked, before it is asked whether it is JSON.
struct FileFormat {
  std::string_view is;
  bool (*begins)(std::string_view bytes);
  ReadTrace* read;
};
extern const FileFormat kStragglerCsv, kTraceCsv, kNsight, kChakra, kPipelineDumpFile;
inline constexpr std::array kFileFormats = {&kStragglerCsv, &kTraceCsv, &kNsight, &kChakra,
                                            &kPipelineDumpFile};

// Who wrote a file of trace events. Throws InputError where it is broken or nobody's, with the names of its
// first events.
const EventFormat& event_format_of(const std::string& path);

}  // namespace spillway
