#include "experiment/assumed.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "experiment/split_rule.h"

namespace spillway {
namespace {

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string counted_text(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + ' ' + one + (count == 1 ? "" : "s");
}

std::string microbatch_text(const WorkloadSpec& spec) {
  switch (spec.packing) {
    case Packing::Packed:
      return "a sequence of " + std::to_string(spec.sequence_tokens) + " tokens, packed";
    case Packing::Unpacked:
      return counted_text(spec.samples_per_microbatch, "sample") + ", not packed";
    case Packing::TextOnly:
      return counted_text(spec.sequences_per_microbatch, "sequence") + " of " +
             std::to_string(spec.sequence_tokens) + " text tokens";
  }
  throw ContractBreach("unknown packing");
}

// "layout: PP16 TP4 DP8 EP32, 512 devices of CloudMatrix384; 32 microbatches per replica, each a sequence of
// 8192 tokens, packed"
std::string layout_sentence(const Experiment& experiment, const AnalyticExperiment& analytic) {
  const auto [ranks, microbatches, replicas] = experiment.pipeline;
  const Parallelism& by = analytic.costs.parallelism;
  std::string text = "layout: PP" + std::to_string(ranks) + " TP" + std::to_string(by.tensor);
  if (by.context > 1) text += " CP" + std::to_string(by.context);
  text += " DP" + std::to_string(replicas);
  if (by.expert > 1) text += " EP" + std::to_string(by.expert);
  const std::uint64_t devices = std::uint64_t{ranks} * replicas * by.members();
  return text + ", " + counted_text(devices, "device") + " of " + analytic.costs.platform.name + "; " +
         std::to_string(microbatches) + (microbatches == 1 ? " microbatch" : " microbatches") +
         " per replica, each " + microbatch_text(analytic.workload);
}

// Says how samples attend and how far they are padded. Empty if the workload has no samples, or no block runs
// over tokens.
std::string documents_sentence(const AnalyticExperiment& analytic) {
  const AnalyticCosts& costs = analytic.costs;
  const Packing packing = analytic.workload.packing;
  const bool over_tokens = std::ranges::any_of(costs.blocks, [](const BlockCosts& block) {
    return std::holds_alternative<TextModel>(block.architecture);
  });
  if (packing == Packing::TextOnly || !over_tokens) return "";
  const Framework& framework = costs.framework;
  const auto by = [&](const auto& figure) {
    return is_stated(figure) ? ", as " + framework.name + " states" : std::string();
  };
  const bool padded = packing == Packing::Unpacked && framework.pads_to.value != PadsTo::None;
  if (padded)
    return "samples are padded to the longest of their " + to_string(framework.pads_to.value) +
           by(framework.pads_to);
  std::string text =
      packing == Packing::Unpacked ? "samples are not padded" + by(framework.pads_to) + "; " : "";
  if (framework.attends_across_documents.value)
    return text + "attention runs across the samples of a sequence" + by(framework.attends_across_documents);
  text += "attention stays within each sample";
  if (packing == Packing::Packed) text += " of a packed sequence, and within its padding";
  text += by(framework.attends_across_documents);
  if (costs.parallelism.context > 1 && costs.parallelism.context_by == ContextBy::Ring)
    text += "; context-parallel devices have equal shares of every sample's attention";
  return text;
}

// Says how evenly tokens reach the devices of experts. Empty if no tokens are exchanged.
std::string routing_sentence(const AnalyticCosts& costs) {
  const Parallelism& by = costs.parallelism;
  const bool experts = std::ranges::any_of(costs.blocks, [](const BlockCosts& block) {
    const auto* text = std::get_if<TextModel>(&block.architecture);
    return text != nullptr && text->experts.has_value();
  });
  if (by.expert == 1 || !experts) return "";
  if (by.expert_imbalance != 1)
    return "the busiest device's experts get " + number_text(by.expert_imbalance) +
           " times the mean device's tokens, as stated";
  if (by.routing_stated) return "the experts of every device get as many tokens, as stated";
  return "the experts of every device get as many tokens; natural routing is less even, above all of padding";
}

std::string recompute_text(const Recomputation& recompute) {
  if (!recompute.any()) return "nothing is recomputed";
  const bool some = recompute.first || recompute.every > 1;
  if (recompute.what == Recompute::None) return "some of its modules are recomputed";
  const auto word =
      std::ranges::find(kRecomputes, recompute.what, &std::pair<std::string_view, Recompute>::second);
  return "recompute " + std::string(word->first) + (some ? " in some of its layers" : "");
}

// "trained adapters of rank 16 on linear_qkv, linear_proj, o_proj"
std::string adapters_text(const Adapters& adapters) {
  const std::string rank = "trained adapters of rank " + std::to_string(adapters.rank);
  return adapters.targets.any() ? rank + " on " + names_of(adapters.targets) : rank;
}

// "enc is trained, recompute full; llm is frozen, nothing is recomputed"
std::string training_sentence(const Experiment& experiment, const AnalyticCosts& costs) {
  std::vector<std::string> blocks;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const Block& block = experiment.model.blocks()[i];
    const Adapters& adapters = costs.blocks[i].adapters;
    const std::string trained = !block.trainable    ? " is frozen"
                                : adapters.rank > 0 ? " has " + adapters_text(adapters)
                                                    : " is trained";
    blocks.push_back(block.name + trained + ", " + recompute_text(costs.blocks[i].recompute));
  }
  return joined(blocks, "; ");
}

// "32, 5, 14 x 4"
std::string counts_text(const std::vector<std::uint32_t>& counts) {
  std::vector<std::string> runs;
  for (auto run = counts.begin(); run != counts.end();) {
    const auto end = std::find_if(run, counts.end(), [&](std::uint32_t count) { return count != *run; });
    runs.push_back((end - run > 1 ? std::to_string(end - run) + " x " : "") + std::to_string(*run));
    run = end;
  }
  return joined(runs);
}

// "layers are split by count in mpipe, as stated in disttrain-like (32, 5, 14 x 4)"
std::string split_sentences(const Experiment& experiment) {
  std::vector<std::string> splits;
  for (const ScheduleSpec& schedule : experiment.schedules) {
    const std::string listed =
        schedule.layers_per_rank.empty() ? "" : " (" + counts_text(schedule.layers_per_rank) + ")";
    splits.push_back(std::string(to_string(split_rule(schedule))) + " in " + schedule.name + listed);
  }
  return "layers are split " + joined(splits);
}

// Says which towers stand side by side, and where they are. Empty if each block reads the one before it.
std::string towers_sentence(const Experiment& experiment) {
  const std::vector<Block>& blocks = experiment.model.blocks();
  std::vector<std::string> towers;
  for (std::size_t i = 0; i < blocks.size() && (i == 0 || blocks[i - 1].beside_next); ++i)
    towers.push_back(blocks[i].name);
  if (towers.size() < 2) return "";
  return joined(towers, " and ") + " are side by side: each encodes its own part of a sample, and " +
         blocks[towers.size()].name +
         " reads the outputs of all of them. Where they are transposed each is a region of its own, with its "
         "own owner map; pipelined, each is a region or a part of one, and outputs travel on through the "
         "stages of the towers behind";
}

bool is_fitted(const Experiment& experiment, const std::string& pointer) {
  return std::ranges::any_of(experiment.fits, [&](const FitSpec& fit) { return fit.pointer == pointer; });
}

// Adds the numbers that the experiment states of a block in place of the platform's. Fitted numbers are
// reported elsewhere.
void add_stated(const Experiment& experiment, std::size_t index, const BlockCosts& block,
                std::vector<std::string>& all) {
  const std::string pointer = "/model/blocks/" + std::to_string(index);
  const std::string& name = experiment.model.blocks()[index].name;
  if (block.efficiency.compute && !is_fitted(experiment, pointer + "/efficiency/compute"))
    all.push_back(name + " computes at " + number_text(*block.efficiency.compute) +
                  " of the peak rate, as stated");
  if (block.efficiency.memory && !is_fitted(experiment, pointer + "/efficiency/memory"))
    all.push_back(name + " moves bytes at " + number_text(*block.efficiency.memory) +
                  " of the peak rate, as stated");
  const bool fitted = is_fitted(experiment, pointer + "/fixed_ms");
  if (block.fixed_per_microbatch == Seconds() && !fitted) return;
  const std::string time =
      fitted ? "the fitted time" : number_text(block.fixed_per_microbatch.value() * 1e3) + " ms";
  all.push_back(time + " per microbatch is added to " + name + ", " +
                (block.fixed_in == FixedIn::Layers ? "spread evenly over its layers" : "on its first layer"));
}

}  // namespace

std::vector<std::string> assumed(const Experiment& experiment) {
  std::vector<std::string> all;
  if (const AnalyticCosts* priced = on_platform(experiment.costs)) {
    all.push_back(layout_sentence(experiment, std::get<AnalyticExperiment>(experiment.costs)));
    const std::string documents = documents_sentence(std::get<AnalyticExperiment>(experiment.costs));
    if (!documents.empty()) all.push_back(documents);
    all.push_back(training_sentence(experiment, *priced));
    if (std::string towers = towers_sentence(experiment); !towers.empty()) all.push_back(std::move(towers));
    all.push_back(split_sentences(experiment));
    for (std::size_t block = 0; block < priced->blocks.size(); ++block)
      add_stated(experiment, block, priced->blocks[block], all);
    if (!experiment.samples_from.empty()) all.push_back(experiment.samples_from);
    const std::string routing = routing_sentence(*priced);
    if (!routing.empty()) all.push_back(routing);
  }
  all.insert(all.end(), experiment.assumptions.begin(), experiment.assumptions.end());
  return all;
}

}  // namespace spillway
