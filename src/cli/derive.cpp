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

int print_order(const DeriveArguments& arguments) {
  const DeriveAnswer answer = derive_order(arguments);
  if (answer.format == DerivationFormat::Csv) say_what_is_lost(answer.experiment.schedules[answer.schedule]);
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
      "execution traces, one file per rank and replica) or csv (PyTorch action lists of the pipelined "
      "regions; [layers=5] is the number of "
      "layers of a stage; the work of transposed regions has no such form and is left out)");
  command->add_option("--out", arguments->out, "folder for the files of --format chakra");
  command->footer("Example: spillway derive workloads/experiments/small.json --schedule mpipe --format dot");
  command->callback([arguments, &status] { status = print_order(*arguments); });
}

}  // namespace spillway
