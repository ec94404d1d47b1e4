// Causes that are words of the job: images, recomputation, packing, tensor parallelism.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "draws/costs.h"
#include "experiment/encoder_images.h"
#include "explain/gap_kinds.h"
#include "json/document.h"
#include "model/model.h"

namespace spillway {
namespace {

void add_images(const GapJob& job, GapCauses& causes) {
  if (!encodes_images(job.experiment) || !has_several_devices(job.experiment)) return;
  const std::string pointer = "/parallel/images";
  for (const auto& [word, images] : kEncoderImages)
    if (images != job.costs()->parallelism.images)
      causes.push_back({"images " + std::string(word) + " by the devices of a rank",
                        job.states(pointer) ? pointer : "",
                        job.unless_stated(pointer),
                        {{pointer, std::string(word)}}});
}

// A block's layers, in whole words.
void add_recomputation(const GapJob& job, std::size_t block, GapCauses& causes) {
  const std::string pointer = "/model/blocks/" + std::to_string(block) + "/recompute";
  const std::string& name = job.experiment.model.blocks()[block].name;
  const std::array<std::pair<std::string, std::string>, 3> words = {
      {{"none", "no recomputation of "},
       {"selective", "recomputation of attention alone (selective) of "},
       {"full", "full recomputation of "}}};
  for (const auto& [word, text] : words)
    causes.push_back(
        {text + name, job.states(pointer) ? pointer : "", job.unless_stated(pointer), {{pointer, word}}});
}

// The mean number of samples in a packed microbatch of the first draw.
std::uint32_t samples_of_a_microbatch(const Experiment& experiment) {
  const DrawCosts costs(experiment);
  double samples = 0;
  for (const WorkloadTally& tally : costs.tallies(0)) samples += static_cast<double>(tally.samples);
  const double microbatches = double{1} * experiment.pipeline.microbatches * experiment.pipeline.replicas;
  return static_cast<std::uint32_t>(std::max(1.0, std::round(samples / microbatches)));
}

// Unpacked sequences are as long as their samples, so a stated length goes.
std::vector<Setting> without_length(const Node& document) {
  const Node* workload = value_at(document, "/workload");
  const auto* keys = workload ? std::get_if<Object>(&workload->value) : nullptr;
  if (!keys || !find(*keys, "sequence_tokens")) return {};
  Object others = *keys;
  std::erase_if(others, [](const Member& member) { return member.key == "sequence_tokens"; });
  return {{"/workload", json_text({std::move(others)})}};
}

void add_packing(const GapJob& job, GapCauses& causes) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&job.experiment.costs);
  if (!analytic || analytic->workload.packing != Packing::Packed) return;
  const std::string pointer = "/workload/packing";
  const std::uint32_t samples = samples_of_a_microbatch(job.experiment);
  std::vector<Setting> settings = without_length(job.document);
  settings.push_back({pointer, "unpacked"});
  settings.push_back({"/workload/samples_per_microbatch", std::to_string(samples)});
  causes.push_back({"samples not packed, " + std::to_string(samples) + " in a microbatch",
                    job.states(pointer) ? pointer : "", job.unless_stated(pointer), std::move(settings)});
}

void add_tensor_parallelism(const GapJob& job, GapCauses& causes) {
  const Parallelism& by = job.costs()->parallelism;
  if (by.tensor <= 1) return;
  const auto add = [&](std::string words, const std::string& pointer, const std::string& value) {
    causes.push_back({std::move(words),
                      job.states(pointer) ? pointer : "",
                      job.unless_stated(pointer),
                      {{pointer, value}}});
  };
  if (by.tensor_overlap != TensorOverlap::None)
    add("collectives of tensor parallelism that overlap nothing", "/parallel/tensor_overlap", "none");
  if (by.tensor_overlap != TensorOverlap::All)
    add("collectives of tensor parallelism that overlap with products", "/parallel/tensor_overlap", "all");
  add(by.sequence_parallel ? "tensor parallelism without sequence parallelism" : "sequence parallelism",
      "/parallel/sequence_parallel", by.sequence_parallel ? "false" : "true");
}

}  // namespace

void add_choices(const GapJob& job, GapCauses& causes) {
  if (!job.costs()) return;
  add_images(job, causes);
  for (std::size_t block = 0; block < job.experiment.model.blocks().size(); ++block)
    if (passes_gradient(job.experiment.model, block)) add_recomputation(job, block, causes);
  add_packing(job, causes);
  add_tensor_parallelism(job, causes);
}

}  // namespace spillway
