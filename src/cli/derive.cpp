#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "api/check_program.h"
#include "api/derive_order.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "report/order/blocking_text.h"
#include "report/order/derivation.h"

namespace spillway {
namespace {

constexpr int kDoesNotHold = 4;

// Notes what is lost when the lists are read back.
void say_what_is_lost(const ScheduleSpec& schedule) {
  const auto note = [](const char* text) { std::cerr << "note: " << text << '\n'; };
  const auto& skeletons = schedule.schedule.skeletons;
  if (transposes(schedule.schedule))
    note(
        "the lists leave out the work of transposed regions; to run the rest, give this file as the "
        "order_file of a \"transpose,listed\" schedule");
  if (std::any_of(skeletons.begin(), skeletons.end(),
                  [](const Skeleton& s) { return fold_of(s) == Fold::Bidirectional; }))
    note(
        "the second copy of stage s has number ranks + s; order_file takes one copy of each stage, so it "
        "refuses these lists");
  if (schedule.order != MicrobatchOrder::AsSampled)
    note(
        "microbatches are numbered in the order in which they run; an order_file runs them in the order in "
        "which they are sampled");
}

struct DeriveOptionsGiven {
  CheckArguments check;
  std::string format;  // empty: not given
  bool checks = false;
  bool json = false;
};

int print_check(const DeriveOptionsGiven& given) {
  if (!given.format.empty())
    refuse_argument("--format", "no --check beside it, which prints no order", '"' + given.format + '"');
  if (!given.check.derive.out.empty())
    refuse_argument("--out", "no --check beside it, which writes no files",
                    '"' + given.check.derive.out + '"');
  const CheckAnswer answer = check_program(given.check);
  std::cout << (given.json ? check_json(answer.program, answer.buffers, answer.check)
                           : check_text(answer.program, answer.buffers, answer.check));
  return answer.check.safe ? 0 : kDoesNotHold;
}

void refuse_without_check(const DeriveOptionsGiven& given) {
  constexpr const char* kWithCheck = "--check beside it";
  if (given.json)
    refuse_argument("--json", std::string(kWithCheck) + "; --format json prints the order", "no --check");
  if (!given.check.semantics.empty()) refuse_argument("--semantics", kWithCheck, "no --check");
  if (given.check.buffers) refuse_argument("--buffers", kWithCheck, "no --check");
}

int print_order(const DeriveOptionsGiven& given) {
  if (given.checks) return print_check(given);
  refuse_without_check(given);
  DeriveArguments arguments = given.check.derive;
  if (!given.format.empty()) arguments.format = given.format;
  const DeriveAnswer answer = derive_order(arguments);
  if (answer.format == DerivationFormat::Csv) say_what_is_lost(answer.experiment.schedules[answer.schedule]);
  write_answer(std::cout, answer, arguments);
  return 0;
}

}  // namespace

void add_derive(CLI::App& app, int& status) {
  auto given = std::make_shared<DeriveOptionsGiven>();
  DeriveArguments& arguments = given->check.derive;
  CLI::App* command = app.add_subcommand("derive",
                                         "print a schedule's placement of layers, its collectives and its "
                                         "order of events, or check that it cannot "
                                         "block for ever");
  add_experiment(*command, arguments.experiment);
  command->add_option("--schedule", arguments.schedule,
                      "name of the schedule (default: the one of --order, otherwise the first)");
  command->add_option(
      "--format", given->format,
      "text, json, program (what each rank executes), dot, graphml, goal (for LogGOPSim), chakra (MLCommons "
      "execution traces, one file per rank and replica) or csv (PyTorch action lists of the pipelined "
      "regions; [layers=5] is the number of "
      "layers of a stage; the work of transposed regions has no such form and is left out)");
  command->add_option("--out", arguments.out, "folder for the files of --format chakra");
  command->add_flag("--check", given->checks,
                    "tell whether the program that ranks execute can block for ever, and at which actions; "
                    "EXPERIMENT may also be a program (spillway schema program); exit status 4 if it can");
  command->add_option(
      "--semantics", given->check.semantics,
      "with --check: rendezvous (default): a send is over when its receive is posted; buffered: "
      "at once");
  command->add_option("--buffers", given->check.buffers,
                      "with --check: sends that an ordered pair of ranks may hold until their receives are "
                      "posted");
  command->add_flag("--json", given->json, "with --check: print the result as JSON (spillway schema check)");
  command->footer("Example: spillway derive workloads/experiments/small.json --schedule mpipe --format dot");
  command->callback([given, &status] { status = print_order(*given); });
}

}  // namespace spillway
