#include <nlohmann/json.hpp>
#include <optional>

#include "json/dumped.h"
#include "platform/platform.h"
#include "report/inputs/calibration.h"
#include "report/inputs/notes_json.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

Json heading(const char* of) {
  return {{"schema", "spillway/calibration/1"}, {"of", of}};
}

template <class Rows, class Row>
Json list_of(const Rows& rows, Row row) {
  Json list = Json::array();
  for (const auto& one : rows) list.push_back(row(one));
  return list;
}

Json number_json(const FittedNumber& number) {
  return {{"pointer", number.pointer}, {"value", number.value},   {"low", number.low},
          {"high", number.high},       {"points", number.points}, {"source", number.source}};
}

Json error_json(const HeldBackError& error) {
  return {{"what", error.what},
          {"sizes", error.count},
          {"mean_absolute", error.mean_absolute},
          {"most_absolute", error.most_absolute},
          {"bias", error.bias}};
}

Json undetermined_json(const Undetermined& one) {
  return {{"pointer", one.pointer}, {"why", one.why}};
}

Json curve_json(const Platform& base, const FittedSweep& fitted) {
  const MeasuredCollective& sweep = fitted.sweep;
  return {{"tier", base.tiers[fitted.tier].name},
          {"operation", word_for(sweep.operation)},
          {"devices", sweep.devices},
          {"neighbours", sweep.neighbours},
          {"points", list_of(sweep.points.value, [](const auto& point) {
             return Json::array({point.first.value(), point.second.value()});
           })}};
}

std::string printed(const Json& document) {
  return dumped(document, 2) + '\n';
}

}  // namespace

std::string fits_json(const Platform& base, const Fits& fits, const std::vector<ErrorsAgainst>& against,
                      const std::string& document) {
  Json json = heading("platform");
  json["platform"] = base.name;
  json["fitted"] = list_of(fits.numbers, number_json);
  json["curves"] = list_of(fits.sweeps, [&](const FittedSweep& sweep) { return curve_json(base, sweep); });
  json["tables"] = list_of(fits.tables, [](const MeasuredTable& table) {
    return Json{{"file", table.file}, {"source", table.source}};
  });
  json["held_back"] = list_of(fits.held_back, error_json);
  json["against"] = list_of(against, [](const ErrorsAgainst& other) {
    return Json{{"source", other.source}, {"errors", list_of(other.errors, error_json)}};
  });
  json["undetermined"] = list_of(fits.undetermined, undetermined_json);
  json["notes"] = notes_json(fits.notes);
  json["document"] = undumped(document);
  return printed(json);
}

std::string framework_fit_json(const FrameworkFit& fit, const std::string& document) {
  Json json = heading("framework");
  json["fitted"] = list_of(fit.figures, [](const FrameworkFigure& figure) {
    const bool interval = figure.low < figure.high;
    return Json{{"pointer", figure.pointer},
                {"value", figure.value},
                {"low", interval ? Json(figure.low) : Json(nullptr)},
                {"high", interval ? Json(figure.high) : Json(nullptr)},
                {"source", figure.source}};
  });
  json["undetermined"] = list_of(fit.undetermined, undetermined_json);
  json["document"] = undumped(document);
  return printed(json);
}

std::string case_fits_json(const CaseTable& table, const CaseFits& fits) {
  Json json = heading("cases");
  json["name"] = table.name;
  json["fitted"] = list_of(fits.parameters, [](const CaseFits::Parameter& parameter) {
    return Json{{"pointer", parameter.pointer}, {"value", parameter.value}};
  });
  json["cases"] = list_of(fits.cases, [](const CaseResult& one) {
    const std::optional<double> error = one.error();
    return Json{{"name", one.measured.name},
                {"predicted_s", one.step.value()},
                {"error", error ? Json(*error) : Json(nullptr)}};
  });
  return printed(json);
}

}  // namespace spillway
