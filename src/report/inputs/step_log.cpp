#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json/dumped.h"
#include "report/inputs/measured_steps.h"
#include "report/inputs/notes_json.h"
#include "report/inputs/steady_json.h"
#include "report/inputs/steady_text.h"
#include "words/duration_text.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace step_log_report {
namespace {

using Json = nlohmann::ordered_json;

Json logged_steps_json(const StepLog& log) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < log.steps.size(); ++i) {
    const LoggedStep& step = log.steps[i];
    steps.push_back({{"step", step.number},
                     {"line", step.line},
                     {"time_s", step.time.value()},
                     {"warm_up", i < log.steady.warm_up},
                     {"batch", json_or_null(step.batch)},
                     {"tokens_per_device_s", json_or_null(step.tokens_per_s)},
                     {"flops_per_device_s", json_or_null(step.flops_per_s)},
                     {"utilization", json_or_null(step.utilization)},
                     {"memory_bytes", step.memory ? Json(step.memory->value()) : Json(nullptr)}});
  }
  return steps;
}

Json timers_json(const StepLog& log) {
  Json timers = Json::array();
  for (const LoggedTimer& timer : log.timers) {
    Json ranks = Json::array();
    for (const Seconds time : timer.by_rank) ranks.push_back(time.value());
    timers.push_back({{"name", timer.name},
                      {"lines", timer.lines},
                      {"min_s", timer.least.value()},
                      {"max_s", timer.most.value()},
                      {"ranks_s", ranks}});
  }
  return timers;
}

Json logged_ranks_json(const StepLog& log) {
  Json ranks = Json::array();
  for (const LoggedRank& rank : log.ranks)
    ranks.push_back({{"rank", rank.rank}, {"mean_s", rank.mean.value()}});
  return ranks;
}

std::string timers_text(const StepLog& log) {
  if (log.timers.empty()) return "";
  TableRows rows = {{"timer, mean per step", "fastest rank", "slowest rank", "slowest over fastest"}};
  for (const LoggedTimer& timer : log.timers) {
    const bool known = timer.least > Seconds();
    rows.push_back({timer.name, duration_text(timer.least), duration_text(timer.most),
                    known ? fmt::format("{:.3f}", timer.most / timer.least) : ""});
  }
  return '\n' + table_text(rows);
}

}  // namespace
}  // namespace step_log_report

std::string step_log_text(const StepLog& log, const std::vector<HeldStep>& predicted) {
  std::string text = wrapped("", log.format + ": " + log.file, kTableColumns) + steady_text(log.steady);
  if (!log.slow_ranks.empty())
    text += fmt::format("slow ranks:   {}, more than {} above the median\n", ranks_words(log.slow_ranks),
                        percent(kSlowRank, 0));
  text += step_log_report::timers_text(log) + predictions_text(predicted);
  for (const Note& note : log.notes) text += wrapped("", to_string(note), kTableColumns);
  return text;
}

std::string step_log_json(const StepLog& log, const std::vector<HeldStep>& predicted) {
  using namespace step_log_report;
  const Json document = {{"schema", "spillway/step-log/1"},
                         {"format", log.format},
                         {"file", log.file},
                         {"steady", steady_json(log.steady)},
                         {"steps", logged_steps_json(log)},
                         {"timers", timers_json(log)},
                         {"ranks", logged_ranks_json(log)},
                         {"slow_ranks", log.slow_ranks},
                         {"predictions", predictions_json(predicted)},
                         {"notes", notes_json(log.notes)}};
  return dumped(document, 2) + '\n';
}

std::string verdict(const StepLog& log, const std::vector<HeldStep>& predicted) {
  return "a steady step takes " + steady_words(log.steady) + prediction_words(predicted);
}

}  // namespace spillway
