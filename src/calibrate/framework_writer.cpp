#include "calibrate/framework_writer.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "json/dumped.h"
#include "json/json_text.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

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

std::string learned_document(const std::string& base, const FrameworkFit& fit) {
  Json document = Json::parse(read_json_text(base));
  if (!document.is_object())
    throw InputError({{base, "/", "a framework file (spillway schema framework)", "no JSON object"}});
  for (const FrameworkFigure& figure : fit.figures)
    document[Json::json_pointer(figure.pointer)] = figure_json(figure);
  return dumped(document, 2) + '\n';
}

}  // namespace spillway
