#include "measured/operator_csv.h"

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "measured/line_source.h"
#include "measured/message_rows.h"
#include "measured/operator_columns.h"
#include "spec/operator_table.h"

namespace spillway {
namespace {

constexpr std::size_t kViolationsShown = 20;
constexpr double kLargestSize = 1e9;

// The one kind of operator table that is also a file of ours here.
constexpr std::string_view kGemmTable = "m,n,k,time_us";

class OperatorCsv {
 public:
  explicit OperatorCsv(const std::string& path) : lines_(path) { samples_.files = {path}; }

  Samples read() {
    if (!read_header()) {
      read_operator_table(lines_.path(), samples_.operators);
      samples_.format = "operator table";
      samples_.source = short_name(lines_.path());
      samples_.tables = samples_.files;
      return std::move(samples_);
    }
    Fields fields;
    while (const auto line = next_line()) {
      split_csv(*line, fields);
      read_row(fields, *line);
    }
    finish();
    return std::move(samples_);
  }

 private:
  std::optional<std::string_view> next_line() {
    for (;;) {
      const auto line = lines_.next();
      if (!line || !(line->starts_with('#') || line->find_first_not_of(" \t") == std::string_view::npos))
        return line;
    }
  }

  // Whether the header is one of ours here, not an operator table's.
  bool read_header() {
    const std::string expected =
        "columns m,n,k or batch_size,isl,num_heads,head_dim, and a time with its unit: time_us, latency_ms, "
        "...";
    const auto line = next_line();
    if (!line) throw InputError({{lines_.path(), "line 1", expected, "an empty file"}});
    Fields header;
    split_csv(*line, header);
    if (is_operator_table(header)) return false;
    if (*line == kGemmTable && !lines_.path().ends_with(".gz")) samples_.tables = samples_.files;
    columns_ = operator_columns(header);
    if (columns_.sizes.empty() || !columns_.time)
      throw InputError({{lines_.path(), lines_.place(), expected, "\"" + std::string(*line) + "\""}});
    return true;
  }

  void read_row(const Fields& fields, std::string_view line) {
    if (fields.size() != columns_.count)
      return refuse(std::to_string(columns_.count) + " fields", std::string(line));
    std::array<double, 4> sizes{};
    for (std::size_t i = 0; i < columns_.sizes.size(); ++i) {
      const auto size = number_from<double>(fields[columns_.sizes[i]]);
      if (!size || !(*size >= 1 && *size <= kLargestSize) || std::floor(*size) != *size)
        return refuse("whole sizes from 1 to 1e9", std::string(fields[columns_.sizes[i]]));
      sizes[i] = *size;
    }
    const auto [index, unit] = *columns_.time;
    const auto time = number_from<double>(fields[index]);
    if (!time || !(*time > 0) || !std::isfinite(*time))
      return refuse("a time above 0", std::string(fields[index]));
    add(sizes, Seconds(*time * unit));
    remember_machine(fields);
  }

  void add(const std::array<double, 4>& sizes, Seconds time) {
    const auto [a, b, c, d] = sizes;
    if (columns_.sizes.size() == 3) {
      samples_.operators.gemms.push_back({a, b, c, time});
    } else {
      samples_.operators.attentions.push_back({false, false, a, b, c, c, d, d, time});
    }
  }

  void remember_machine(const Fields& fields) {
    const std::string_view device = columns_.device ? fields[*columns_.device] : std::string_view();
    const std::string_view kernel = columns_.kernel ? fields[*columns_.kernel] : std::string_view();
    if (!machine_) {
      machine_ = {std::string(device), std::string(kernel)};
    } else if (device != machine_->first || kernel != machine_->second) {
      ++of_another_;
    }
  }

  void refuse(std::string expected, std::string found) {
    if (violations_.size() == kViolationsShown) {
      ++beyond_;
      return;
    }
    violations_.push_back({lines_.path(), lines_.place(), std::move(expected), "\"" + found + "\""});
  }

  void finish() {
    if (violations_.empty() && !machine_) refuse("at least one row below the header", "");
    if (beyond_ > 0)
      violations_.push_back({lines_.path(), lines_.place(), "a table without such rows",
                             std::to_string(beyond_) + " more rows like these before here"});
    if (!violations_.empty()) throw InputError(violations_);
    const auto& [device, kernel] = *machine_;
    samples_.format = columns_.kernel ? "aiconfigurator" : "operator CSV";
    samples_.source =
        device.empty() ? short_name(lines_.path()) : device + (kernel.empty() ? "" : ", " + kernel);
    if (of_another_ > 0)
      samples_.notes.push_back(
          {NoteKind::Differs, of_another_, "rows of another device or kernel than " + samples_.source});
    if (columns_.sizes.size() == 4)
      samples_.notes.push_back(
          {NoteKind::Guessed, samples_.operators.attentions.size(),
           "rows of attention are forwards without a mask, with as many heads of keys as "
           "of queries"});
  }

  LineSource lines_;
  OperatorColumns columns_;
  Samples samples_;
  std::optional<std::pair<std::string, std::string>> machine_;  // device, kernel
  std::size_t of_another_ = 0;
  std::vector<Violation> violations_;
  std::size_t beyond_ = 0;
};

}  // namespace

Samples read_operator_csv(const std::string& path) {
  return OperatorCsv(path).read();
}

}  // namespace spillway
