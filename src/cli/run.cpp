#include "api/run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/stopwatch.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/sweep_progress.h"
#include "report/step/json.h"
#include "report/step/text.h"
#include "report/trace/chrome_trace.h"
#include "words/gzip.h"
#include "words/progress.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

struct RunOptions {
  RunArguments arguments;
  bool json = false;
  std::string out;  // folder for report.json and one trace per schedule; empty: none
  bool quiet = false;
  bool verbose = false;
  bool legend = false;
};

// A file name has at most 255 bytes.
constexpr std::size_t kLongestName = 200;

std::string encoded(std::string_view character) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string text;
  for (const char byte : character) {
    const auto c = static_cast<unsigned char>(byte);
    if (std::isalnum(c) || c == '-' || c == '_' || c == '.')
      text += byte;
    else
      text += {'%', digits[c / 16], digits[c % 16]};
  }
  return text;
}

// FNV-1a, 64 bits.
std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  char shown[17];
  std::snprintf(shown, sizeof shown, "%016llx", static_cast<unsigned long long>(hash));
  return shown;
}

// Schedule names become file names. All characters except letters, digits, '-', '_' and '.' are
// percent-encoded, so different names stay different. A long name is cut between characters and ends with '~'
// and a digest of the whole name.
std::string file_name(const std::string& name) {
  std::string text;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(character_length(rest), 1);
    const std::string next = encoded(rest.substr(0, length));
    if (text.size() + next.size() > kLongestName) return text + '~' + digest(name);
    text += next;
    rest.remove_prefix(length);
  }
  return text;
}

void add_run_files(WholeFiles& files, const RunAnswer& answer, const std::string& json,
                   const RunOptions& options) {
  const Evaluation& evaluation = answer.evaluation;
  const std::filesystem::path folder = options.out;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    files.add(folder / (file_name(schedule.name) + ".trace.json.gz"), [&](std::ostream& out) {
      write_gzipped(out, [&](std::ostream& text) { write_chrome_trace(text, schedule); });
    });
  }
  files.add(folder / "report.json", [&](std::ostream& out) { out << json; });
  add_page_file(files, folder, [&] { return run_page(answer, options.arguments.experiment); });
}

// Writes the experiment, so that a job read from a trace can run and change without the trace.
void add_document(WholeFiles& files, const ExperimentInput& input, const std::filesystem::path& folder) {
  if (input.document.empty()) return;
  files.add(folder / "experiment.json", [&](std::ostream& out) { out << input.document << '\n'; });
}

// Shows the progress of a run on a terminal, once the run has taken a second.
class RunProgress {
 public:
  explicit RunProgress(bool quiet);
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;
  ~RunProgress();  // clears the line

  void advance(std::uint64_t done, std::uint64_t total);

 private:
  Stopwatch watch_;
  double shown_at_ = 0;  // in seconds; 0: not yet
  std::size_t columns_;  // of the terminal; 0: nothing is shown
};

constexpr double kFirst = 1, kBetween = 0.1;  // in seconds

RunProgress::RunProgress(bool quiet) : columns_(quiet ? 0 : terminal_columns()) {}

RunProgress::~RunProgress() {
  if (shown_at_ > 0) std::cerr << '\r' << std::string(columns_ - 1, ' ') << '\r' << std::flush;
}

void RunProgress::advance(std::uint64_t done, std::uint64_t total) {
  const double now = watch_.seconds();
  if (columns_ == 0 || now < kFirst || now < shown_at_ + kBetween) return;
  shown_at_ = now;
  std::cerr << progress_line({.done = done, .total = total, .seconds = now, .what = "draws"}, columns_)
            << std::flush;
}

// The line of progress is cleared when this returns or throws.
RunAnswer looked_on(const RunOptions& options) {
  RunProgress progress(options.quiet);
  RunArguments arguments = options.arguments;
  arguments.figures_only = !options.json && !options.verbose && options.out.empty();
  return run(arguments, [&](std::uint64_t done, std::uint64_t total) { progress.advance(done, total); });
}

int run_all(const RunOptions& options) {
  const RunAnswer answer = looked_on(options);
  const Evaluation& evaluation = answer.evaluation;
  const bool needs_json = options.json || !options.out.empty();
  const std::string json = needs_json ? report_json(evaluation) : std::string();
  if (!options.out.empty()) {
    WholeFiles files;
    add_run_files(files, answer, json, options);
    add_document(files, answer.input, options.out);
    files.put();
  }
  if (options.json) {
    std::cout << json;
  } else {
    TextStyle style = terminal_style();
    style.verbose = options.verbose;
    style.legend = options.legend;
    write_text_report(std::cout, evaluation, style);
  }
  if (!options.out.empty())
    std::cerr << "wrote report.json, " << page_words()
              << " and a trace of each schedule (open in ui.perfetto.dev) under " << options.out << '\n';
  return 0;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  RunArguments& arguments = options->arguments;
  CLI::App* command =
      app.add_subcommand("run", "simulate every schedule of an experiment, and compare their step times");
  add_experiment(*command, arguments.experiment);
  add_engines(*command, arguments.engines);
  command->add_option("--draws", arguments.draws,
                      "number of draws: how many sampled batches of images, or measured steps, to simulate");
  check_seed(*command->add_option("--seed", arguments.seed, "seed of the random draws"));
  command->add_flag(
      "--equal-terms", arguments.equal_terms,
      "run all systems under equal terms: moving samples, knowing the draw, and chunks per rank; each term "
      "is the most that any of the systems has, or as set (--set /equal_terms/chunks=2)");
  command->add_flag("--json", options->json, "print the report as one JSON document");
  command->add_option("--out", options->out,
                      "folder for report.html, report.json and a Perfetto trace of each schedule; with "
                      "--workload also for the experiment made from the trace");
  command->add_flag("--verbose", options->verbose,
                    "also print throughput, critical paths, pictures of the timelines and a table of ranks");
  command->add_flag("--legend", options->legend, "explain the letters and columns of the tables");
  command->add_flag("--quiet", options->quiet, "do not show progress");
  command->footer(
      "Example: spillway run workloads/experiments/small.json --set /pipeline/microbatches=8\n"
      "Example: spillway run --workload workloads/published/traces/straggler-ar.csv --set "
      "/pipeline/microbatches=64");
  command->callback([options, &status] { status = run_all(*options); });
}

}  // namespace spillway
