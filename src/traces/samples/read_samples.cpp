#include "traces/samples/read_samples.h"

#include <string_view>
#include <vector>

#include "base/error.h"
#include "traces/files/line_source.h"
#include "traces/samples/foreign_outputs.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/operator_csv.h"
#include "traces/samples/sample_formats.h"

namespace spillway {
namespace {

// Log lines of a library may stand above the heading.
constexpr std::size_t kHeadingWithin = 200'000;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// "vidur, aiconfigurator, nccl-tests or hccl_test"
std::string whose() {
  std::vector<std::string_view> names;
  for (const SampleFormat* format : kSampleFormats)
    if (!format->of.empty()) names.push_back(format->of);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " or ";
    text += names[i];
  }
  return text;
}

bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || is_blank(line[at - 1])) && (end == line.size() || is_blank(line[end]))) return true;
  }
  return false;
}

// Tables of text have the words between blanks, so that transcriptions as CSV do not look like them.
bool is_heading(const SampleFormat& format, std::string_view line) {
  const auto has = [&](std::string_view word) {
    return format.text ? has_word(line, word) : line.find(word) != std::string_view::npos;
  };
  return has(format.words[0]) && has(format.words[1]);
}

}  // namespace

std::optional<CollectiveOperation> operation_named(std::string_view text) {
  return operation_in(text);
}

Samples read_samples(const std::string& path, const TimedGroup& given) {
  LineSource lines(path);
  std::size_t remarks = 0;  // lines so far that are no CSV
  for (std::size_t i = 0; i < kHeadingWithin; ++i) {
    const auto line = lines.next();
    if (!line) break;
    const bool csv = !line->starts_with('#') && line->find(',') != std::string_view::npos;
    for (const SampleFormat* format : kSampleFormats)
      if (is_heading(*format, *line)) return format->read(path, given);
    if (const ForeignOutput* output = foreign_output(*line))
      throw InputError({{path, lines.place(), std::string(output->instead),
                         "the output of " + std::string(output->program)}});
    if (csv && lines.number() == 1 + remarks && is_operator_csv(path)) return read_operator_csv(path);
    remarks += !csv;
  }
  throw InputError(
      {{path, "/",
        "measurements of " + whose() +
            ", or a CSV file with columns such as size_bytes and time_us, or m, n, k and time_us",
        "none of their headings"}});
}

}  // namespace spillway
