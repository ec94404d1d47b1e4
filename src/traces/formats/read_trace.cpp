#include "traces/formats/read_trace.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "json/byte_source.h"
#include "json/json_text.h"
#include "traces/formats/trace_format_list.h"

namespace spillway {
namespace {

// "PyTorch, Megatron or spillway"
template <class Formats, class Words>
std::string list_of(const Formats& formats, Words words, const std::string& between,
                    const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (i > 0) text += i + 1 < formats.size() ? between : last;
    text += words(*formats[i]);
  }
  return text;
}

// Only Nsight Systems reads its own format of reports.
bool is_nsight_report(std::string_view path) {
  return path.ends_with(".nsys-rep") || path.ends_with(".qdrep");
}

[[noreturn]] void refuse(const std::string& path, std::string found) {
  const std::string folders = list_of(
      kEveryFolderFormat, [](const FolderFormat& format) { return format.holds; }, ", of ", " or of ");
  const std::string files = list_of(
      kEveryFileFormat, [](const FileFormat& format) { return format.is; }, ", ", " or ");
  if (is_nsight_report(path))
    found = "a report in Nsight Systems' own format: convert it with nsys export --type sqlite";
  throw InputError({{path, "/", "a trace: Chrome trace-event JSON, a folder of " + folders + ", " + files,
                     std::move(found)}});
}

const FileFormat* file_format_of(std::string_view beginning) {
  const auto format = std::find_if(kEveryFileFormat.begin(), kEveryFileFormat.end(),
                                   [&](const FileFormat* each) { return each->begins(beginning); });
  return format == kEveryFileFormat.end() ? nullptr : *format;
}

std::string first_bytes(const std::string& path) {
  std::array<char, 65536> buffer;
  ByteSource source(path);
  return {buffer.data(), source.read(buffer)};
}

// Removes the byte order mark and leading blanks.
std::string_view without_mark(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  return bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
}

Trace read_trace_folder(const std::string& path) {
  for (const FolderFormat* format : kEveryFolderFormat)
    if (format->is_of(path)) return format->read(path);
  refuse(path, "a folder of another kind");
}

}  // namespace

Trace read_trace(const std::string& path) {
  if (is_folder(path)) return read_trace_folder(path);
  const std::string bytes = first_bytes(path);
  const std::string_view text = without_mark(bytes);
  for (const std::string_view beginning : {std::string_view(bytes), text})
    if (const FileFormat* format = file_format_of(beginning)) return format->read(path);
  if (begins_json(text)) return event_format_of(path).read(path);
  const std::string line(text.substr(0, text.find_first_of("\r\n")));
  refuse(path, text.empty() ? "an empty file" : "a file that begins with " + in_quotes(line));
}

const EventFormat& event_format_of(const std::string& path) {
  constexpr std::string_view arguments[] = {"name"};
  const EventFormat* writer = nullptr;
  std::string first;
  const auto read = read_json_events(path, arguments, [&](const JsonEvent& event) {
    for (const EventFormat* format : kEveryEventFormat)
      if (!writer && format->wrote(event)) writer = format;
    if (event.number <= 3) first += (first.empty() ? ", the first named " : ", ") + event.name;
    return !writer;
  });
  if (writer) return *writer;
  const std::string writers = list_of(
      kEveryEventFormat, [](const EventFormat& format) { return format.writer; }, ", ", " or ");
  throw InputError({{path, "/", "a trace of " + writers, std::to_string(read.events) + " events" + first}});
}

std::string beginning_of(const std::string& path) {
  return std::string(without_mark(first_bytes(path)));
}

// Logs begin with '[', too: "[1,0]<stdout>:", "[0] ", "[pod/launcher/main] ". Lists of events hold objects.
bool begins_json(std::string_view beginning) {
  if (beginning.starts_with('{')) return true;
  if (!beginning.starts_with('[')) return false;
  const std::size_t first = beginning.find_first_not_of(" \t\r\n", 1);
  return first == std::string_view::npos || beginning[first] == '{' || beginning[first] == ']';
}

bool begins_trace(std::string_view beginning) {
  return file_format_of(beginning) != nullptr;
}

bool is_own_document(const Source& source) {
  if (source.text) return true;
  return is_plain_file(source.file) && names_our_schema(beginning_of(source.file));
}

}  // namespace spillway
