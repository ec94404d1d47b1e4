#include "traces/samples/operator_csv.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "input/platform/operator_table.h"
#include "traces/files/csv_table.h"
#include "traces/samples/message_rows.h"

namespace spillway {
namespace {

constexpr double kLargestSize = 1e9;

// A platform file can name a file with this header unchanged, as an operator table.
constexpr std::string_view kGemmTable = "m,n,k,time_us";

struct TimeColumn {
  std::size_t column;
  double seconds;  // seconds per unit
};

// Columns of the table in which they were found. Sizes or time are absent if the header lacks them.
struct OperatorColumns {
  std::vector<std::size_t> sizes;  // m, n, k, or batch, length, heads, width
  std::optional<TimeColumn> time;
  std::optional<std::size_t> device;
  std::optional<std::size_t> kernel;
};

// Returns the first of `names` that the header has.
std::optional<std::size_t> find_any(CsvTable& table, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto column = table.find(name)) return column;
  return std::nullopt;
}

std::optional<TimeColumn> time_column(CsvTable& table) {
  if (const auto s = find_any(table, {"time_s", "latency_s"})) return TimeColumn{*s, 1};
  if (const auto ms = find_any(table, {"time_ms", "latency_ms"})) return TimeColumn{*ms, 1e-3};
  if (const auto us = find_any(table, {"time_us", "latency_us"})) return TimeColumn{*us, 1e-6};
  return std::nullopt;
}

std::vector<std::size_t> all_of(const std::vector<std::optional<std::size_t>>& columns) {
  std::vector<std::size_t> found;
  for (const auto& column : columns)
    if (column) found.push_back(*column);
  return found.size() == columns.size() ? found : std::vector<std::size_t>();
}

OperatorColumns operator_columns(CsvTable& table) {
  OperatorColumns columns;
  columns.sizes = all_of({table.find("m"), table.find("n"), table.find("k")});
  if (columns.sizes.empty())
    columns.sizes = all_of({find_any(table, {"batch_size", "batch"}), find_any(table, {"isl", "length"}),
                            find_any(table, {"num_heads", "heads"}), table.find("head_dim")});
  columns.time = time_column(table);
  columns.device = table.find("device");
  columns.kernel = table.find("kernel_source");
  return columns;
}

// Returns true if the header has a column that only operator tables (input/platform/operator_table.h) have.
// The reader of platforms reads these.
bool is_operator_table(CsvTable& table) {
  return find_any(table, {"groups", "causal"}).has_value();
}

// Reads a table that only the reader of platforms accepts.
Samples of_operator_table(const std::string& path) {
  Samples samples;
  read_operator_table(path, samples.operators);
  samples.format = "operator table";
  samples.source = short_name(path);
  samples.files = samples.tables = {path};
  return samples;
}

class OperatorCsv {
 public:
  explicit OperatorCsv(CsvTable& table) : table_(table), columns_(operator_columns(table)) {
    if (columns_.sizes.empty() || !columns_.time)
      throw InputError({{table_.path(), table_.place(),
                         "columns m,n,k or batch_size,isl,num_heads,head_dim, and a time with its unit: "
                         "time_us, latency_ms, ...",
                         in_quotes(table_.header())}});
    samples_.files = {table_.path()};
    if (table_.header() == kGemmTable && !table_.path().ends_with(".gz")) samples_.tables = samples_.files;
  }

  Samples read() {
    while (table_.next()) read_row();
    finish();
    return std::move(samples_);
  }

 private:
  void read_row() {
    std::array<double, 4> sizes{};
    for (std::size_t i = 0; i < columns_.sizes.size(); ++i) {
      const auto size = table_.whole_number(columns_.sizes[i], 1, kLargestSize, "a whole size from 1 to 1e9");
      if (!size) return;
      sizes[i] = *size;
    }
    const auto time = read_time();
    if (!time) return;
    add(sizes, *time);
    remember_machine();
  }

  std::optional<Seconds> read_time() {
    constexpr std::string_view kExpected = "a time above 0";
    const auto [column, unit] = *columns_.time;
    const auto time = table_.number<double>(column, kExpected);
    if (!time) return std::nullopt;
    if (*time > 0 && std::isfinite(*time)) return Seconds(*time * unit);
    table_.refuse(column, kExpected);
    return std::nullopt;
  }

  void add(const std::array<double, 4>& sizes, Seconds time) {
    const auto [a, b, c, d] = sizes;
    if (columns_.sizes.size() == 3) {
      samples_.operators.gemms.push_back({a, b, c, time});
    } else {
      samples_.operators.attentions.push_back({false, false, a, b, c, c, d, d, time});
    }
  }

  void remember_machine() {
    const std::string_view device = columns_.device ? table_.text(*columns_.device) : std::string_view();
    const std::string_view kernel = columns_.kernel ? table_.text(*columns_.kernel) : std::string_view();
    if (!machine_) {
      machine_ = {std::string(device), std::string(kernel)};
    } else if (device != machine_->first || kernel != machine_->second) {
      ++of_another_;
    }
  }

  void finish() {
    if (table_.refused().empty() && !machine_) table_.refuse("at least one row below the header", "no rows");
    table_.throw_if_any();
    const auto& [device, kernel] = *machine_;
    samples_.format = columns_.kernel ? "aiconfigurator" : "operator CSV";
    samples_.source =
        device.empty() ? short_name(table_.path()) : device + (kernel.empty() ? "" : ", " + kernel);
    if (of_another_ > 0)
      samples_.notes.push_back(
          {NoteKind::Differs, of_another_, "rows of another device or kernel than " + samples_.source});
    if (columns_.sizes.size() == 4)
      samples_.notes.push_back(
          {NoteKind::Guessed, samples_.operators.attentions.size(),
           "rows of attention, as forwards without a mask and with as many key heads as query heads"});
  }

  CsvTable& table_;
  OperatorColumns columns_;
  Samples samples_;
  std::optional<std::pair<std::string, std::string>> machine_;  // device, kernel
  std::size_t of_another_ = 0;
};

}  // namespace

bool is_operator_csv(const std::string& path) {
  CsvTable table(path);
  return is_operator_table(table) || !operator_columns(table).sizes.empty();
}

Samples read_operator_csv(const std::string& path) {
  CsvTable table(path);
  if (is_operator_table(table)) return of_operator_table(path);
  return OperatorCsv(table).read();
}

}  // namespace spillway
