#include <nlohmann/json.hpp>

#include "base/version.h"
#include "json/dumped.h"
#include "twin/twin.h"

namespace spillway {
namespace {

using TwinJson = nlohmann::ordered_json;

void add_lengths(TwinJson& list, const std::vector<std::pair<double, double>>& lengths) {
  for (const auto& [length, count] : lengths)
    for (double i = 0; i < count; ++i) list.push_back(static_cast<std::uint64_t>(length));
}

TwinJson line_json(const MeasuredLine& line) {
  const auto& [stage, content, group] = line;
  TwinJson tokens = TwinJson::array(), patches = TwinJson::array();
  if (group.contents.size() == 1) {
    add_lengths(tokens, group.contents.front().sequences);
    add_lengths(patches, group.contents.front().images);
  }
  return {{"stage", stage},
          {"direction", direction_word(group.pass)},
          {"tokens", std::move(tokens)},
          {"patches", std::move(patches)},
          {"microbatches", group.contents.size()},
          {"repeats", group.repeats},
          {"mean_s", group.mean().value()},
          {"least_s", group.least.value()},
          {"most_s", group.most.value()},
          {"fitted_s", group.fitted.value()},
          {"roofline_s", group.roofline.value()}};
}

TwinJson update_json(const UpdateLine& line) {
  return {{"stage", line.stage},
          {"repeats", line.group.repeats},
          {"mean_s", line.group.mean().value()},
          {"least_s", line.group.least.value()},
          {"most_s", line.group.most.value()},
          {"modelled_s", line.group.modelled.value()}};
}

const char* form_word(FitForm form) {
  switch (form) {
    case FitForm::NotMeasured:
      return "roofline";
    case FitForm::Factor:
      return "factor";
    case FitForm::OffsetAndFactor:
      return "offset-and-factor";
    case FitForm::Curve:
      return "curve";
  }
  return "";
}

TwinJson layer_json(const CoveredLayer& layer) {
  const LayerFit& fit = layer.fit;
  const auto range = [](double least, double most) { return TwinJson{least, most}; };
  return {{"layers", layer.layers},
          {"count", layer.count},
          {"direction", direction_word(layer.pass)},
          {"form", form_word(fit.form)},
          {"sizes", fit.sizes},
          {"unit", layer.over_patches ? "patches" : "tokens"},
          {"range", fit.measured() ? range(fit.least.tokens, fit.most.tokens) : TwinJson()},
          {"pairs_range", fit.measured() ? range(fit.least.pairs, fit.most.pairs) : TwinJson()},
          {"offset_s", fit.offset.value()},
          {"s_per_unit", fit.linear},
          {"s_per_pair", fit.quadratic},
          {"roofline_factor", fit.factor}};
}

TwinJson evidence_json(const std::vector<ScheduleResult>& schedules) {
  TwinJson all = TwinJson::array();
  for (const ScheduleResult& schedule : schedules)
    if (const auto shares = measured_shares(schedule))
      all.push_back({{"schedule", schedule.name},
                     {"measured", shares->measured},
                     {"extrapolated", shares->extrapolated},
                     {"other", shares->other}});
  return all;
}

}  // namespace

std::string twin_json(const TwinAccount& account, const std::vector<ScheduleResult>& schedules,
                      const std::string& key, const std::string& result) {
  TwinJson lines = TwinJson::array(), updates = TwinJson::array(), layers = TwinJson::array(),
           deviations = TwinJson::object();
  for (const UpdateLine& line : account.updates) updates.push_back(update_json(line));
  for (const MeasuredLine& line : account.lines) lines.push_back(line_json(line));
  for (const CoveredLayer& layer : account.layers) layers.push_back(layer_json(layer));
  for (const MeasuredLine& line : account.lines)
    deviations[std::string(direction_word(line.group.pass))] =
        account.deviations[static_cast<std::size_t>(line.group.pass)];
  const TwinJson document{{"schema", "spillway/twin/1"},
                          {"program", program_version()},
                          {"measured", std::move(lines)},
                          {"optimizers", std::move(updates)},
                          {"layers", std::move(layers)},
                          {"spread", account.spread},
                          {"deviations", std::move(deviations)},
                          {"evidence", evidence_json(schedules)},
                          {"doubts", account.doubts},
                          {"notes", account.notes},
                          {key, undumped(result)}};
  return dumped(document, 2) + '\n';
}

std::string passes_json(const TwinAccount& account, const std::vector<ScheduleResult>& schedules) {
  return twin_json(account, schedules, "report", "null");
}

}  // namespace spillway
