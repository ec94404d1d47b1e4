#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "api/derive_order.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "report/order/derivation.h"
#include "report/order/list_notes.h"

namespace spillway {
namespace {

void print_notes(const DeriveAnswer& answer) {
  const ScheduleSpec& schedule = answer.experiment.schedules[answer.schedule];
  for (const std::string& note : list_notes(answer.derived, schedule.order != MicrobatchOrder::AsSampled))
    std::cerr << "note: " << note << '\n';
}

int print_order(const DeriveArguments& arguments) {
  const DeriveAnswer answer = derive_order(arguments);
  if (answer.format == DerivationFormat::Csv) print_notes(answer);
  write_answer(std::cout, answer, arguments);
  return 0;
}

}  // namespace

void add_derive(CLI::App& app, int& status) {
  auto arguments = std::make_shared<DeriveArguments>();
  CLI::App* command = app.add_subcommand(
      "derive", "print a schedule's placement of layers, its collectives and its order of events");
  add_experiment(*command, arguments->experiment);
  command->add_option("--schedule", arguments->schedule,
                      "name of the schedule (default: the one of --order, otherwise the first)");
  command->add_option(
      "--format", arguments->format,
      "text, json, program (what each rank executes), dot, graphml, goal (for LogGOPSim), chakra (MLCommons "
      "execution traces, one file per rank and replica) or csv (action lists as "
      "torch.distributed.pipelining reads them; [layers=5] is the number of layers of a stage; a transposed "
      "region is a stage if one rank computes all of it, else a note says why it is left out)");
  command->add_option("--out", arguments->out, "folder for the files of --format chakra");
  command->footer("Example: spillway derive workloads/experiments/small.json --schedule mpipe --format dot");
  command->callback([arguments, &status] { status = print_order(*arguments); });
}

}  // namespace spillway
