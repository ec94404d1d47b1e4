#include "traces/ascend/ascend_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/csv.h"
#include "base/error.h"
#include "base/number.h"

namespace spillway {
namespace {

namespace column {
enum : std::size_t { Start, Duration, Name, Type, Step, Stream, InputShapes, InputTypes, OutputShapes };
}

constexpr std::array<std::string_view, 9> kColumnNames = {
    "Start Time(us)", "Duration(us)",     "Name",         "Type", "Step Id", "Stream ID",
    "Input Shapes",   "Input Data Types", "Output Shapes"};
constexpr std::size_t kNeeded = 4;  // the first four are required
// Nanoseconds since 1970 fit until 2262. This limit leaves room for a duration behind a start.
constexpr std::int64_t kLatestMicrosecond = 9'000'000'000'000'000;
constexpr double kLongestMicroseconds = 1e12;
constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

std::string_view without_quotes(std::string_view text) {
  while (text.starts_with('"')) text.remove_prefix(1);
  while (text.ends_with('"')) text.remove_suffix(1);
  return text;
}

std::string_view without_blanks(std::string_view text) {
  while (text.ends_with('\t') || text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::int64_t> nanoseconds_from_microseconds(std::string_view text) {
  text = without_blanks(text);
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto whole = number_from<std::int64_t>(text.substr(0, point));
  if (!whole || *whole < 0 || *whole > kLatestMicrosecond) return std::nullopt;
  std::string digits(text.substr(std::min(point + 1, text.size())));
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  digits.resize(3, '0');
  return *whole * 1000 + *number_from<std::int64_t>(digits);
}

AscendKernels::AscendKernels(const std::string& path) : lines_(path) {
  const auto header = lines_.next();
  if (!header) refuse("a header line", "an empty file");
  split_csv(*header, fields_);
  width_ = fields_.size();
  std::vector<Violation> violations;
  for (std::size_t column = 0; column < kColumns; ++column) {
    const auto found = std::find(fields_.begin(), fields_.end(), kColumnNames[column]);
    place_of_[column] = found == fields_.end() ? kAbsent : static_cast<std::size_t>(found - fields_.begin());
    if (found == fields_.end() && column < kNeeded)
      violations.push_back({path, lines_.place(), "a column \"" + std::string(kColumnNames[column]) + "\"",
                            "none of that name"});
  }
  if (!violations.empty()) throw InputError(std::move(violations));
}

void AscendKernels::refuse(std::string expected, std::string_view found) const {
  throw InputError({{lines_.path(), lines_.place(), std::move(expected), std::string(found)}});
}

std::string_view AscendKernels::field(std::size_t column) const {
  return place_of_[column] == kAbsent ? std::string_view() : fields_[place_of_[column]];
}

std::optional<AscendKernel> AscendKernels::next() {
  auto line = lines_.next();
  while (line && line->empty()) line = lines_.next();
  if (!line) return std::nullopt;
  split_csv(*line, fields_);
  if (fields_.size() < width_)
    refuse(std::to_string(width_) + " fields", std::to_string(fields_.size()) + " of them");
  const auto start = nanoseconds_from_microseconds(field(column::Start));
  if (!start) refuse("a start time in microseconds", field(column::Start));
  const auto duration = number_from<double>(without_blanks(field(column::Duration)));
  if (!duration || !(std::abs(*duration) <= kLongestMicroseconds))
    refuse("a duration in microseconds", field(column::Duration));
  const std::string_view step = field(column::Step) == "N/A" ? std::string_view() : field(column::Step);
  return AscendKernel{step,
                      field(column::Stream),
                      field(column::Name),
                      field(column::Type),
                      *start,
                      *duration,
                      without_quotes(field(column::InputShapes)),
                      without_quotes(field(column::InputTypes)),
                      without_quotes(field(column::OutputShapes))};
}

}  // namespace spillway
