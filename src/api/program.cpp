#include "api/program.h"

#include <algorithm>

#include "base/error.h"
#include "base/memory.h"
#include "evaluate/priced_draw.h"
#include "program/lower.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

ProgramSample sample_of(const MicrobatchLoad& load) {
  ProgramSample sample{load.sequence_tokens, load.text_tokens, {}};
  for (const MediaItem& item : load.media)
    sample.media.push_back({item.modality == Modality::Audio ? "clip" : "image", item.patches, item.tokens});
  return sample;
}

// Microbatches are numbered in the order in which they run.
std::vector<std::vector<ProgramSample>> samples_of(const Experiment& experiment,
                                                   const std::vector<Permutation>& orders,
                                                   std::uint32_t number) {
  const auto* priced = std::get_if<AnalyticExperiment>(&experiment.costs);
  if (!priced) return {};
  const Pipeline& job = experiment.pipeline;
  const Draw draw = sample(priced->workload, {job.microbatches, job.replicas, experiment.seed, number});
  std::vector<std::vector<ProgramSample>> samples(draw.size());
  for (std::size_t replica = 0; replica < draw.size(); ++replica)
    for (const MicrobatchId microbatch : orders[replica])
      samples[replica].push_back(sample_of(draw[replica][microbatch.index()]));
  return samples;
}

void require_program_bytes(const Program& program, std::size_t schedule) {
  Bytes most;
  for (const MessageSize& size : program.sizes) most = std::max(most, size.bytes.value_or(Bytes()));
  for (const RankProgram& of : program.programs)
    for (const RankAction& action : of.actions) {
      if (const auto* sum = std::get_if<ReduceAction>(&action))
        most = std::max(most, sum->bytes.value_or(Bytes()));
      if (const auto* sent = std::get_if<BroadcastAction>(&action))
        most = std::max(most, sent->bytes.value_or(Bytes()));
    }
  if (most > kMostActionBytes)
    throw InputError({{"experiment", "/schedules/" + std::to_string(schedule),
                       "messages, broadcasts and reductions of at most 9007199254740992 bytes each (2^53), "
                       "which a program holds",
                       "one of " + memory_text(most.value())}});
}

}  // namespace

Program program_of(const DeriveAnswer& answer, std::uint32_t draw) {
  const ScheduleSpec& schedule = answer.experiment.schedules[answer.schedule];
  const PricedDraw priced = price_draw(DrawCosts(answer.experiment), answer.derived, schedule.order, draw);
  Program program = lower(answer.derived, priced.costs(), priced.prices);
  require_program_bytes(program, answer.schedule);
  program.experiment = answer.experiment.name;
  program.schedule = schedule.name;
  program.draw = draw;
  program.samples = samples_of(answer.experiment, priced.orders, draw);
  LiveEnds ends;
  for (const Seconds makespan :
       LongestPath(answer.derived.order)
           .makespans(priced.prices.durations, answer.derived.pipeline.replicas, ends))
    program.makespan = std::max(program.makespan, makespan);
  return program;
}

}  // namespace spillway
