#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "api/derive_order.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "report/order/derivation.h"

namespace spillway {
namespace {

// What whoever reads the lists back does not get.
void say_what_is_lost(const ScheduleSpec& schedule) {
  const auto note = [](const char* text) { std::cerr << "note: " << text << '\n'; };
  const auto& skeletons = schedule.schedule.skeletons;
  if (transposes(schedule.schedule))
    note(
        "what transposed regions compute is left out; the rest is read back as the order_file of "
        "\"transpose,listed\"");
  if (std::any_of(skeletons.begin(), skeletons.end(),
                  [](const Skeleton& s) { return fold_of(s) == Fold::Bidirectional; }))
    note("the second copy of stage s is numbered ranks + s; lists have one copy, so these are not read back");
  if (schedule.order != MicrobatchOrder::AsSampled)
    note("microbatches are numbered as they run; read back, they run as they are sampled");
}

int print_order(const DeriveArguments& arguments) {
  const DeriveAnswer answer = derive_order(arguments);
  if (answer.format == DerivationFormat::Csv) say_what_is_lost(answer.experiment.schedules[answer.schedule]);
  write_answer(std::cout, answer, arguments);
  return 0;
}

}  // namespace

void add_derive(CLI::App& app, int& status) {
  auto arguments = std::make_shared<DeriveArguments>();
  CLI::App* command = app.add_subcommand("derive", "print placement, collectives and order of a schedule");
  add_experiment(*command, arguments->experiment);
  command->add_option("--schedule", arguments->schedule,
                      "name of the schedule (default: that of --order, else the first)");
  command->add_option(
      "--format", arguments->format,
      "text, json, dot, graphml, goal (for LogGOPSim), chakra (execution traces of MLCommons, a file for "
      "each rank of each replica) or csv (the pipelined regions as PyTorch's action lists; what a transposed "
      "region computes has no such form and is left out; [layers=5] says how many layers a stage holds)");
  command->add_option("--out", arguments->out, "folder for the files of chakra");
  command->footer("Example: spillway derive workloads/experiments/small.json --schedule mpipe --format dot");
  command->callback([arguments, &status] { status = print_order(*arguments); });
}

}  // namespace spillway
