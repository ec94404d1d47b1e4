#include "evaluate/case_job.h"

#include <algorithm>
#include <variant>

#include "draws/costs.h"
#include "draws/fold.h"

namespace spillway {
namespace {

WorkloadSpec one_sample(WorkloadSpec spec) {
  spec.samples_per_microbatch = 1;
  spec.sequences_per_microbatch = 1;
  return spec;
}

std::uint32_t samples_of_microbatch(const WorkloadSpec& spec) {
  switch (spec.packing) {
    case Packing::Unpacked:
      return spec.samples_per_microbatch;
    case Packing::TextOnly:
      return spec.sequences_per_microbatch;
    case Packing::Packed:
      return 1;
  }
  return 1;
}

// How attention runs, and whether the embedding and the head count as layers, is the software's choice.
Architecture without_execution(Architecture architecture) {
  if (auto* text = std::get_if<TextModel>(&architecture)) {
    text->fused_attention = true;
    text->separate_vocabulary = false;
  }
  return architecture;
}

std::vector<TrainedJob::TrainedPart> trained_parts(const AnalyticCosts& costs, const Model& model) {
  std::vector<TrainedJob::TrainedPart> parts;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const BlockCosts& block = costs.blocks[i];
    parts.push_back(
        {without_execution(block.architecture), model.blocks()[i].trainable, block.fp8, block.lora_rank});
  }
  return parts;
}

}  // namespace

std::optional<TrainedJob> trained_job(const Experiment& experiment) {
  const AnalyticCosts* priced = on_platform(experiment.costs);
  const std::vector<PlacedWorkload> drawn = workloads(experiment);
  if (!priced || drawn.empty()) return std::nullopt;
  const Platform& platform = priced->platform;
  return TrainedJob{trained_parts(*priced, experiment.model),
                    platform.name,
                    platform.accelerator.name,
                    platform.accelerator.peak.value,
                    platform.accelerator.memory.value,
                    device_grid(*priced, experiment.pipeline).device_count(),
                    one_sample(drawn.front().spec)};
}

double samples_per_step(const Experiment& experiment) {
  const Pipeline& pipeline = experiment.pipeline;
  const double replicas = double{1} * pipeline.replicas * equal_replicas(experiment);
  return replicas * pipeline.microbatches * samples_of_microbatch(workloads(experiment).front().spec);
}

std::optional<CaseJob> CaseJobs::job_of(const Experiment& experiment) {
  std::optional<TrainedJob> job = trained_job(experiment);
  if (!job) return std::nullopt;
  const auto at = std::ranges::find(known_, *job);
  const auto number = static_cast<std::size_t>(at - known_.begin());
  if (at == known_.end()) known_.push_back(*std::move(job));
  return CaseJob{number, samples_per_step(experiment)};
}

}  // namespace spillway
