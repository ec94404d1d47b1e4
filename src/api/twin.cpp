#include "api/twin.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "api/experiment_input.h"
#include "base/files.h"
#include "base/text.h"
#include "input/experiment/experiment.h"
#include "input/experiment/measured_rows.h"
#include "input/experiment/whole_paths.h"
#include "json/document.h"
#include "json/shipped_files.h"
#include "report/step/json.h"
#include "report/step/text.h"
#include "search/answer/plan_figures.h"
#include "search/job.h"
#include "traces/formats/read_trace.h"
#include "traces/logs/step_log.h"
#include "traces/profile/job_profile.h"
#include "twin/log_rows.h"
#include "twin/profile_rows.h"
#include "twin/table_rows.h"
#include "warn/measured_doubts.h"

namespace spillway {
namespace {

constexpr std::string_view kPlanSchema = "spillway/plan/1";

// A file, or a shipped experiment or job of that name.
Source source_of(const Source& job) {
  if (job.text) return job;
  const std::string experiment = shipped_or(job.file, "experiment");
  return experiment == job.file ? shipped_source(job, "job") : Source(experiment);
}

Node document_of(const Source& job, const std::vector<std::string>& sets) {
  Findings findings(job.file);
  std::optional<Node> document = read_json(job, findings);
  findings.throw_if_any();
  apply(settings_from(sets), *document, findings);
  findings.throw_if_any();
  if (!std::holds_alternative<Object>(document->value)) {
    findings.add("", "an experiment or a plan job", describe(*document));
    findings.throw_if_any();
  }
  return *std::move(document);
}

bool is_plan(const Node& document) {
  const Node* schema = find(std::get<Object>(document.value), "schema");
  const auto* text = schema ? std::get_if<std::string>(&schema->value) : nullptr;
  return text && *text == kPlanSchema;
}

// The experiment that the measured passes are read against: of a plan job, one device of its first cluster.
Experiment experiment_of(const Node& document, const std::string& file) {
  const Source source(file, json_text(document));
  return is_plan(document) ? read_plan_job(source).clusters.front().base : read_experiment(source, {});
}

void require_platform(const Experiment& experiment, const std::string& file) {
  if (on_platform(experiment.costs)) return;
  throw InputError(
      {{file, "/model/blocks", "blocks with architectures, on a platform that prices what was not measured",
        "blocks with profiles"}});
}

void require_schedule(const Experiment& experiment, const std::string& name) {
  const auto& all = experiment.schedules;
  if (name.empty() || std::ranges::find(all, name, &ScheduleSpec::name) != all.end()) return;
  std::string names;
  for (const ScheduleSpec& schedule : all) add_to_list(names, schedule.name);
  refuse_argument("--schedule", "a schedule of " + experiment.name + ": " + names, '"' + name + '"');
}

// A file's content says what it is.
TraceRows rows_of_file(const std::string& file, const Experiment& experiment, const TraceChoice& choice) {
  if (is_plain_file(file)) {
    const std::string beginning = beginning_of(file);
    if (begins_measured(beginning)) return table_rows(file, experiment);
    if (!begins_trace(beginning) && may_be_log(beginning))
      if (const std::optional<StepLog> log = step_log(file)) return log_rows(*log, experiment, choice);
  }
  if (const std::optional<JobProfile> job = job_profile(file)) return profile_rows(*job, experiment, choice);
  return trace_rows(read_trace(file), experiment, choice);
}

// The rows of all files, in their order.
TraceRows rows_of(const TwinArguments& arguments, const Experiment& experiment) {
  TraceRows all;
  InputErrors errors;
  for (const std::string& file : arguments.measured)
    errors.of([&] {
      TraceRows some = rows_of_file(file, experiment, arguments.choice);
      all.rows.insert(all.rows.end(), some.rows.begin(), some.rows.end());
      if (!some.schedule.empty())
        some.notes.insert(some.notes.begin(), "read with the stages of schedule " + some.schedule);
      for (const std::string& note : some.notes) all.notes.push_back(file + ": " + note);
    });
  errors.throw_if_any();
  return all;
}

Node counts_node(const std::vector<std::uint32_t>& counts) {
  List list;
  for (const std::uint32_t count : counts) list.push_back({std::uint64_t{count}});
  return {std::move(list)};
}

// A list of counts, or one for each of several microbatches.
Node contents_node(const std::vector<MeasuredSize>& sizes, std::vector<std::uint32_t> MeasuredSize::*part) {
  if (sizes.size() == 1) return counts_node(sizes.front().*part);
  List list;
  for (const MeasuredSize& size : sizes) list.push_back(counts_node(size.*part));
  return {std::move(list)};
}

bool has_any(const std::vector<MeasuredSize>& sizes, std::vector<std::uint32_t> MeasuredSize::*part) {
  return std::ranges::any_of(sizes, [&](const MeasuredSize& size) { return !(size.*part).empty(); });
}

Node milliseconds_node(const std::vector<Seconds>& times) {
  List list;
  for (const Seconds time : times) list.push_back({time / milliseconds(1)});
  return {std::move(list)};
}

Node passes_node(const PassTable& measured, const Model& model) {
  List list;
  for (const auto& [layers, pass, sizes, times, kept, where] : measured.passes) {
    Object row{{"stage", {layers_text(model, layers)}}, {"direction", {std::string(direction_word(pass))}}};
    for (const auto& [key, part] :
         {std::pair("tokens", &MeasuredSize::sequences), std::pair("patches", &MeasuredSize::patches)})
      if (has_any(sizes, part)) row.push_back({key, contents_node(sizes, part)});
    if (!times.empty()) row.push_back({"milliseconds", milliseconds_node(times)});
    List bytes;
    for (const Bytes one : kept) bytes.push_back({one.value()});
    if (!bytes.empty()) row.push_back({"bytes", {std::move(bytes)}});
    list.push_back({std::move(row)});
  }
  for (const auto& [layers, times] : measured.updates)
    list.push_back({Object{{"stage", {layers_text(model, layers)}},
                           {"direction", {std::string(kOptimizerWord)}},
                           {"milliseconds", milliseconds_node(times)}}});
  return {std::move(list)};
}

// The devices and the recomputation of the measured passes, so that they stay theirs where the job's change.
void state_layout(const PassTable& measured, std::uint32_t replicas, Object& stated) {
  const Parallelism& layout = measured.layout;
  for (const auto& [key, devices] : {std::pair("tensor", layout.tensor), std::pair("context", layout.context),
                                     std::pair("expert", layout.expert)})
    if (!find(stated, key)) stated.push_back({key, {std::uint64_t{devices}}});
  if (!measured.updates.empty() && !find(stated, "replicas"))
    stated.push_back({"replicas", {std::uint64_t{replicas}}});
  const Recomputation& first = measured.recompute.front();
  const bool one_word = first == Recomputation(first.what) &&
                        std::ranges::count(measured.recompute, first) == std::ssize(measured.recompute);
  if (one_word && !find(stated, "recompute"))
    stated.push_back({"recompute", {std::string(kRecomputes[static_cast<std::size_t>(first.what)].first)}});
}

void set_passes(Node& document, const PassTable& measured, const Experiment& experiment) {
  auto& keys = std::get<Object>(document.value);
  Node* key = find(keys, "measured");
  if (!key || !std::holds_alternative<Object>(key->value)) {
    std::erase_if(keys, [](const Member& member) { return member.key == "measured"; });
    keys.push_back({"measured", {Object{}}});
    key = &keys.back().value;
  }
  auto& stated = std::get<Object>(key->value);
  std::erase_if(stated, [](const Member& member) { return member.key == "passes"; });
  if (!is_plan(document)) state_layout(measured, experiment.pipeline.replicas, stated);
  stated.push_back({"passes", passes_node(measured, experiment.model)});
}

// The passes of the written job, with the files and lines that they came from.
Experiment measured_job(const Node& document, const std::string& file, const PassTable& measured) {
  Experiment job = experiment_of(document, file);
  AnalyticCosts& costs = *on_platform(job.costs);
  PassTable written = *costs.measured;
  for (std::size_t i = 0; i < written.passes.size(); ++i) written.passes[i].where = measured.passes[i].where;
  costs.measured = std::make_shared<const PassTable>(std::move(written));
  return job;
}

PlanAnswer planned(const Source& job) {
  PlanArguments arguments;
  arguments.source = job;
  return plan_job(arguments, nullptr);
}

RunAnswer run_with(const Source& job, const TwinArguments& arguments) {
  RunArguments run;
  run.experiment.source = job;
  run.engines = arguments.engines;
  run.draws = arguments.draws;
  RunAnswer answer = spillway::run(run);
  std::erase_if(answer.evaluation.warnings, [](const Warning& warning) {
    return warning.code == kMeasuredDoubt;
  });  // the account has them
  return answer;
}

std::variant<RunAnswer, PlanAnswer> result_of(const Source& job, bool plans, const TwinArguments& arguments) {
  if (plans) return planned(job);
  return run_with(job, arguments);
}

const std::vector<ScheduleResult>& schedules_of(const std::variant<RunAnswer, PlanAnswer>& result) {
  static const std::vector<ScheduleResult> none;
  const auto* run = std::get_if<RunAnswer>(&result);
  return run ? run->evaluation.schedules : none;
}

}  // namespace

TwinAnswer twin(const TwinArguments& arguments) {
  const Source stated = source_of(arguments.job);
  const std::string& file = stated.file;
  Node document = document_of(stated, arguments.sets);
  const Experiment experiment = experiment_of(document, file);
  require_platform(experiment, file);
  require_schedule(experiment, arguments.choice.schedule);
  TraceRows rows = rows_of(arguments, experiment);
  Findings findings(file);
  const auto measured =
      measured_passes(rows.rows, experiment.model, *on_platform(experiment.costs), findings);
  findings.throw_if_any();
  set_passes(document, *measured, experiment);
  const Source job(file, json_text(document));
  TwinAccount account = twin_account(measured_job(document, file, *measured));
  account.notes.insert(account.notes.begin(), rows.notes.begin(), rows.notes.end());
  std::variant<RunAnswer, PlanAnswer> result = result_of(job, is_plan(document), arguments);
  make_paths_whole(document, file);
  return {std::move(account), std::move(result), json_text(document)};
}

std::string TwinAnswer::text() const {
  std::ostringstream shown;
  if (const auto* run = std::get_if<RunAnswer>(&result))
    write_text_report(shown, run->evaluation, terminal_style());
  else
    shown << plans_text(std::get<PlanAnswer>(result).report);
  return twin_text(account, schedules_of(result), shown.str());
}

std::string TwinAnswer::json() const {
  if (const auto* run = std::get_if<RunAnswer>(&result))
    return twin_json(account, schedules_of(result), "report", report_json(run->evaluation));
  return twin_json(account, {}, "plans", plans_json(std::get<PlanAnswer>(result).report));
}

std::string TwinAnswer::page() const {
  const std::string passes = passes_json(account, schedules_of(result));
  if (const auto* run = std::get_if<RunAnswer>(&result)) return page_json(run->evaluation, {.twin = passes});
  const auto& plans = std::get<PlanAnswer>(result);
  return plans_page_json(plans.report, plans.picture, passes);
}

}  // namespace spillway
