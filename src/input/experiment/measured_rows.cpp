#include "input/experiment/measured_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "base/csv.h"
#include "base/number.h"
#include "base/text.h"
#include "cost/layers/layer_stacks.h"
#include "json/node.h"
#include "json/text_file.h"
#include "workload/workload.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 6> kMeasuredColumns = {"stage",   "direction",    "tokens",
                                                              "patches", "milliseconds", "bytes"};
constexpr std::size_t kBytes = 5;  // the column that may be left out
constexpr std::size_t kNoPlace = std::string_view::npos;
constexpr std::array<std::pair<std::string_view, Pass>, 4> kDirections = {
    {{"forward", Pass::Forward},
     {"backward", Pass::Backward},
     {"input_gradient", Pass::InputGradient},
     {"weight_gradient", Pass::WeightGradient}}};
constexpr double kMostBytes = 1e15;

bool is_time(double milliseconds) {
  return milliseconds > kMilliseconds.above && milliseconds <= kMilliseconds.at_most;
}

// The place of each column in a line, by kMeasuredColumns.
using ColumnPlaces = std::array<std::size_t, kMeasuredColumns.size()>;

std::size_t columns(const ColumnPlaces& places) {
  return places[kBytes] == kNoPlace ? kBytes : places.size();
}

std::optional<ColumnPlaces> column_places(const CsvLine& header, Findings& findings) {
  ColumnPlaces places{};
  for (std::size_t i = 0; i < kMeasuredColumns.size(); ++i) {
    const auto column = std::ranges::find(header.fields, kMeasuredColumns[i]);
    places[i] = static_cast<std::size_t>(column - header.fields.begin());
  }
  const auto is_there = [&](std::size_t at) { return at < header.fields.size(); };
  if (!is_there(places[kBytes])) places[kBytes] = kNoPlace;
  if (std::all_of(places.begin(), places.begin() + kBytes, is_there) &&
      header.fields.size() == columns(places))
    return places;
  findings.add(header.place(),
               "the columns " + std::string(kMeasuredHeader) + ", and bytes if they are known",
               describe({std::string(header.text)}));
  return std::nullopt;
}

std::optional<MeasuredRow> row_of(const CsvLine& line, const ColumnPlaces& places, Findings& findings) {
  if (line.fields.size() != columns(places)) {
    findings.add(line.place(), counted(columns(places), "field"), describe({std::string(line.text)}));
    return std::nullopt;
  }
  const auto field = [&](std::size_t column) {
    return places[column] == kNoPlace ? std::string() : std::string(line.fields[places[column]]);
  };
  MeasuredRow row{findings.file(), line.place(), field(0), field(1), field(2), field(3), {}};
  if (!field(4).empty() || field(kBytes).empty()) {
    const auto milliseconds = number_from<double>(field(4));
    if (!milliseconds || !is_time(*milliseconds)) {
      findings.add(line.place(), kMilliseconds.expected, describe({field(4)}));
      return std::nullopt;
    }
    row.milliseconds = {*milliseconds};
  }
  if (field(kBytes).empty()) return row;
  const auto bytes = number_from<double>(field(kBytes));
  if (bytes && *bytes > 0 && *bytes <= kMostBytes) return row.bytes = {*bytes}, row;
  findings.add(line.place(), "bytes above 0 and at most 1e15", describe({field(kBytes)}));
  return std::nullopt;
}

// "4096" or "2x4096".
bool add_counts(std::string_view text, std::uint32_t most, std::vector<std::uint32_t>& counts) {
  const std::size_t cross = text.find('x');
  const auto times = cross == std::string_view::npos ? std::optional<std::uint32_t>(1)
                                                     : number_from<std::uint32_t>(text.substr(0, cross));
  const auto count =
      number_from<std::uint32_t>(cross == std::string_view::npos ? text : text.substr(cross + 1));
  if (!times || !count || *times == 0 || *count == 0 || *count > most) return false;
  if (*times > kMostSamples || counts.size() + *times > kMostSamples) return false;
  counts.insert(counts.end(), *times, *count);
  return true;
}

std::optional<std::vector<std::uint32_t>> counts_from(std::string_view text, std::uint32_t most) {
  std::vector<std::uint32_t> counts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0 && !add_counts(text.substr(0, end), most, counts)) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum <= most ? std::optional(std::move(counts)) : std::nullopt;
}

using CountLists = std::vector<std::vector<std::uint32_t>>;

// Reads one row against the model.
class MeasuredRowReader {
 public:
  MeasuredRowReader(const MeasuredRow& row, const Model& model, const AnalyticCosts& costs,
                    Findings& findings)
      : row_(row), model_(model), costs_(costs), findings_(findings) {}

  std::optional<MeasuredUpdate> read_update() {
    const auto layers = layers_of();
    require_forward();
    require_times();
    const bool sized = !row_.tokens.empty() || !row_.patches.empty();
    if (sized) refuse("no tokens and no patches, since an optimizer reads none", row_.tokens + row_.patches);
    if (!layers || sized) return std::nullopt;
    if (!model_.trainable(*layers)) {
      refuse("an optimizer of layers of which one is trained", row_.stage);
      return std::nullopt;
    }
    return MeasuredUpdate{*layers, times()};
  }

  std::optional<MeasuredPass> read() {
    const auto layers = layers_of();
    const auto pass = direction();
    const auto tokens = counts(row_.tokens, "tokens", kLongestSequence);
    const auto patches = counts(row_.patches, "patches", kMostPatches);
    if (!layers || !pass || !tokens || !patches || !sizes_fit(*layers, *tokens, *patches))
      return std::nullopt;
    if (*pass != Pass::Forward) require_forward();
    require_times();
    MeasuredPass read{*layers, *pass, sizes_read_by(*layers, *tokens, *patches), times()};
    for (const double bytes : row_.bytes) read.kept.emplace_back(bytes);
    read.where = row_.file + ": " + row_.place;
    return read;
  }

 private:
  void require_forward() {
    if (!row_.bytes.empty())
      refuse("bytes of forwards alone, which keep them for their backwards", row_.direction);
  }

  void require_times() {
    const auto none = std::ranges::find_if_not(row_.milliseconds, is_time);
    if (none != row_.milliseconds.end())
      findings_.add({{row_.file, row_.place, kMilliseconds.expected, describe({*none})}});
  }

  std::vector<Seconds> times() const {
    std::vector<Seconds> times;
    for (const double ms : row_.milliseconds) times.push_back(milliseconds(ms));
    return times;
  }

  void refuse(std::string expected, const std::string& found) {
    findings_.add({{row_.file, row_.place, std::move(expected), describe({found})}});
  }

  std::string block_names() const {
    std::string names;
    for (const Block& block : model_.blocks()) add_to_list(names, block.name);
    return names;
  }

  std::optional<LayerRange> layers_of() {
    std::optional<LayerRange> all;
    for (std::string_view rest = row_.stage;;) {
      const std::size_t end = std::min(rest.find('+'), rest.size());
      const auto part = part_of(rest.substr(0, end));
      if (!part) return std::nullopt;
      if (all && all->end != part->first) {
        refuse("layers that follow each other, input first", row_.stage);
        return std::nullopt;
      }
      all = {all ? all->first : part->first, part->end};
      if (end == rest.size()) return all;
      rest.remove_prefix(end + 1);
    }
  }

  std::optional<LayerRange> part_of(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const std::string_view name = text.substr(0, colon);
    const auto& blocks = model_.blocks();
    const auto block = std::ranges::find(blocks, name, &Block::name);
    if (block == blocks.end()) {
      refuse("a stage of blocks " + block_names() + ", such as " + blocks.back().name + ":0-1", row_.stage);
      return std::nullopt;
    }
    const LayerRange whole = model_.layers_of(static_cast<std::size_t>(block - blocks.begin()));
    if (colon == std::string_view::npos) return whole;
    const std::string_view range = text.substr(colon + 1);
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = number_from<std::uint32_t>(range.substr(0, dash));
    const auto end = number_from<std::uint32_t>(range.substr(std::min(dash + 1, range.size())));
    if (first && end && *first < *end && *end <= whole.size())
      return LayerRange{whole.first + *first, whole.first + *end};
    refuse("layers of " + block->name + " from 0 to its " + std::to_string(whole.size()) + ", such as " +
               block->name + ":0-" + std::to_string(whole.size()),
           row_.stage);
    return std::nullopt;
  }

  std::optional<Pass> direction() {
    for (const auto& [word, pass] : kDirections)
      if (word == row_.direction) return pass;
    refuse("forward, backward, input_gradient, weight_gradient or optimizer", row_.direction);
    return std::nullopt;
  }

  // A list for each microbatch.
  std::optional<CountLists> counts(const std::string& text, const char* what, std::uint32_t most) {
    CountLists all;
    for (const std::string_view part : split(text, ';')) {
      auto read = counts_from(part, most);
      if (!read) {
        refuse(std::string(what) + " as counts above 0, at most " + std::to_string(most) +
                   " together, such as \"2x2048 1024\"",
               std::string(part));
        return std::nullopt;
      }
      all.push_back(*std::move(read));
    }
    return all;
  }

  // Without what no layer reads, equal microbatches are one.
  std::vector<MeasuredSize> sizes_read_by(LayerRange layers, const CountLists& tokens,
                                          const CountLists& patches) const {
    std::vector<MeasuredSize> sizes(std::max(tokens.size(), patches.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (reads(layers, LoadUnit::Token)) sizes[i].sequences = tokens[std::min(i, tokens.size() - 1)];
      if (reads(layers, LoadUnit::Patch)) sizes[i].patches = patches[std::min(i, patches.size() - 1)];
    }
    const bool alike = std::ranges::adjacent_find(sizes, std::not_equal_to()) == sizes.end();
    if (alike) sizes.resize(1);
    return sizes;
  }

  bool reads(LayerRange layers, LoadUnit unit) const {
    for (std::size_t block = 0; block < costs_.blocks.size(); ++block)
      if (model_.part_of(block, layers).size() > 0 &&
          costs_.stacks->trained(costs_.blocks[block].trained())->unit == unit)
        return true;
    return false;
  }

  bool sizes_fit(LayerRange layers, const CountLists& tokens, const CountLists& patches) {
    const auto is_empty = [](const std::vector<std::uint32_t>& counts) { return counts.empty(); };
    const bool no_patches = std::ranges::all_of(patches, is_empty);
    const bool of_each = tokens.size() == patches.size() || tokens.size() == 1 || patches.size() == 1;
    if (!of_each)
      refuse("as many microbatches in tokens as in patches, or one",
             std::to_string(tokens.size()) + " and " + std::to_string(patches.size()));
    const bool lacks_tokens = reads(layers, LoadUnit::Token) && std::ranges::any_of(tokens, is_empty);
    if (lacks_tokens) refuse("tokens, since layers of " + row_.stage + " read them", row_.tokens);
    const bool lacks_patches =
        reads(layers, LoadUnit::Patch) && !reads(layers, LoadUnit::Token) && no_patches;
    if (lacks_patches)
      refuse("patches of images, since layers of " + row_.stage + " read them", row_.patches);
    const bool encodes = reads({0, model_.layer_count()}, LoadUnit::Patch);
    const bool idle_patches = !no_patches && !encodes;
    if (idle_patches) refuse("no patches, since no block encodes images", row_.patches);
    return of_each && !lacks_tokens && !lacks_patches && !idle_patches;
  }

  const MeasuredRow& row_;
  const Model& model_;
  const AnalyticCosts& costs_;
  Findings& findings_;
};

// Adds the times to those of the same pass or update, or a new one.
template <class Measured, class Same>
void add_times(std::vector<Measured>& all, Measured one, Same same) {
  const auto known = std::ranges::find_if(all, [&](const Measured& other) { return same(other, one); });
  if (known == all.end()) return all.push_back(std::move(one));
  known->times.insert(known->times.end(), one.times.begin(), one.times.end());
  if constexpr (requires { one.kept; })
    known->kept.insert(known->kept.end(), one.kept.begin(), one.kept.end());
}

bool same_pass(const MeasuredPass& a, const MeasuredPass& b) {
  return a.layers == b.layers && a.pass == b.pass && a.sizes == b.sizes;
}

bool is_of_optimizer(const MeasuredRow& row) {
  return row.direction == kOptimizerWord;
}

bool same_layers(const MeasuredUpdate& a, const MeasuredUpdate& b) {
  return a.layers == b.layers;
}

}  // namespace

bool begins_measured(std::string_view text) {
  const std::vector<CsvLine> lines = csv_lines(text.substr(0, text.find('\n', text.find("stage,"))));
  return !lines.empty() && std::ranges::find(lines.back().fields, "stage") != lines.back().fields.end() &&
         std::ranges::find(lines.back().fields, "direction") != lines.back().fields.end();
}

std::vector<MeasuredRow> read_measured_csv(const std::string& path, const Files& files) {
  Findings findings(path);
  const std::optional<std::string> text = read_file(path, findings, files);
  findings.throw_if_any();
  const std::vector<CsvLine> lines = csv_lines(*text);
  if (lines.empty()) findings.add("line 1", "the columns " + std::string(kMeasuredHeader), "an empty file");
  findings.throw_if_any();
  std::vector<MeasuredRow> rows;
  const auto places = column_places(lines.front(), findings);
  for (std::size_t i = 1; places && i < lines.size(); ++i)
    if (auto row = row_of(lines[i], *places, findings)) rows.push_back(*std::move(row));
  if (places && lines.size() == 1) findings.add("line 2", "at least one measured pass", "none");
  if (places && !text->ends_with('\n'))
    findings.add(lines.back().place(), "an end of the last line", "the end of the file, which was cut");
  findings.throw_if_any();
  return rows;
}

std::string counts_text(const std::vector<std::uint32_t>& counts) {
  std::string text;
  for (auto first = counts.begin(); first != counts.end();) {
    const auto next = std::find_if(first, counts.end(), [&](std::uint32_t count) { return count != *first; });
    const auto times = next - first;
    text += (text.empty() ? "" : " ") + (times > 1 ? std::to_string(times) + "x" : std::string()) +
            std::to_string(*first);
    first = next;
  }
  return text;
}

std::shared_ptr<const PassTable> measured_passes(const std::vector<MeasuredRow>& rows, const Model& model,
                                                 const AnalyticCosts& costs, Findings& findings) {
  auto measured = std::make_shared<PassTable>();
  measured->layout = costs.parallelism;
  for (const BlockCosts& block : costs.blocks) measured->recompute.push_back(block.recompute);
  for (const MeasuredRow& row : rows) {
    MeasuredRowReader reader(row, model, costs, findings);
    if (is_of_optimizer(row)) {
      if (auto update = reader.read_update()) add_times(measured->updates, *std::move(update), same_layers);
    } else if (auto pass = reader.read()) {
      add_times(measured->passes, *std::move(pass), same_pass);
    }
  }
  const bool no_times = std::ranges::none_of(
      rows, [](const MeasuredRow& row) { return !is_of_optimizer(row) && !row.milliseconds.empty(); });
  if (no_times && !rows.empty())
    findings.add({{rows.front().file, rows.front().place,
                   "at least one measured pass with its time, beside the optimizer and bytes", "none"}});
  return measured;
}

}  // namespace spillway
