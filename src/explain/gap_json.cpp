#include "explain/gap_json.h"

#include <nlohmann/json.hpp>

namespace spillway {
namespace {

using GapJson = nlohmann::ordered_json;

template <class Value>
GapJson value_or_null(const std::optional<Value>& value) {
  return value ? GapJson(*value) : GapJson();
}

GapJson tried_setting_json(const TriedSetting& tried) {
  GapJson solved = GapJson::array();
  for (const SolvedValue& one : tried.solved)
    solved.push_back(
        {{"value", one.value}, {"from", one.from}, {"to", one.to}, {"published", one.published}});
  return {{"change", tried.words},
          {"pointer", tried.settings.front().pointer},
          {"set", settings_json(tried.settings)},
          {"makespan_s", tried.makespan.value()},
          {"closes", tried.closes},
          {"plausibility", tried.plausibility},
          {"because", tried.because},
          {"solved", std::move(solved)},
          {"fits", value_or_null(tried.fits)}};
}

GapJson all_tried_json(const std::vector<TriedSetting>& all) {
  GapJson json = GapJson::array();
  for (const TriedSetting& one : all) json.push_back(tried_setting_json(one));
  return json;
}

GapJson interval_json(const GapAccount& account) {
  if (!account.interval) return {};
  return {{"from_s", (account.predicted * account.interval->low).value()},
          {"to_s", (account.predicted * account.interval->high).value()}};
}

}  // namespace

GapJson settings_json(const std::vector<Setting>& settings) {
  GapJson json = GapJson::array();
  for (const auto& [pointer, value] : settings) json.push_back({{"pointer", pointer}, {"value", value}});
  return json;
}

GapJson gap_json(const GapAccount& account) {
  return {{"measured_s", account.measured.value()},
          {"predicted_s", account.predicted.value()},
          {"interval", interval_json(account)},
          {"inside_interval", value_or_null(account.inside_interval())},
          {"verdict", gap_verdict(account)},
          {"one_suffices", account.one_suffices()},
          {"tied", account.tied()},
          {"settings", all_tried_json(account.settings)},
          {"pairs", all_tried_json(account.pairs)}};
}

}  // namespace spillway
