#include "calibrate/fitted_document.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "input/platform/operator_table.h"
#include "json/dumped.h"
#include "json/json_text.h"
#include "platform/platform.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Rounds to five digits, because no measurement is more exact. Rounding keeps the order of numbers, so an
// interval still holds its value.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return std::strtod(text, nullptr);
}

Json read_document(const std::string& path) {
  Json document = Json::parse(read_json_text(path));
  if (document.is_object()) return document;
  throw InputError({{path, "/", "a platform file (spillway schema platform)", "no JSON object"}});
}

Json number_json(const FittedNumber& number) {
  return {{"value", rounded(number.value)},
          {"kind", "fitted"},
          {"source", number.source},
          {"interval", {rounded(number.low), rounded(number.high)}},
          {"points", number.points}};
}

// Writes sizes as whole numbers, without a fraction.
Json bytes_json(Bytes bytes) {
  if (std::floor(bytes.value()) == bytes.value()) return static_cast<std::uint64_t>(bytes.value());
  return bytes.value();
}

Json sweep_json(const MeasuredCollective& sweep) {
  Json points = Json::array();
  for (const auto& [bytes, time] : sweep.points.value)
    points.push_back({bytes_json(bytes), rounded(time / microseconds(1))});
  return {{"operation", word_for(sweep.operation)}, {"devices", sweep.devices},
          {"neighbours", sweep.neighbours},         {"kind", to_string(sweep.points.evidence)},
          {"source", sweep.points.source},          {"points", std::move(points)}};
}

void put_sweep(Json& collectives, const MeasuredCollective& sweep) {
  Json fitted = sweep_json(sweep);
  for (Json& known : collectives) {
    const auto same = [&](const char* key) { return known.value(key, Json()) == fitted[key]; };
    if (!same("operation") || !same("devices") || !same("neighbours")) continue;
    known = std::move(fitted);
    return;
  }
  collectives.push_back(std::move(fitted));
}

// Paths in a document are relative to this folder.
fs::path folder_of(const std::string& document) {
  return absolute_path(document).lexically_normal().parent_path();
}

std::string seen_from(const std::string& target, const fs::path& file) {
  return absolute_path(file).lexically_normal().lexically_relative(folder_of(target)).generic_string();
}

// Attention counts by causal or not, and forward or backward, because a table of one kind does not cover the
// others.
std::set<std::string> kinds_in(const fs::path& file) {
  OperatorTables tables;
  read_operator_table(file.string(), tables);
  std::set<std::string> kinds;
  if (!tables.gemms.empty()) kinds.insert("gemm");
  if (!tables.grouped_gemms.empty()) kinds.insert("grouped gemm");
  for (const MeasuredAttention& row : tables.attentions)
    kinds.insert(std::string(row.causal ? "causal " : "") + (row.backward ? "backward" : "forward"));
  for (const MeasuredScan& row : tables.scans)
    kinds.insert(std::string("scan ") + (row.backward ? "backward" : "forward"));
  return kinds;
}

void put_tables(Json& document, const std::vector<MeasuredTable>& tables, const std::string& base,
                const std::string& target) {
  std::set<std::string> measured;
  for (const MeasuredTable& table : tables) measured.merge(kinds_in(table.file));
  Json kept = Json::array();
  for (Json& known : document.at("accelerator").value("operators", Json::array())) {
    const fs::path file = folder_of(base) / known.at("file").get<std::string>();
    const bool same_precision = known.value("precision", "bf16") == "bf16";
    if (!tables.empty() && same_precision && std::ranges::includes(measured, kinds_in(file))) continue;
    known["file"] = seen_from(target, file);
    kept.push_back(std::move(known));
  }
  for (const MeasuredTable& table : tables)
    kept.push_back({{"file", seen_from(target, table.file)}, {"kind", "measured"}, {"source", table.source}});
  if (!kept.empty()) document["accelerator"]["operators"] = std::move(kept);
}

// The part of a JSON text that a walk has still ahead.
class TextWalk {
 public:
  explicit TextWalk(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  std::string_view take(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view take_all_of(std::string_view characters) {
    return take(std::min(rest_.find_first_not_of(characters), rest_.size()));
  }

 private:
  std::string_view rest_;
};

std::size_t length_of_text(std::string_view quoted) {
  std::size_t at = 1;
  while (at < quoted.size() && quoted[at] != '"') at += quoted[at] == '\\' ? 2 : 1;
  return at + 1;
}

// If the text begins with a list of two numbers over several lines, returns it on one line. Otherwise returns
// an empty text. `length` is that of the list in the text.
std::string pair_on_a_line(std::string_view text, std::size_t& length) {
  constexpr std::string_view blanks = " \n", numerals = "0123456789.eE+-";
  TextWalk walk(text);
  const bool opens = walk.take(1) == "[" && !walk.take_all_of(blanks).empty();
  const std::string_view first = walk.take_all_of(numerals);
  const bool parts = walk.take(1) == "," && !walk.take_all_of(blanks).empty();
  const std::string_view second = walk.take_all_of(numerals);
  const bool closes = !walk.take_all_of(blanks).empty() && walk.take(1) == "]";
  if (!opens || !parts || !closes || first.empty() || second.empty()) return {};
  length = text.size() - walk.rest().size();
  return "[" + std::string(first) + ", " + std::string(second) + "]";
}

// Writes [\n 1,\n 2\n ] as [1, 2], because a curve of thirty points would take a hundred lines. Texts are
// unchanged.
std::string pairs_on_a_line(std::string_view json) {
  std::string text;
  for (TextWalk walk(json); !walk.rest().empty();) {
    text += walk.take(std::min(walk.rest().find_first_of("[\""), walk.rest().size()));
    if (walk.rest().starts_with('"')) {
      text += walk.take(length_of_text(walk.rest()));
      continue;
    }
    std::size_t length = 1;
    const std::string pair = pair_on_a_line(walk.rest(), length);
    const std::string_view taken = walk.take(length);
    text += pair.empty() ? taken : pair;
  }
  return text;
}

// Reports print this name. The file's name distinguishes platforms with the same base.
std::string calibrated_name(const std::string& base, const std::string& target) {
  constexpr std::string_view mark = ", calibrated as ";
  return base.substr(0, base.find(mark)) + std::string(mark) + fs::path(target).stem().string();
}

double three_digits(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.3g", value);
  return std::strtod(digits, nullptr);
}

Json figure_json(const FrameworkFigure& figure) {
  Json json = {{"value", three_digits(figure.value)}, {"kind", "derived"}, {"source", figure.source}};
  if (figure.high > 0) json["interval"] = {three_digits(figure.low), three_digits(figure.high)};
  return json;
}

}  // namespace

std::string calibrated_document(const std::string& base, const Fits& fits, const std::string& target) {
  Json document = read_document(base);
  document["name"] = calibrated_name(document.at("name").get<std::string>(), target);
  put_tables(document, fits.tables, base, target);
  for (const FittedNumber& number : fits.numbers)
    document[Json::json_pointer(number.pointer)] = number_json(number);
  for (const FittedSweep& fitted : fits.sweeps)
    put_sweep(document.at("tiers").at(fitted.tier)["collectives"], fitted.sweep);
  return pairs_on_a_line(dumped(document, 2)) + '\n';
}

std::string learned_document(const std::string& base, const FrameworkFit& fit) {
  Json document = Json::parse(read_json_text(base));
  if (!document.is_object())
    throw InputError({{base, "/", "a framework file (spillway schema framework)", "no JSON object"}});
  for (const FrameworkFigure& figure : fit.figures)
    document[Json::json_pointer(figure.pointer)] = figure_json(figure);
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
