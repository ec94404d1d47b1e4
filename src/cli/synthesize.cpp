#include "api/synthesize.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "base/files.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "words/duration_text.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

// A text below zero would be read as a number near 2^64.
constexpr long long kMostTries = 1'000'000'000;

struct SynthesizeOptions {
  SynthesizeArguments arguments;
  std::string out;  // folder for the found schedule; empty: none
  bool json = false;
};

// Programs of draws: draws/0.json and so on. Those of an earlier run with more draws are removed.
void add_draw_programs(WholeFiles& files, const std::vector<std::string>& programs,
                       const std::filesystem::path& folder) {
  const auto file = [&](std::size_t draw) { return folder / "draws" / (std::to_string(draw) + ".json"); };
  std::size_t draw = 0;
  for (; draw < programs.size() && !programs[draw].empty(); ++draw)
    files.add(file(draw), [&](std::ostream& out) { out << programs[draw]; });
  for (; is_there(file(draw)); ++draw) files.drop(file(draw));
}

// A plan for a draw has to be there when the step before ends.
std::string planning_words(const DrawPlans& draws) {
  const double step = draws.step().value(), late = draws.processor_s - step;
  return "planning a draw took " + duration_text(Seconds(draws.processor_s)) + " of one core, " +
         (late <= 0 ? "no longer than the step before it, so it delays none"
                    : duration_text(Seconds(late)) + " more than the step before it, so each step takes " +
                          duration_text(Seconds(step + late)));
}

void write_found(const SynthesizeAnswer& answer, const std::filesystem::path& folder) {
  WholeFiles files;
  if (!answer.synthesis.entry.empty())
    files.add(folder / "schedule.json", [&](std::ostream& out) { out << answer.synthesis.entry << '\n'; });
  if (!answer.program.empty())
    files.add(folder / "program.json", [&](std::ostream& out) { out << answer.program; });
  add_draw_programs(files, answer.draw_programs, folder);
  add_page_file(files, folder, [&] { return synthesis_page(answer.synthesis); });
  files.put();
  std::cerr << "wrote the found schedule and " << page_words() << " under " << folder.string() << '\n';
  if (!answer.program.empty()) return;
  remove_file(folder / "program.json");  // of an earlier run
  std::cerr << "no program.json: the schedule has no form that execute plays\n";
}

int print_synthesis(const SynthesizeOptions& options) {
  const SynthesizeAnswer answer = synthesize(options.arguments);
  if (!options.out.empty()) write_found(answer, options.out);
  if (answer.synthesis.draws)
    std::cerr << planning_words(*answer.synthesis.draws) << '\n';
  else if (options.arguments.per_draw > 0)
    std::cerr
        << "no draw was planned by itself: all draws are alike, the time was over, or no order of one fits\n";
  std::cout << (options.json ? synthesis_json(answer.synthesis, answer.program)
                             : synthesis_text(answer.synthesis));
  return 0;
}

}  // namespace

void add_synthesize(CLI::App& app, int& status) {
  auto options = std::make_shared<SynthesizeOptions>();
  SynthesizeArguments& arguments = options->arguments;
  CLI::App* command = app.add_subcommand("synthesize",
                                         "find an order of passes for a job, with a bound that no order of "
                                         "the same passes on the same ranks can beat");
  add_experiment(*command, arguments.experiment);
  command->add_option("--effort", arguments.effort, "number of orders to try; it alone decides the result")
      ->check(CLI::Range(1LL, kMostTries))
      ->capture_default_str();
  command->add_option("--seconds", arguments.seconds,
                      "stop after this time, and print the effort that gives the same result");
  command->add_option("--memory", arguments.memory,
                      "bytes that a device may hold at any instant (default: the experiment's limit, or the "
                      "accelerator's memory)");
  command->add_option(
      "--skeletons", arguments.skeletons,
      "skeletons that the framework has, such as 1f1b,zb-h1 (default: all); backwards are split "
      "only if one of them splits them");
  command
      ->add_option("--per-draw", arguments.per_draw,
                   "orders to try for each draw of the experiment, from its own sizes (default: none)")
      ->check(CLI::Range(1LL, kMostTries));
  check_seed(*command->add_option("--seed", arguments.seed, "seed of the search")->capture_default_str());
  command->add_option("--out", options->out,
                      "folder for schedule.json, an entry of schedules, program.json and report.html; with "
                      "--per-draw also draws/0.json and so on, the program of each draw");
  command->add_flag("--json", options->json, "print one JSON document");
  command->footer(
      "Example: spillway synthesize workloads/experiments/zero-bubble.json --effort 2000\n"
      "Example: spillway synthesize workloads/experiments/experiment-a.json --seconds 10 --out found");
  command->callback([options, &status] { status = print_synthesis(*options); });
}

}  // namespace spillway
