#include "measured/formats/read_trace.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "measured/files/byte_source.h"
#include "measured/formats/trace_formats.h"
#include "spec/json/json_text.h"

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

[[noreturn]] void refuse(const std::string& path, const std::string& found) {
  const std::string folders = list_of(
      kFolderFormats, [](const FolderFormat& format) { return format.holds; }, ", of ", " or of ");
  const std::string texts = list_of(
      kTextFormats, [](const TextFormat& format) { return format.is; }, ", one ", ", or one ");
  throw InputError(
      {{path, "/", "a trace: Chrome trace-event JSON, a folder of " + folders + ", a CSV file " + texts,
        found}});
}

const TextFormat* text_format_of(std::string_view beginning) {
  const auto format = std::find_if(kTextFormats.begin(), kTextFormats.end(),
                                   [&](const TextFormat* each) { return each->begins(beginning); });
  return format == kTextFormats.end() ? nullptr : *format;
}

Trace read_trace_folder(const std::string& path) {
  for (const FolderFormat* format : kFolderFormats)
    if (format->is_of(path)) return format->read(path);
  refuse(path, "a folder of another kind");
}

}  // namespace

Trace read_trace(const std::string& path) {
  if (is_folder(path)) return read_trace_folder(path);
  const std::string text = beginning_of(path);
  if (begins_json(text)) return event_format_of(path).read(path);
  if (const TextFormat* format = text_format_of(text)) return format->read(path);
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  refuse(path, text.empty() ? "an empty file" : "a file that begins with " + in_quotes(line));
}

const EventFormat& event_format_of(const std::string& path) {
  constexpr std::string_view arguments[] = {"name"};
  const EventFormat* writer = nullptr;
  std::string first;
  const auto read = read_json_events(path, arguments, [&](const JsonEvent& event) {
    for (const EventFormat* format : kEventFormats)
      if (!writer && format->wrote(event)) writer = format;
    if (event.number <= 3) first += (first.empty() ? ", the first named " : ", ") + event.name;
    return !writer;
  });
  if (writer) return *writer;
  const std::string writers = list_of(
      kEventFormats, [](const EventFormat& format) { return format.writer; }, ", ", " or ");
  throw InputError({{path, "/", "a trace of " + writers, std::to_string(read.events) + " events" + first}});
}

std::string beginning_of(const std::string& path) {
  std::array<char, 65536> buffer;
  ByteSource source(path);
  std::string text(buffer.data(), source.read(buffer));
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text.erase(0, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

bool begins_json(std::string_view beginning) {
  return beginning.starts_with('{') || beginning.starts_with('[');
}

bool begins_trace_csv(std::string_view beginning) {
  return text_format_of(beginning) != nullptr;
}

bool is_own_document(const Source& source) {
  if (source.text) return true;
  return is_plain_file(source.file) && names_our_schema(beginning_of(source.file));
}

}  // namespace spillway
