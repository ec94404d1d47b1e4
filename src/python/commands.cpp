// Each command takes arguments and returns an Answer. It releases the interpreter while it computes.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/calibrate.h"
#include "api/check_program.h"
#include "api/derive_order.h"
#include "api/explain.h"
#include "api/export_launch.h"
#include "api/images.h"
#include "api/import_script.h"
#include "api/import_trace.h"
#include "api/plan_job.h"
#include "api/run.h"
#include "api/sweep.h"
#include "api/synthesize.h"
#include "api/twin.h"
#include "api/validate.h"
#include "compare/comparison_print.h"
#include "input/architecture/architecture_reader.h"
#include "json/schema.h"
#include "json/schema_example.h"
#include "json/shipped_files.h"
#include "python/bindings.h"
#include "report/inputs/calibration.h"
#include "report/inputs/class_table.h"
#include "report/inputs/export_text.h"
#include "report/inputs/images.h"
#include "report/inputs/launch_text.h"
#include "report/inputs/measured_steps.h"
#include "report/inputs/support.h"
#include "report/inputs/trace_text.h"
#include "report/inputs/trace_validation.h"
#include "report/inputs/validation_table.h"
#include "report/order/blocking_text.h"
#include "report/page/html.h"
#include "report/run/page_json.h"
#include "report/step/json.h"
#include "sim/turn.h"
#include "sweep/table/export.h"
#include "sweep/table/summary.h"

namespace spillway {
namespace {

namespace py = pybind11;

using Texts = std::vector<std::string>;
using OptionalText = std::optional<std::string>;
using OnProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;  // empty: no callback

// A path, or a name with its text.
using Given = std::pair<std::string, OptionalText>;

Source source_of(const Given& given) {
  return given.second ? Source(given.first, *given.second) : Source(given.first);
}

ExperimentArguments experiment_given(const Given& given, Texts sets, std::string order,
                                     std::string workload) {
  return {source_of(given), std::move(sets), std::move(order), std::move(workload)};
}

// Looks for Ctrl-C a few times a second, and reports progress. An exception of the callback, or
// KeyboardInterrupt, ends the run.
class Watch {
 public:
  explicit Watch(const OnProgress& tell) : tell_(tell) {}

  void operator()(std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (done < total && now < looked_ + kBetween) return;
    looked_ = now;
    const py::gil_scoped_acquire interpreter;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (tell_) tell_(done, total);
  }

 private:
  static constexpr std::chrono::milliseconds kBetween{100};
  const OnProgress& tell_;
  std::chrono::steady_clock::time_point looked_ = {};
};

Answer run_command(const ExperimentArguments& experiment, Texts engines, std::optional<std::uint32_t> draws,
                   std::optional<std::uint64_t> seed, const OnProgress& progress) {
  std::optional<SimGridTurn> alone;  // it also protects the process's signals
  if (engines_from(engines).run.has(Engine::SimGrid)) alone.emplace();
  Watch watch(progress);
  auto answer =
      std::make_shared<const RunAnswer>(run({experiment, std::move(engines), draws, seed}, std::ref(watch)));
  return {report_json(answer->evaluation), [answer, experiment] { return run_page(*answer, experiment); },
          answer};
}

Answer explain_command(const ExperimentArguments& experiment, std::string case_name, std::string schedule,
                       std::optional<double> measured_s) {
  auto answer = std::make_shared<const ExplainAnswer>(
      explain({experiment, std::move(case_name), std::move(schedule), measured_s}));
  std::string document = explanation_json(answer->explanation);
  return {document, [answer, document, experiment] {
            return page_json(*answer->evaluation,
                             {.explanation = document, .measured = measured_step(experiment)});
          }};
}

Answer synthesize_command(const ExperimentArguments& experiment, std::uint64_t effort,
                          std::optional<double> seconds, std::optional<double> memory, std::uint64_t seed,
                          std::uint64_t per_draw, OptionalText skeletons) {
  auto answer = std::make_shared<const SynthesizeAnswer>(synthesize(
      SynthesizeArguments{experiment, effort, seconds, memory, seed, per_draw, std::move(skeletons)}));
  return {synthesis_json(answer->synthesis, answer->program),
          [answer] { return synthesis_page(answer->synthesis); }};
}

std::string derive_command(const ExperimentArguments& experiment, std::string schedule, std::string format,
                           std::string folder) {
  const DeriveArguments arguments{experiment, std::move(schedule), std::move(format), std::move(folder)};
  const DeriveAnswer answer = derive_order(arguments);
  std::ostringstream out;
  write_answer(out, answer, arguments);
  return out.str();
}

Answer check_command(const ExperimentArguments& experiment, std::string schedule, std::string semantics,
                     std::optional<std::uint32_t> buffers) {
  const CheckAnswer answer =
      check_program({{experiment, std::move(schedule)}, std::move(semantics), buffers});
  return {check_json(answer.program, answer.buffers, answer.check)};
}

Answer images_command(std::string trace, std::string rule) {
  return {images_json(images({std::move(trace), std::move(rule)}))};
}

// The document names what is refused. The command line also returns an exit status for it.
Answer support_command(const std::string& config) {
  const std::string file = shipped_or(config, "architecture");
  return {support_json(file, read_support(file))};
}

Answer import_command(std::string trace, Texts steps, std::string out) {
  return {trace_json(import_trace({std::move(trace), std::move(steps), std::move(out)}))};
}

Answer import_script_command(std::string script, std::string platform, std::string framework,
                             std::string architecture, std::optional<std::uint32_t> devices, Texts sets,
                             Texts arguments, Texts files, std::string images,
                             std::optional<std::uint32_t> text_tokens, std::uint32_t images_per_sample,
                             std::optional<double> measured_s, std::string out) {
  return {launch_json(
      import_script({std::move(script), std::move(platform), std::move(framework), std::move(architecture),
                     devices, std::move(sets), std::move(arguments), std::move(files), std::move(images),
                     text_tokens, images_per_sample, measured_s, std::move(out)}))};
}

Answer export_command(const ExperimentArguments& experiment, std::string schedule, std::string framework,
                      std::string out) {
  const ExportAnswer answer =
      export_launch({experiment, std::move(schedule), std::move(framework), std::move(out)});
  return {export_json(answer.experiment, answer.schedule, answer.launches, answer.instead)};
}

std::string json_of(const CalibratedCases& cases) {
  return case_fits_json(cases.table, cases.fits);
}

std::string json_of(const CalibratedPlatform& platform) {
  return fits_json(platform.base, platform.fits, platform.against, platform.document);
}

std::string json_of(const CalibratedFramework& framework) {
  return framework_fit_json(framework.fit, framework.document);
}

// With a table of measured steps, this replays them, maybe with SimGrid.
Answer calibrate_command(const CalibrateArguments& arguments) {
  std::optional<SimGridTurn> alone;  // it also protects the process's signals
  if (arguments.platform.empty() && arguments.framework.empty()) alone.emplace();
  return {std::visit([](const auto& any) { return json_of(any); }, calibrate(arguments))};
}

Answer with_page(std::string_view kind, std::string verdict, std::string document) {
  auto page = [kind, verdict = std::move(verdict), document] { return page_of(kind, verdict, document); };
  return {std::move(document), std::move(page)};
}

Answer answer_of(const ValidatedCases& steps) {
  return with_page("validation-cases", verdict(steps.cases), validation_json(steps.table, steps.cases));
}

Answer answer_of(const ValidatedTables& tables) {
  return with_page("validation-tables", verdict(tables), classes_json(tables));
}

Answer answer_of(const Validation& trace) {
  return with_page("validation", verdict(trace), trace_validation_json(trace));
}

Answer answer_of(const ValidatedLog& measured) {
  return {step_log_json(measured.log, measured.predicted)};
}

Answer answer_of(const ValidatedProfile& measured) {
  return {profile_json(measured.job, measured.predicted)};
}

Answer validate_command(const std::vector<Given>& measured, Texts engines, std::string case_name,
                        const Given& experiment, std::string platform, bool intervals, bool causes,
                        bool explain) {
  const SimGridTurn alone;
  std::vector<Source> tables;
  for (const Given& one : measured) tables.push_back(source_of(one));
  const std::vector<Source> more(tables.begin() + 1, tables.end());
  return std::visit([](const auto& either) { return answer_of(either); },
                    validate({tables.front(), more, std::move(engines), std::move(case_name),
                              source_of(experiment), std::move(platform), intervals, causes, explain}));
}

Answer compare_command(const Given& a, const Given& b, const Texts& fail_if) {
  std::vector<Condition> conditions;
  for (const std::string& text : fail_if) conditions.push_back(condition_from(text));
  const SimGridTurn alone;
  const Comparison comparison = compare_files(source_of(a), source_of(b));
  return with_page("comparison", verdict(comparison),
                   comparison_json(comparison, outcomes_of(conditions, comparison)));
}

std::string rows_json(const ResultStore& store) {
  std::ostringstream document;
  SweepExport rows(document, store.heading(), SweepFormat::Json);
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    rows.add(point.values, pointer_to(outcome));
  });
  rows.finish();
  return document.str();
}

std::string summary_line(const ResultStore& store) {
  constexpr std::size_t one_line = 100'000;  // columns; a page breaks lines itself
  SweepSummary summary(store.heading());
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    summary.add(point.values, pointer_to(outcome));
  });
  return summary.text(one_line);
}

[[noreturn]] void raise_interrupted(const SweepAnswer& answer) {
  const py::gil_scoped_acquire interpreter;
  PyErr_SetString(PyExc_KeyboardInterrupt,
                  (std::to_string(answer.end.done) + " of " + std::to_string(answer.end.points) +
                   " points are stored in " + answer.store.path() + "; continue with resume=True")
                      .c_str());
  throw py::error_already_set();
}

Answer sweep_command(const Given& given, std::string out, unsigned jobs, bool resume, std::string shard,
                     const OnProgress& progress) {
  const SimGridTurn alone;
  const SweepAnswer answer =
      sweep({source_of(given), std::move(out), jobs, resume, std::move(shard)}, nullptr, progress);
  if (answer.end.interrupted) raise_interrupted(answer);
  return with_page("sweep", summary_line(answer.store), rows_json(answer.store));
}

Answer plan_command(const Given& given, std::size_t top, unsigned jobs, std::string out, bool resume,
                    std::string framework, bool launchable, bool all, const OnProgress& progress) {
  const SimGridTurn alone;
  auto answer = std::make_shared<const PlanAnswer>(
      plan_job({source_of(given), top, jobs, std::move(out), resume, std::move(framework), launchable, all},
               nullptr, progress));
  return {plans_json(answer->report), [answer] { return plans_page_json(answer->report, answer->picture); }};
}

Answer twin_command(const Given& job, Texts measured, Texts sets, Texts steps,
                    std::vector<std::uint32_t> ranks, std::string schedule, Texts engines,
                    std::optional<std::uint32_t> draws) {
  const SimGridTurn alone;
  auto answer =
      std::make_shared<const TwinAnswer>(twin({source_of(job),
                                               std::move(measured),
                                               std::move(sets),
                                               {std::move(steps), std::move(ranks), std::move(schedule)},
                                               std::move(engines),
                                               draws}));
  return {answer->json(), [answer] { return answer->page(); }};
}

Answer explain_layout_command(const Given& given, const std::string& layout, unsigned jobs,
                              const OnProgress& progress) {
  const SimGridTurn alone;
  return {
      explain_layout_of_job({.source = source_of(given), .jobs = jobs}, layout, nullptr, progress).json()};
}

}  // namespace

void add_commands(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> meanwhile;
  py::class_<ExperimentArguments>(module, "Experiment").def(py::init(&experiment_given));
  py::class_<CalibrateArguments>(module, "Calibration")
      .def(py::init<>())
      .def_readwrite("files", &CalibrateArguments::files)
      .def_readwrite("engines", &CalibrateArguments::engines)
      .def_readwrite("platform", &CalibrateArguments::platform)
      .def_readwrite("framework", &CalibrateArguments::framework)
      .def_readwrite("architecture", &CalibrateArguments::architecture)
      .def_readwrite("out", &CalibrateArguments::out)
      .def_readwrite("source", &CalibrateArguments::source)
      .def_readwrite("operation", &CalibrateArguments::operation)
      .def_readwrite("devices", &CalibrateArguments::devices)
      .def_readwrite("per_node", &CalibrateArguments::per_node)
      .def_readwrite("against", &CalibrateArguments::against);
  module.def("run", run_command, meanwhile);
  module.def("explain", explain_command, meanwhile);
  module.def("synthesize", synthesize_command, meanwhile);
  module.def("derive", derive_command, meanwhile);
  module.def("check", check_command, meanwhile);
  module.def("images", images_command, meanwhile);
  module.def("support", support_command, meanwhile);
  module.def("export", export_command, meanwhile);
  module.def("import_trace", import_command, meanwhile);
  module.def("import_script", import_script_command, meanwhile);
  module.def("calibrate", calibrate_command, meanwhile);
  module.def("validate", validate_command, meanwhile);
  module.def("compare", compare_command, meanwhile);
  module.def("sweep", sweep_command, meanwhile);
  module.def("plan", plan_command, meanwhile);
  module.def("twin", twin_command, meanwhile);
  module.def("explain_layout", explain_layout_command, meanwhile);
  module.def("schema", json_schema);
  module.def("schema_example", schema_example);
}

}  // namespace spillway
