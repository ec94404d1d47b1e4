#include "measured/platform_writer.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "platform/operation_words.h"

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

// Paths in the document are relative to it.
void rename_files(Json& document, const std::string& base, const std::string& target) {
  const auto operators = Json::json_pointer("/accelerator/operators");
  if (!document.contains(operators)) return;
  const fs::path from = fs::absolute(base).parent_path(), to = fs::absolute(target).parent_path();
  for (Json& table : document[operators]) {
    const auto file = table.find("file");
    if (file == table.end() || !file->is_string()) continue;
    const fs::path path = (from / file->get<std::string>()).lexically_normal();
    *file = path.lexically_relative(to.lexically_normal()).generic_string();
  }
}

}  // namespace

std::string calibrated_document(const std::string& base, const Fits& fits, const std::string& target) {
  Json document = read_document(base);
  rename_files(document, base, target);
  for (const FittedNumber& number : fits.numbers)
    document[Json::json_pointer(number.pointer)] = number_json(number);
  for (const FittedSweep& fitted : fits.sweeps)
    put_sweep(document.at("tiers").at(fitted.tier)["collectives"], fitted.sweep);
  return document.dump(2) + '\n';
}

}  // namespace spillway
