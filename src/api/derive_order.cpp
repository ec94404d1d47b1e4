#include "api/derive_order.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "api/program.h"
#include "cost/price.h"
#include "draws/fold.h"
#include "evaluate/fit.h"
#include "evaluate/host_memory.h"
#include "evaluate/workload_use.h"
#include "experiment/derive_options.h"
#include "optimize/plan.h"
#include "program/lower.h"
#include "report/order/chakra.h"
#include "report/order/goal.h"
#include "report/order/program_json.h"
#include "words/whole_file.h"
#include "words/wording.h"

namespace spillway {
namespace {

struct PlannedAsInARun {
  PlannedSchedule planned;
  std::vector<FittedParameter> fitted;
};

// Plans the schedule as a run does, for one of the replicas that cost the same. Only a program is that of one
// draw, so only its maps follow the draw.
PlannedAsInARun planned_as_in_a_run(const Experiment& experiment, const ScheduleSpec& schedule,
                                    DerivationFormat format, const std::string& file) {
  DrawCosts costs(folded(experiment, Links::Own));
  try {
    held_to_losses(workload_uses(costs));
  } catch (const InputError& bad) {
    throw InputError(located(bad.violations(), file, ""));
  }
  OrderCache orders;
  std::vector<FittedParameter> fitted = fit_parameters(costs, orders);
  const bool of_one_draw = format == DerivationFormat::Program && schedule.owner_from_draw;
  return {plan(costs, orders, schedule, of_one_draw ? std::optional(kProgramDraw) : std::nullopt),
          std::move(fitted)};
}

// A program numbers whole microbatches, as a runtime does.
void require_a_program(const Derived& derived, const Pipeline& job, const std::string& file,
                       const std::string& pointer) {
  std::vector<Violation> violations = check_lower(derived);
  if (violations.empty() && derived.pipeline.microbatches != job.microbatches)
    violations.push_back({"", "/schedule", "whole microbatches, which a program holds",
                          "microbatches that pass the encoder in parts"});
  if (!violations.empty()) throw InputError(located(std::move(violations), file, pointer));
}

DerivationFormat format_from(const std::string& name) {
  const auto format = derivation_format_from(name);
  if (!format)
    refuse_argument("--format", "text, json, dot, graphml, csv, goal, chakra or program", '"' + name + '"');
  return *format;
}

const ScheduleSpec& asked_for(const Experiment& experiment, const DeriveArguments& arguments) {
  const bool the_added = arguments.schedule.empty() && !arguments.experiment.order.empty();
  return the_added ? experiment.schedules.back() : schedule_named(experiment, arguments.schedule);
}

// A pass that several replicas compute together starts when the last of them is ready. No transfer of the
// pipeline expresses this.
void require_replicas_apart(const Derived& derived, const std::string& file) {
  for (const Event& event : derived.order.events())
    if (event.computes() && event.joined_replicas > 1)
      throw InputError({{file, "/pipeline/replicas", "independent replicas, which this format needs",
                         "expert groups that span " + std::to_string(event.joined_replicas)}});
}

// A row in PyTorch's form is a rank of one pipeline, in which every microbatch passes every stage.
void require_one_pipeline(const Derived& derived, const std::string& file) {
  if (!derived.modules.empty())
    throw InputError({{file, "/schedules", "one pipeline of the whole model, which this format needs",
                       "modules on devices of their own"}});
}

Prices prices_of(const DeriveAnswer& answer) {
  return price(answer.derived, *DrawCosts(answer.experiment).of(answer.derived, 0));
}

void write_chakra_files(std::ostream& out, const DeriveAnswer& answer, const std::filesystem::path& folder) {
  const Prices prices = prices_of(answer);
  const RankPrograms programs(answer.derived);
  const std::uint32_t ranks = answer.derived.order.rank_count(), lanes = prices.durations.lanes();
  WholeFiles files;
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      files.add(folder / (std::to_string(lane * ranks + rank) + ".et"), [&](std::ostream& file) {
        write_chakra(file, answer.derived, prices, programs, lane, RankId(rank));
      });
  files.put();
  out << "wrote " << counted(ranks * lanes, "execution trace") << " under " << folder.string() << '\n';
}

}  // namespace

DeriveAnswer derive_order(const DeriveArguments& arguments) {
  const DerivationFormat format = format_from(arguments.format);
  if ((format == DerivationFormat::Chakra) == arguments.out.empty())
    refuse_argument("--out", "a folder, and only with --format chakra",
                    arguments.out.empty() ? "none" : '"' + arguments.out + '"');
  Experiment experiment = read_experiment(arguments.experiment);
  const ScheduleSpec& schedule = asked_for(experiment, arguments);
  const std::string& file = arguments.experiment.source.file;
  if (const auto violations = check_whole_timelines(folded(experiment, Links::Own)); !violations.empty())
    throw InputError(located(violations, file, ""));
  require_order_memory(experiment.pipeline);
  const auto [planned, fitted] = planned_as_in_a_run(experiment, schedule, format, file);
  DeriveOptions options = planned.options;
  const DeriveOptions whole = derive_options(experiment, schedule);
  options.pipeline = whole.pipeline;
  options.joined_replicas = whole.joined_replicas;
  Derived derived = derive(experiment.model, schedule.schedule, planned.cut, options);
  if (format == DerivationFormat::Goal || format == DerivationFormat::Chakra)
    require_replicas_apart(derived, file);
  if (format == DerivationFormat::Csv) require_one_pipeline(derived, file);
  const auto index = static_cast<std::size_t>(&schedule - experiment.schedules.data());
  if (format == DerivationFormat::Program)
    require_a_program(derived, experiment.pipeline, file, "/schedules/" + std::to_string(index));
  return {with_fitted(std::move(experiment), fitted), index, format, std::move(derived)};
}

void write_answer(std::ostream& out, const DeriveAnswer& answer, const DeriveArguments& arguments) {
  if (answer.format == DerivationFormat::Goal) return write_goal(out, answer.derived, prices_of(answer));
  if (answer.format == DerivationFormat::Program) return write_program(out, program_of(answer));
  if (answer.format == DerivationFormat::Chakra) return write_chakra_files(out, answer, arguments.out);
  write_derivation(out, answer.derived, answer.format);
}

}  // namespace spillway
