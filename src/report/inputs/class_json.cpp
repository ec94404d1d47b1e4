#include <nlohmann/json.hpp>

#include "json/dumped.h"
#include "report/inputs/class_table.h"
#include "report/inputs/validation_table.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

Json class_errors_json(const std::optional<ErrorSummary>& errors) {
  if (!errors) return nullptr;
  return {{"cases", errors->count},
          {"mean_abs_error", errors->mean_absolute},
          {"max_abs_error", errors->most_absolute},
          {"bias", errors->bias}};
}

Json class_intervals_json(const ClassSummary& one) {
  if (!one.intervals) return nullptr;
  return {{"cases", one.intervals->of},          {"held", one.intervals->held},
          {"nominal", kIntervalHolds},           {"least_expected", one.expected->least},
          {"most_expected", one.expected->most}, {"median_width", *one.median_width}};
}

Json class_fits_json(const MemoryVerdicts& fits) {
  return {{"ran", fits.ran},
          {"too_large", fits.too_large},
          {"far_too_large", fits.far_too_large},
          {"ran_out", fits.ran_out},
          {"too_small", fits.too_small}};
}

Json class_layouts_json(const std::optional<Ranking>& layouts) {
  if (!layouts) return nullptr;
  return {{"groups", layouts->groups},
          {"mean_regret", layouts->mean_regret},
          {"max_regret", layouts->most_regret}};
}

Json class_summary_json(const ClassSummary& one) {
  return {{"class", one.name.empty() ? Json(nullptr) : Json(one.name)},
          {"fitted", one.fitted},
          {"time", class_errors_json(one.time)},
          {"intervals", class_intervals_json(one)},
          {"memory", class_errors_json(one.memory)},
          {"fits", class_fits_json(one.fits)},
          {"layouts", class_layouts_json(one.layouts)}};
}

Json groups_json(const ValidatedCases& table) {
  Json groups = Json::array();
  for (const LayoutGroup& group : layout_groups(table.cases)) {
    Json names = Json::array();
    for (const std::size_t member : group.cases) names.push_back(table.cases[member].measured.name);
    groups.push_back({{"table", table.table.name},
                      {"cases", names},
                      {"layouts", group.layouts},
                      {"chosen", group.chosen},
                      {"best", group.best},
                      {"regret", group.regret}});
  }
  return groups;
}

}  // namespace

std::string classes_json(const std::vector<ValidatedCases>& tables) {
  Json classes = Json::array(), groups = Json::array(), documents = Json::array();
  for (const ClassSummary& one : class_summaries(tables)) classes.push_back(class_summary_json(one));
  for (const ValidatedCases& one : tables) {
    for (Json& group : groups_json(one)) groups.push_back(std::move(group));
    documents.push_back(undumped(validation_json(one.table, one.cases)));
  }
  return dumped(Json{{"schema", "spillway/validation-tables/1"},
                     {"classes", classes},
                     {"all", class_summary_json(summary_of_all(tables))},
                     {"groups", groups},
                     {"tables", documents}},
                2) +
         '\n';
}

}  // namespace spillway
