#include "input/platform/operator_table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/csv.h"
#include "base/findings.h"
#include "base/number.h"
#include "base/text.h"
#include "json/node.h"
#include "json/text_file.h"

namespace spillway {
namespace {

constexpr std::string_view kGemmHeader = "m,n,k,time_us";
constexpr std::string_view kGroupedHeader = "groups,rows,n,k,time_us";
constexpr std::string_view kAttentionHeader =
    "causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us";
constexpr std::string_view kScanHeader = "backward,batch,length,heads,key_width,value_width,time_us";
constexpr std::uint64_t kLargestSize = 1'000'000'000;
constexpr double kLongestTime = 1e9;  // us

// Reads one line field by field; wrong fields are findings.
class RowReader {
 public:
  RowReader(const std::vector<std::string_view>& columns, const CsvLine& line, Findings& findings)
      : columns_(columns), line_(line), findings_(findings) {}

  bool flag() { return whole(0, 1) == 1; }
  double size() { return whole(1, kLargestSize); }

  Seconds time() {
    const std::string_view field = line_.fields[next_++];
    const auto value = number_from<double>(field);
    if (value && *value > 0 && *value <= kLongestTime) return microseconds(*value);
    refuse("a time_us above 0 and at most 1e9", std::string(field));
    return Seconds();
  }

  void require_multiple(double whole, double part, const std::string& what) {
    if (good_ && std::fmod(whole, part) != 0)
      refuse(what, std::to_string(std::uint64_t(whole)) + " and " + std::to_string(std::uint64_t(part)));
  }

  bool good() const { return good_; }

 private:
  double whole(std::uint64_t least, std::uint64_t most) {
    const std::string name(columns_[next_]);
    const std::string_view field = line_.fields[next_++];
    const auto value = number_from<std::uint64_t>(field);
    if (value && *value >= least && *value <= most) return static_cast<double>(*value);
    refuse("a whole number " + name + " from " + std::to_string(least) + " to " + std::to_string(most),
           std::string(field));
    return 1;
  }

  void refuse(std::string expected, std::string found) {
    good_ = false;
    findings_.add(line_.place(), std::move(expected), describe({std::move(found)}));
  }

  const std::vector<std::string_view>& columns_;
  const CsvLine& line_;
  Findings& findings_;
  std::size_t next_ = 0;
  bool good_ = true;
};

void read_row(RowReader& row, std::vector<MeasuredGemm>& table) {
  const double m = row.size(), n = row.size(), k = row.size();
  const Seconds time = row.time();
  if (row.good()) table.push_back({m, n, k, time});
}

void read_row(RowReader& row, std::vector<MeasuredGroupedGemm>& table) {
  const double groups = row.size(), rows = row.size(), n = row.size(), k = row.size();
  const Seconds time = row.time();
  row.require_multiple(rows, groups, "a multiple of groups as rows");
  if (row.good()) table.push_back({groups, rows, n, k, time});
}

void read_row(RowReader& row, std::vector<MeasuredAttention>& table) {
  const bool causal = row.flag(), backward = row.flag();
  const double batch = row.size(), length = row.size(), heads = row.size(), key_value_heads = row.size();
  const double key_width = row.size(), value_width = row.size();
  const Seconds time = row.time();
  row.require_multiple(heads, key_value_heads, "a multiple of key_value_heads as heads");
  if (row.good())
    table.push_back({causal, backward, batch, length, heads, key_value_heads, key_width, value_width, time});
}

void read_row(RowReader& row, std::vector<MeasuredScan>& table) {
  const bool backward = row.flag();
  const double batch = row.size(), length = row.size(), heads = row.size();
  const double key_width = row.size(), value_width = row.size();
  const Seconds time = row.time();
  if (row.good()) table.push_back({backward, batch, length, heads, key_width, value_width, time});
}

// Reads everything below the header, whose fields are `columns`.
template <class Row>
void read_rows(const std::vector<CsvLine>& lines, std::vector<Row>& table, Findings& findings) {
  const std::vector<std::string_view>& columns = lines[0].fields;
  if (lines.size() == 1) findings.add(lines[0].place(), "at least one row below the header", "none");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].fields.size() != columns.size()) {
      findings.add(lines[i].place(), counted(columns.size(), "field"),
                   describe({std::string(lines[i].text)}));
      continue;
    }
    RowReader row(columns, lines[i], findings);
    read_row(row, table);
  }
}

void read_table_lines(const std::vector<CsvLine>& lines, OperatorTables& tables, Findings& findings) {
  const auto has_header = [&lines](std::string_view header) {
    return !lines.empty() && lines[0].has(header);
  };
  if (has_header(kGemmHeader)) return read_rows(lines, tables.gemms, findings);
  if (has_header(kGroupedHeader)) return read_rows(lines, tables.grouped_gemms, findings);
  if (has_header(kAttentionHeader)) return read_rows(lines, tables.attentions, findings);
  if (has_header(kScanHeader)) return read_rows(lines, tables.scans, findings);
  findings.add(lines.empty() ? "line 1" : lines[0].place(),
               "the header " + std::string(kGemmHeader) + ", " + std::string(kGroupedHeader) + ", " +
                   std::string(kAttentionHeader) + " or " + std::string(kScanHeader),
               lines.empty() ? "an empty file" : describe({std::string(lines[0].text)}));
}

}  // namespace

void read_operator_table(const std::string& path, OperatorTables& tables, const Files& files) {
  Findings findings(path);
  const std::optional<std::string> text = read_file(path, findings, files);
  findings.throw_if_any();
  read_table_lines(csv_lines(*text), tables, findings);
  findings.throw_if_any();
}

}  // namespace spillway
