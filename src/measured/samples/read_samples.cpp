#include "measured/samples/read_samples.h"

#include <array>
#include <string_view>

#include "base/error.h"
#include "measured/files/line_source.h"
#include "measured/samples/operator_csv.h"
#include "measured/samples/sample_formats.h"

namespace spillway {
namespace {

// How a format is told by its heading, and who reads it.
struct SampleFormat {
  std::array<std::string_view, 2> words;  // both in one line
  bool text;                              // a table of text rather than CSV
  Samples (*read)(const std::string& path);
};
constexpr std::array kFormats = {SampleFormat{{"time_stats.", "num_workers"}, false, read_vidur_csv},
                                 SampleFormat{{"nccl_dtype", "message_size"}, false, read_aiconfigurator_csv},
                                 SampleFormat{{"algbw", "busbw"}, true, read_nccl_tests_text},
                                 SampleFormat{{"data_size", "time(us)"}, false, read_hccl_test_text},
                                 SampleFormat{{"size_", "time_"}, false, read_message_csv}};

// What a library logs may stand above the heading.
constexpr std::size_t kHeadingWithin = 20'000;

}  // namespace

Samples read_samples(const std::string& path) {
  LineSource lines(path);
  std::size_t remarks = 0;  // lines so far that are no CSV
  for (std::size_t i = 0; i < kHeadingWithin; ++i) {
    const auto line = lines.next();
    if (!line) break;
    const bool csv = !line->starts_with('#') && line->find(',') != std::string_view::npos;
    for (const SampleFormat& format : kFormats) {
      const auto has = [&](std::string_view word) { return line->find(word) != std::string_view::npos; };
      if (has(format.words[0]) && has(format.words[1]) && !(format.text && csv)) return format.read(path);
    }
    if (csv && lines.number() == 1 + remarks && is_operator_csv(path)) return read_operator_csv(path);
    remarks += !csv;
  }
  throw InputError({{path, "/",
                     "measurements of vidur, aiconfigurator, nccl-tests or hccl_test, or a CSV file with "
                     "columns such as size_bytes and time_us, or m, n, k and time_us",
                     "none of their headings"}});
}

}  // namespace spillway
