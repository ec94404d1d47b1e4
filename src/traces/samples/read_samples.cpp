#include "traces/samples/read_samples.h"

#include <string_view>
#include <vector>

#include "base/error.h"
#include "traces/files/line_source.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/operator_csv.h"
#include "traces/samples/sample_formats.h"

namespace spillway {
namespace {

// Log lines of a library may stand above the heading.
constexpr std::size_t kHeadingWithin = 20'000;

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
    for (const SampleFormat* format : kSampleFormats) {
      const auto has = [&](std::string_view word) { return line->find(word) != std::string_view::npos; };
      if (has(format->words[0]) && has(format->words[1]) && !(format->text && csv))
        return format->read(path, given);
    }
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
