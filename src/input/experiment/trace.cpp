#include "input/experiment/trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/csv.h"
#include "base/findings.h"
#include "base/number.h"
#include "base/text.h"
#include "input/images/image_list.h"
#include "input/images/image_table.h"
#include "json/node.h"
#include "json/text_file.h"

namespace spillway {
namespace {

constexpr std::string_view kSharesHeader = "value,prob";
constexpr std::string_view kClipsHeader = "seconds,count";
constexpr double kLongestClip = 86'400;
constexpr std::uint64_t kMostClips = 1'000'000'000'000;
// Published histograms have rounded shares.
constexpr double kShareTolerance = 0.01;

// Reads the lines of one trace.
class TraceReader {
 public:
  TraceReader(std::string_view text, Findings& findings) : lines_(csv_lines(text)), findings_(findings) {}

  bool has_header(std::string_view header) const { return !lines_.empty() && lines_[0].has(header); }

  void refuse_header(const std::string& expected) {
    findings_.add(lines_.empty() ? "line 1" : lines_[0].place(), "the header " + expected,
                  lines_.empty() ? "an empty file" : describe({std::string(lines_[0].text)}));
  }

  // Reads the rows below the header with `read`, which turns a CsvLine into an optional row.
  template <class Row, class Read>
  std::vector<Row> rows(std::size_t fields, Read read) {
    if (lines_.size() == 1) findings_.add("line 2", "at least one line below the header", "none");
    std::vector<Row> all;
    for (std::size_t i = 1; i < lines_.size(); ++i) {
      if (lines_[i].fields.size() != fields) {
        refuse(lines_[i], counted(fields, "field"), std::string(lines_[i].text));
      } else if (std::optional<Row> row = read(lines_[i])) {
        all.push_back(*row);
      }
    }
    return all;
  }

  std::optional<TokenShare> token_share(const CsvLine& line) {
    const auto value = whole(line, 0, "a value", 0, kMostPerSample);
    const auto share = number_from<double>(line.fields[1]);
    const bool in_range = share && *share >= 0 && *share <= 1;
    if (!in_range) refuse(line, "a share from 0 to 1", std::string(line.fields[1]));
    if (!value || !in_range) return std::nullopt;
    return TokenShare{static_cast<std::uint32_t>(*value), *share};
  }

  std::optional<ClipCount> clip_count(const CsvLine& line) {
    const auto seconds = number_from<double>(line.fields[0]);
    const bool in_range = seconds && *seconds > 0 && *seconds <= kLongestClip;
    if (!in_range) refuse(line, "seconds above 0 and at most 86400", std::string(line.fields[0]));
    const auto count = whole(line, 1, "a count", 1, kMostClips);
    return in_range && count ? std::optional(ClipCount{*seconds, *count}) : std::nullopt;
  }

 private:
  void refuse(const CsvLine& line, std::string expected, std::string found) {
    findings_.add(line.place(), std::move(expected), describe({std::move(found)}));
  }

  std::optional<std::uint64_t> whole(const CsvLine& line, std::size_t field, const std::string& what,
                                     std::uint64_t least, std::uint64_t most) {
    const auto value = number_from<std::uint64_t>(line.fields[field]);
    if (value && *value >= least && *value <= most) return value;
    refuse(line, what + " from " + std::to_string(least) + " to " + std::to_string(most),
           std::string(line.fields[field]));
    return std::nullopt;
  }

  std::vector<CsvLine> lines_;
  Findings& findings_;
};

void check_sum(const std::vector<TokenShare>& shares, Findings& findings) {
  double sum = 0;
  for (const TokenShare& row : shares) sum += row.share;
  if (findings.empty() && std::abs(sum - 1) > kShareTolerance)
    findings.add("column prob", "shares that add up to 1", describe({sum}));
}

std::vector<TokenShare> read_shares(TraceReader& reader, Findings& findings) {
  auto shares = reader.rows<TokenShare>(2, [&](const CsvLine& line) { return reader.token_share(line); });
  check_sum(shares, findings);
  return shares;
}

void require_some_tokens(const std::vector<TokenShare>& shares, Findings& findings) {
  const bool some = std::any_of(shares.begin(), shares.end(),
                                [](const TokenShare& row) { return row.tokens > 0 && row.share > 0; });
  if (findings.empty() && !some) findings.add("column value", "an image with tokens", "none");
}

std::string trace_text(const std::string& path, Findings& findings, const Files& files) {
  std::optional<std::string> text = read_file(path, findings, files);
  findings.throw_if_any();
  return *std::move(text);
}

}  // namespace

PatchDistribution read_image_trace(const std::string& path, const ResizeRule& rule, const Files& files) {
  Findings findings(path);
  const std::shared_ptr<const FileText> list = files.text(path, load_image_list);
  findings.add(list->violations);
  findings.throw_if_any();
  TraceReader reader(*list->text, findings);
  if (!reader.has_header(kSharesHeader)) {
    ImageList images = read_image_table(*list->text, rule, findings);
    findings.throw_if_any();
    PatchDistribution distribution = patches_of(images.sizes, rule);
    distribution.remarks = list->remarks;
    distribution.remarks.insert(distribution.remarks.end(), images.remarks.begin(), images.remarks.end());
    return distribution;
  }
  const std::vector<TokenShare> shares = read_shares(reader, findings);
  require_some_tokens(shares, findings);
  findings.throw_if_any();
  return patches_of(shares, rule);
}

PatchDistribution read_audio_trace(const std::string& path, const AudioRule& rule, const Files& files) {
  Findings findings(path);
  const std::string text = trace_text(path, findings, files);
  TraceReader reader(text, findings);
  if (!reader.has_header(kClipsHeader)) reader.refuse_header(std::string(kClipsHeader));
  findings.throw_if_any();
  const auto clips = reader.rows<ClipCount>(2, [&](const CsvLine& line) { return reader.clip_count(line); });
  findings.throw_if_any();
  return clips_of(clips, rule);
}

Histogram read_histogram(const std::string& path, const Files& files) {
  Findings findings(path);
  const std::string text = trace_text(path, findings, files);
  TraceReader reader(text, findings);
  if (!reader.has_header(kSharesHeader)) reader.refuse_header(std::string(kSharesHeader));
  findings.throw_if_any();
  const std::vector<TokenShare> shares = read_shares(reader, findings);
  findings.throw_if_any();
  return histogram_of(shares);
}

Histogram histogram_of(const std::vector<TokenShare>& shares) {
  std::map<std::uint32_t, double> by_value;
  double total = 0;
  for (const auto& [value, share] : shares) {
    by_value[value] += share;
    total += share;
  }
  Histogram histogram;
  double running = 0;
  for (const auto& [value, share] : by_value) {
    running += share;
    histogram.values.push_back(value);
    histogram.cumulative.push_back(running / total);
  }
  return histogram;
}

}  // namespace spillway
