#include "api/experiment_input.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"
#include "evaluate/memory_limit.h"
#include "input/experiment/experiment.h"
#include "input/experiment/order_file.h"
#include "json/document.h"
#include "json/json_text.h"
#include "json/shipped_files.h"
#include "traces/pipeline/measured_job.h"
#include "traces/pipeline/trace_experiment.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

void add_order(Experiment& experiment, const std::string& path) {
  // The schedule gets the file's name, and reports print it.
  if (first_invalid_utf8(path)) refuse_argument("--order", "a file name in UTF-8", "other bytes");
  ScheduleSpec added = listed_schedule(experiment, path);
  const bool taken = std::any_of(experiment.schedules.begin(), experiment.schedules.end(),
                                 [&](const ScheduleSpec& schedule) { return schedule.name == added.name; });
  if (taken)
    refuse_argument("--order", "a file name that no schedule of the experiment has", '"' + path + '"');
  experiment.schedules.push_back(std::move(added));
  // The added schedule may need keys that no other schedule needs.
  std::erase_if(experiment.idle_keys,
                [](const IdleKey& key) { return !key.pointer.starts_with("/schedules/"); });
}

// The user did not write the document, so only keys that the user set can be idle.
void keep_what_was_set(const std::vector<Setting>& settings, std::vector<IdleKey>& idle) {
  std::erase_if(idle, [&](const IdleKey& key) {
    return std::none_of(settings.begin(), settings.end(),
                        [&](const Setting& setting) { return key.pointer.starts_with(setting.pointer); });
  });
}

// Returns the document made from a trace, with its name for messages.
Source document_of_trace(const ExperimentArguments& arguments) {
  const MeasuredJob job = measured_job(shipped_argument(arguments.workload, "recorded"));
  if (arguments.source.file.empty()) return Source(arguments.workload, trace_experiment(job));
  const std::string& file = arguments.source.file;
  return Source(file, trace_experiment(job, read_json_text(arguments.source), file));
}

ExperimentInput from_trace(const ExperimentArguments& arguments, const std::vector<Setting>& settings) {
  const Source made = document_of_trace(arguments);
  const std::string &document = *made.text, &file = made.file;
  Experiment experiment = parse_experiment(document, file, settings);
  keep_what_was_set(settings, experiment.idle_keys);
  return {std::move(experiment), file, with_settings(document, file, settings)};
}

}  // namespace

void refuse_argument(const std::string& option, const std::string& expected, const std::string& found) {
  throw InputError({{"command line", option, expected, printable(found)}});
}

Setting setting_from(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (text.empty() || text[0] != '/' || equals == std::string::npos)
    refuse_argument(option, "/json/pointer=value", '"' + text + '"');
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<Setting> settings_from(const std::vector<std::string>& sets) {
  std::vector<Setting> settings;
  for (const std::string& text : sets) settings.push_back(setting_from("--set", text));
  return settings;
}

ExperimentInput read_input(const ExperimentArguments& arguments, const std::vector<Setting>& more) {
  std::vector<Setting> settings = settings_from(arguments.sets);
  settings.insert(settings.end(), more.begin(), more.end());
  const Source source = shipped_source(arguments.source, "experiment");
  ExperimentInput input = arguments.workload.empty()
                              ? ExperimentInput{read_experiment(source, settings), source.file, ""}
                              : from_trace(arguments, settings);
  if (!arguments.order.empty()) add_order(input.experiment, arguments.order);
  return input;
}

Experiment read_experiment(const ExperimentArguments& arguments) {
  return read_input(arguments).experiment;
}

Experiment read_alone(const ExperimentArguments& arguments, const std::vector<Setting>& more,
                      const ScheduleAlone& which, const Files& files) {
  std::vector<Setting> settings = settings_from(arguments.sets);
  if (!arguments.order.empty()) settings.push_back(as_a_schedule(arguments.order));
  settings.insert(settings.end(), more.begin(), more.end());
  return read_schedule_alone(arguments.workload.empty() ? shipped_source(arguments.source, "experiment")
                                                        : document_of_trace(arguments),
                             settings, which, files);
}

Node document_of(const ExperimentArguments& arguments) {
  const Source source = arguments.workload.empty() ? shipped_source(arguments.source, "experiment")
                                                   : document_of_trace(arguments);
  Findings findings(source.file);
  std::optional<Node> document = parse_json(read_json_text(source), findings);
  if (document) apply(settings_from(arguments.sets), *document, findings);
  findings.throw_if_any();
  return *std::move(document);
}

Evaluation evaluate(const Experiment& experiment, const std::string& file, const Engines& engines,
                    const OnDraw& on_draw) {
  Evaluation evaluation = evaluate_whether_it_fits(experiment, file, engines, on_draw);
  require_a_fit(evaluation);
  return evaluation;
}

Evaluation evaluate_whether_it_fits(const Experiment& experiment, const std::string& file,
                                    const Engines& engines, const OnDraw& on_draw) {
  try {
    OrderCache orders;
    return warned(evaluate(experiment, engines, orders, on_draw), experiment, engines);
  } catch (const InputError& bad) {
    throw InputError(located(bad.violations(), file, ""));
  }
}

Engines engines_from(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  Engines engines{.run = {}};
  for (const std::string& name : names) {
    const auto entry = std::find_if(engine_list().begin(), engine_list().end(),
                                    [&](const EngineEntry& known) { return known.name == name; });
    if (entry == engine_list().end())
      refuse_argument("--engine", names_of(all_engines(), ", ", " or "), '"' + name + '"');
    engines.run.add(entry->engine);
  }
  return engines;
}

std::size_t case_named(const CaseFile& file, const std::string& name) {
  const std::vector<MeasuredCase>& cases = file.table().cases;
  std::string known;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].name == name) return i;
    add_to_list(known, cases[i].name);
  }
  refuse_argument("--case", "one of " + known, '"' + name + '"');
}

const ScheduleSpec& schedule_named(const Experiment& experiment, const std::string& name) {
  if (name.empty()) return experiment.schedules.front();
  std::string known;
  for (const ScheduleSpec& schedule : experiment.schedules) {
    if (schedule.name == name) return schedule;
    add_to_list(known, schedule.name);
  }
  refuse_argument("--schedule", "one of " + known, '"' + name + '"');
}

}  // namespace spillway
