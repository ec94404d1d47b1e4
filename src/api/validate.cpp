#include "api/validate.h"

#include <algorithm>
#include <optional>
#include <set>

#include "api/explain.h"
#include "base/files.h"
#include "base/printable.h"
#include "draws/costs.h"
#include "input/experiment/experiment.h"
#include "json/shipped_files.h"
#include "traces/formats/read_trace.h"
#include "validate/copied_stages.h"

namespace spillway {
namespace {

CaseExplanation explanation_of(const GapAccount& gap) {
  if (gap.settings.empty()) return {gap_verdict(gap), ""};
  const TriedSetting& best = gap.settings.front();
  return {gap_verdict(gap), best.words, best.settings, best.closes, best.plausibility};
}

void explain_errors(const CaseFile& file, std::vector<CaseResult>& cases) {
  for (CaseResult& one : cases)
    if (one.measured.step)
      one.explanation = explanation_of(explain_case(file, case_named(file, one.measured.name)));
}

ValidatedCases validated_cases(const ValidateArguments& arguments) {
  const std::string given = '"' + arguments.measured.file + '"';
  if (!arguments.experiment.file.empty() || !arguments.platform.empty())
    refuse_argument(arguments.experiment.file.empty() ? "--platform" : "--experiment",
                    "a trace, since a table of measured steps names its own", given);
  Engines engines = engines_from(arguments.engines);
  engines.intervals = arguments.intervals;
  const CaseFile file(arguments.measured);
  const auto only =
      arguments.case_name.empty() ? std::nullopt : std::optional(case_named(file, arguments.case_name));
  ValidatedCases validated{file.table(), run_cases(file, engines, only, arguments.causes)};
  if (arguments.explain) explain_errors(file, validated.cases);
  return validated;
}

// Reads all tables before the first case runs, so that bad input is refused at once.
ValidatedTables validated_tables(const ValidateArguments& arguments) {
  std::vector<Source> sources = {arguments.measured};
  for (const Source& one : arguments.more) sources.push_back(shipped_source(one, "cases"));
  const std::string count = std::to_string(sources.size()) + " tables";
  if (!arguments.case_name.empty()) refuse_argument("--case", "one table of measured steps", count);
  std::set<std::string> files;
  for (const Source& one : sources) {
    if (!is_own_document(one))
      refuse_argument("MEASURED", "tables of measured steps, or one trace alone", '"' + one.file + '"');
    if (!one.text && !files.insert(one.file).second)
      refuse_argument("MEASURED", "each table once", '"' + one.file + "\" twice");
  }
  InputErrors errors;
  for (const Source& one : sources) errors.of([&] { CaseFile{one}; });
  errors.throw_if_any();
  ValidatedTables tables;
  for (const Source& one : sources) {
    ValidateArguments each = arguments;
    each.measured = one;
    tables.push_back(validated_cases(each));
  }
  return tables;
}

Experiment experiment_of(const ValidateArguments& arguments) {
  std::vector<Setting> settings;
  // The path is relative to the user's folder, not to the experiment.
  if (!arguments.platform.empty())
    settings.push_back({"/platform", absolute_path(shipped_or(arguments.platform, "platform")).string()});
  return read_experiment(arguments.experiment, settings);
}

void require_options_of_a_trace(const ValidateArguments& arguments) {
  const std::string given = '"' + arguments.measured.file + '"';
  if (!arguments.case_name.empty()) refuse_argument("--case", "a table of measured steps", given);
  if (arguments.intervals) refuse_argument("--intervals", "a table of measured steps", given);
  if (arguments.causes) refuse_argument("--causes", "a table of measured steps", given);
  if (arguments.explain) refuse_argument("--explain", "a table of measured steps", given);
  if (!arguments.engines.empty())
    refuse_argument("--engine", "a table of measured steps, since a trace is replayed by the longest path",
                    given);
}

// The trace may lack the backwards of the first stages instead.
void require_frozen(const Experiment& experiment, const Trace& trace) {
  if (!experiment.model.trainable({0, 1})) return;
  const std::string frozen = std::to_string(frozen_stages(trace));
  throw InputError({{trace.files.empty() ? trace.format : trace.files.front(), "/",
                     "a backward on every stage, since the experiment trains its first layers",
                     "none on the first " + frozen + " stages"}});
}

Validation validated_copies(const ValidateArguments& arguments, const Trace& trace) {
  if (frozen_stages(trace) > 0 && !arguments.experiment.file.empty())
    require_frozen(experiment_of(arguments), trace);
  Validation validation = validate_copies(trace);
  if (!arguments.experiment.file.empty() || !arguments.platform.empty())
    validation.notes.push_back({NoteKind::Missing, 0,
                                "the model is not priced: the trace has copies of stages, as of a transposed "
                                "region or of DualPipe, or frozen stages without a backward"});
  return validation;
}

std::vector<HeldStep> predicted_steps(const ValidateArguments& arguments, Seconds measured) {
  if (arguments.experiment.file.empty() && !arguments.experiment.text) return {};
  Engines engines;
  engines.intervals = true;
  const std::string file = arguments.experiment.file;
  return held_steps(evaluate_whether_it_fits(experiment_of(arguments), file, engines), measured);
}

void require_an_experiment(const ValidateArguments& arguments) {
  if (!arguments.platform.empty() && arguments.experiment.file.empty())
    refuse_argument("--experiment", "the job, beside --platform", "none");
}

[[noreturn]] void refuse_text(const std::string& file, const std::string& beginning) {
  const std::string line = beginning.substr(0, std::min<std::size_t>(beginning.find_first_of("\r\n"), 200));
  throw InputError(
      {{file, "/",
        "a trace, a table of measured steps, or a log with lines of steps: Megatron's with \"elapsed time "
        "per "
        "iteration\", torchtitan's with \"step:\" and \"tps:\", or JSON with a step's number and time",
        line.empty() ? "an empty file" : "a file that begins with " + in_quotes(line)}});
}

std::optional<ValidatedLog> validated_log(const ValidateArguments& arguments) {
  if (!is_plain_file(arguments.measured.file)) return std::nullopt;
  const std::string beginning = beginning_of(arguments.measured.file);
  const bool events = beginning.starts_with('[') && begins_json(beginning);
  if (events || begins_trace(beginning) || !may_be_log(beginning)) return std::nullopt;
  const auto ends = [&](const char* suffix) { return arguments.measured.file.ends_with(suffix); };
  if (ends(".nsys-rep") || ends(".qdrep")) return std::nullopt;  // read_trace() says how to convert it
  std::optional<StepLog> log = step_log(arguments.measured.file);
  if (!log) refuse_text(arguments.measured.file, beginning);
  require_options_of_a_trace(arguments);
  require_an_experiment(arguments);
  std::vector<HeldStep> predicted = predicted_steps(arguments, log->steady.mean);
  return ValidatedLog{*std::move(log), std::move(predicted)};
}

// A file without a whole step holds no prediction.
std::optional<ValidatedProfile> validated_profile(const ValidateArguments& arguments) {
  std::optional<JobProfile> job = job_profile(arguments.measured.file);
  if (!job) return std::nullopt;
  require_options_of_a_trace(arguments);
  require_an_experiment(arguments);
  if (!arguments.experiment.file.empty() && !job->steps)
    throw InputError({{arguments.measured.file, "/traceEvents",
                       "a whole step, to hold the experiment's against", "no step"}});
  const Seconds measured = job->steps ? job->steps->mean : Seconds();
  std::vector<HeldStep> predicted =
      job->steps ? predicted_steps(arguments, measured) : std::vector<HeldStep>();
  return ValidatedProfile{*std::move(job), std::move(predicted)};
}

Validation validated_trace(const ValidateArguments& arguments) {
  require_options_of_a_trace(arguments);
  const Trace trace = read_trace(arguments.measured.file);
  if (has_copied_stages(trace) || frozen_stages(trace) > 0) return validated_copies(arguments, trace);
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  const ScheduleMatch match = match_schedule(pipeline);
  if (!arguments.experiment.file.empty()) {
    const Experiment experiment = experiment_of(arguments);
    const ModelSource source{experiment, [](const Experiment& adapted, const Derived& derived) {
                               return DrawCosts(adapted).of(derived, 0);
                             }};
    return validate_trace(trace, pipeline, match, &source);
  }
  Validation validation = validate_trace(trace, pipeline, match);
  if (!arguments.platform.empty())
    validation.notes.push_back(
        {NoteKind::Missing, 0,
         "a trace does not name its model, so a platform alone gives no prices; also give --experiment"});
  return validation;
}

}  // namespace

ValidateAnswer validate(const ValidateArguments& given) {
  ValidateArguments arguments = given;
  if (!given.measured.text) arguments.measured.file = shipped_or(given.measured.file, "recorded");
  arguments.measured = shipped_source(arguments.measured, "cases");
  arguments.experiment = shipped_source(given.experiment, "experiment");
  if (!arguments.more.empty()) return validated_tables(arguments);
  if (is_own_document(arguments.measured)) return validated_cases(arguments);
  if (auto log = validated_log(arguments)) return *std::move(log);
  if (auto profile = validated_profile(arguments)) return *std::move(profile);
  return validated_trace(arguments);
}

}  // namespace spillway
