#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "api/check_program.h"
#include "api/derive_order.h"
#include "base/number.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "report/order/blocking_text.h"
#include "report/order/derivation.h"
#include "report/order/list_notes.h"

namespace spillway {
namespace {

constexpr int kDoesNotHold = 4;

void print_notes(const DeriveAnswer& answer) {
  const ScheduleSpec& schedule = answer.experiment.schedules[answer.schedule];
  for (const std::string& note : list_notes(answer.derived, schedule.order != MicrobatchOrder::AsSampled))
    std::cerr << "note: " << note << '\n';
}

struct DeriveOptionsGiven {
  CheckArguments check;
  std::string format;   // empty: not given
  std::string buffers;  // the same
  bool checks = false;
  bool json = false;
};

int print_check(const DeriveOptionsGiven& given) {
  if (!given.format.empty())
    refuse_argument("--format", "no --check beside it, which prints no order", '"' + given.format + '"');
  if (!given.check.derive.out.empty())
    refuse_argument("--out", "no --check beside it, which writes no files",
                    '"' + given.check.derive.out + '"');
  CheckArguments arguments = given.check;
  arguments.buffers = number_from<std::uint32_t>(given.buffers);
  if (!given.buffers.empty() && !arguments.buffers)
    refuse_argument("--buffers", "a whole number from 0 to 4294967295", given.buffers);
  const CheckAnswer answer = check_program(arguments);
  std::cout << (given.json ? check_json(answer.program, answer.buffers, answer.check)
                           : check_text(answer.program, answer.buffers, answer.check));
  return answer.check.safe ? 0 : kDoesNotHold;
}

void refuse_without_check(const DeriveOptionsGiven& given) {
  constexpr const char* kWithCheck = "--check beside it";
  if (given.json)
    refuse_argument("--json", std::string(kWithCheck) + "; --format json prints the order", "no --check");
  if (!given.check.semantics.empty()) refuse_argument("--semantics", kWithCheck, "no --check");
  if (!given.buffers.empty()) refuse_argument("--buffers", kWithCheck, "no --check");
}

int print_order(const DeriveOptionsGiven& given) {
  if (given.checks) return print_check(given);
  refuse_without_check(given);
  DeriveArguments arguments = given.check.derive;
  if (!given.format.empty()) arguments.format = given.format;
  const DeriveAnswer answer = derive_order(arguments);
  if (answer.format == DerivationFormat::Csv) print_notes(answer);
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
      "execution traces, one file per rank and replica) or csv (action lists as "
      "torch.distributed.pipelining reads them; [layers=5] is the number of layers of a stage; a transposed "
      "region is a stage if one rank computes all of it, else a note says why it is left out)");
  command->add_option("--out", arguments.out, "folder for the files of --format chakra");
  command->add_flag(
      "--check", given->checks,
      "tell whether the program that ranks execute can block for ever, and at which actions, but "
      "not whether it trains the model; EXPERIMENT may also be a program (spillway schema "
      "program); exit status 4 if it can");
  command->add_option(
      "--semantics", given->check.semantics,
      "with --check: rendezvous (default): a send is over when its receive is posted; buffered: "
      "at once");
  command->add_option("--buffers", given->buffers,
                      "with --check: sends that an ordered pair of ranks may hold until their receives are "
                      "posted");
  command->add_flag("--json", given->json, "with --check: print the result as JSON (spillway schema check)");
  command->footer("Example: spillway derive workloads/experiments/small.json --schedule mpipe --format dot");
  command->callback([given, &status] { status = print_order(*given); });
}

}  // namespace spillway
