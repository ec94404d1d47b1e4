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
#include "measured/files/line_source.h"
#include "measured/formats/ascend_folder.h"
#include "measured/formats/chrome_trace.h"
#include "measured/formats/straggler_csv.h"
#include "measured/formats/trace_csv.h"

namespace spillway {
namespace {

// How a file begins, unpacked, without what is blank before.
std::string beginning(const std::string& path) {
  std::array<char, 4096> buffer;
  ByteSource source(path);
  std::string text(buffer.data(), source.read(buffer));
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text.erase(0, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

bool is_straggler_header(std::string_view line) {
  std::vector<std::string_view> columns;
  split_csv(line, columns);
  return std::find(columns.begin(), columns.end(), "optype") != columns.end();
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

[[noreturn]] void refuse(const std::string& path, const std::string& found) {
  throw InputError(
      {{path, "/",
        "a trace: Chrome trace-event JSON, a folder of an Ascend profiler or of one JSON file per "
        "process, a CSV file with a column optype, or one that begins with \"" +
            std::string(kTraceCsvMark) + '"',
        found}});
}

}  // namespace

Trace read_trace(const std::string& path) {
  if (is_ascend_folder(path)) return read_ascend_folder(path);
  if (is_chrome_folder(path)) return read_chrome_folder(path);
  if (is_folder(path)) refuse(path, "a folder without either");
  const std::string text = beginning(path);
  const std::string_view line = first_line(text);
  if (text.starts_with('{') || text.starts_with('[')) return read_chrome_trace(path);
  if (text.starts_with(kTraceCsvMark)) return read_trace_csv(path);
  if (is_straggler_header(line)) return read_straggler_csv(path);
  refuse(path, text.empty() ? "an empty file" : "a file that begins with " + in_quotes(line));
}

bool is_trace_csv(const std::string& path) {
  const std::string text = beginning(path);
  return text.starts_with(kTraceCsvMark) || is_straggler_header(first_line(text));
}

}  // namespace spillway
