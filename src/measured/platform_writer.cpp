#include "measured/platform_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/error.h"
#include "platform/operation_words.h"
#include "spec/operator_table.h"

namespace spillway {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// To five digits: more would say more than any measurement does. Rounding keeps the order of numbers, so an
// interval goes on holding its value.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return std::strtod(text, nullptr);
}

Json read_document(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Json document = Json::parse(file, nullptr, false);
  if (document.is_object()) return document;
  throw InputError(
      {{path, "/", "a platform file (spillway schema platform)", file ? "no JSON object" : "none"}});
}

Json number_json(const FittedNumber& number) {
  return {{"value", rounded(number.value)},
          {"kind", "fitted"},
          {"source", number.source},
          {"interval", {rounded(number.low), rounded(number.high)}},
          {"points", number.points}};
}

// Whole, as sizes are, without a fraction.
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

// Paths in a document are relative to it.
fs::path folder_of(const std::string& document) {
  return fs::absolute(document).lexically_normal().parent_path();
}

std::string seen_from(const std::string& target, const fs::path& file) {
  return fs::absolute(file).lexically_normal().lexically_relative(folder_of(target)).generic_string();
}

// Causal or not, forward or backward: a table of one says nothing of the others.
std::set<std::string> kinds_in(const fs::path& file) {
  OperatorTables tables;
  read_operator_table(file.string(), tables);
  std::set<std::string> kinds;
  if (!tables.gemms.empty()) kinds.insert("gemm");
  if (!tables.grouped_gemms.empty()) kinds.insert("grouped gemm");
  for (const MeasuredAttention& row : tables.attentions)
    kinds.insert(std::string(row.causal ? "causal " : "") + (row.backward ? "backward" : "forward"));
  return kinds;
}

void put_tables(Json& document, const std::vector<MeasuredTable>& tables, const std::string& base,
                const std::string& target) {
  std::set<std::string> measured;
  for (const MeasuredTable& table : tables) measured.merge(kinds_in(table.file));
  Json kept = Json::array();
  for (Json& known : document.at("accelerator").value("operators", Json::array())) {
    const fs::path file = folder_of(base) / known.at("file").get<std::string>();
    if (!tables.empty() && std::ranges::includes(measured, kinds_in(file))) continue;
    known["file"] = seen_from(target, file);
    kept.push_back(std::move(known));
  }
  for (const MeasuredTable& table : tables)
    kept.push_back({{"file", seen_from(target, table.file)}, {"kind", "measured"}, {"source", table.source}});
  if (!kept.empty()) document["accelerator"]["operators"] = std::move(kept);
}

// [\n 1,\n 2\n ] as [1, 2]: a curve of thirty points is otherwise a hundred lines.
std::string pairs_on_a_line(const std::string& text) {
  static const std::regex pair(R"(\[\s+(-?[\d.e+-]+),\s+(-?[\d.e+-]+)\s+\])");
  return std::regex_replace(text, pair, "[$1, $2]");
}

// Reports print the name: platforms with the same base are told apart by their files'.
std::string calibrated_name(const std::string& base, const std::string& target) {
  constexpr std::string_view mark = ", calibrated as ";
  return base.substr(0, base.find(mark)) + std::string(mark) + fs::path(target).stem().string();
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
  return pairs_on_a_line(document.dump(2)) + '\n';
}

}  // namespace spillway
