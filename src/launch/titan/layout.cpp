// Degrees as torchtitan/distributed/parallel_dims.py, stages as pipeline_parallel.py
// (generate_llm_fqn_per_model_part), pytorch/torchtitan @238fa9953e4a; rounds of interleaved 1F1B as
// torch/distributed/pipelining/schedules.py (ScheduleInterleaved1F1B). Test:
// tests/launch/titan_scripts_test.cpp.
#include "launch/titan/layout.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace spillway {
namespace {

struct TitanSchedule {
  std::string_view theirs;  // in lower case: torch.distributed.pipelining compares so
  std::string_view ours;    // the skeleton of a chunk, or of both chunks of a V
  bool single = false;      // one stage a rank
  bool reflected = false;
};

constexpr std::array<TitanSchedule, 6> kSchedules{{{"1f1b", "1f1b", true},
                                                   {"gpipe", "gpipe", true},
                                                   {"interleaved1f1b", "1f1b"},
                                                   {"loopedbfs", "gpipe"},
                                                   {"zbvzerobubble", "zb-v", false, true},
                                                   {"dualpipev", "dualpipev", false, true}}};

constexpr std::string_view kShards = "parallelism.data_parallel_shard_degree";

class TitanLayoutReader {
 public:
  TitanLayoutReader(Arguments& settings, std::uint32_t layers) : settings_(settings), layers_(layers) {}

  TitanLayout run(std::optional<std::uint32_t> devices, bool has_experts) {
    layout_.tensor = degree("parallelism.tensor_parallel_degree");
    layout_.context = degree("parallelism.context_parallel_degree");
    layout_.pipeline.ranks = degree("parallelism.pipeline_parallel_degree");
    const std::uint32_t expert = degree("parallelism.expert_parallel_degree");
    const std::uint32_t expert_tensor = degree("parallelism.expert_tensor_parallel_degree");
    if (has_experts) layout_.expert = expert;
    // Without expert parallelism experts are split as the rest is.
    if (has_experts) layout_.expert_tensor = expert > 1 ? expert_tensor : layout_.tensor;
    const bool fits = !devices || read_replicas(*devices);
    layout_.sequence_tokens = settings_.whole("training.seq_len").value_or(2048);
    if (devices && fits) read_batch();
    read_schedule();
    return std::move(layout_);
  }

 private:
  std::uint32_t degree(std::string_view name) { return settings_.whole(name).value_or(1); }

  // -1: as many as are left.
  bool read_replicas(std::uint32_t devices) {
    const std::uint32_t copies = degree("parallelism.data_parallel_replicate_degree");
    const std::uint64_t others =
        std::uint64_t{copies} * layout_.tensor * layout_.context * layout_.pipeline.ranks;
    const auto text = settings_.known_word(kShards);
    const bool rest = !text || *text == "-1";
    if (devices % others != 0) {
      settings_.findings().add("--devices",
                               "a multiple of the degrees of parallelism, " + std::to_string(others),
                               std::to_string(devices));
      return false;
    }
    const auto left = static_cast<std::uint32_t>(devices / others);
    const std::uint32_t shards = rest ? left : settings_.whole(kShards).value_or(left);
    if (shards != left) {
      settings_.refuse(kShards, "the devices over the other degrees, " + std::to_string(left),
                       std::to_string(shards));
      return false;
    }
    layout_.replicas = copies * shards;
    layout_.shards = shards * layout_.context;
    return true;
  }

  // 0: the setting is not given, or not known.
  std::uint32_t global_batch() {
    const auto text = settings_.known_word("training.global_batch_size");
    return !text || *text == "-1" ? 0 : settings_.whole("training.global_batch_size").value_or(0);
  }

  void read_batch() {
    const std::uint32_t local = settings_.whole("training.local_batch_size").value_or(8);
    const std::uint64_t at_once = std::uint64_t{local} * layout_.replicas;
    const std::uint32_t global = global_batch();
    if (global % at_once != 0)
      return settings_.refuse("training.global_batch_size",
                              "a multiple of local batch x replicas = " + std::to_string(at_once),
                              std::to_string(global));
    const std::uint32_t accumulated = global == 0 ? 1 : static_cast<std::uint32_t>(global / at_once);
    const std::uint32_t size = settings_.whole("parallelism.pipeline_parallel_microbatch_size").value_or(1);
    layout_.microbatch_size = layout_.pipeline.ranks > 1 ? size : local;
    if (local % layout_.microbatch_size != 0)
      return settings_.refuse("parallelism.pipeline_parallel_microbatch_size",
                              "a divisor of the local batch, " + std::to_string(local), std::to_string(size));
    layout_.microbatches = local / layout_.microbatch_size * accumulated;
    if (accumulated > 1 && layout_.pipeline.ranks > 1)
      layout_.assumptions.push_back(
          counted(accumulated, "pipeline") +
          " of a step one after the other are simulated as one of all microbatches");
  }

  void read_schedule() {
    LaunchPipeline& pipeline = layout_.pipeline;
    const std::string word = settings_.word("parallelism.pipeline_parallel_schedule").value_or("1F1B");
    const auto per_stage = settings_.whole("parallelism.pipeline_parallel_layers_per_stage");
    const std::uint32_t input = weight("parallelism.pipeline_parallel_first_stage_less_layers");
    const std::uint32_t output = weight("parallelism.pipeline_parallel_last_stage_less_layers");
    if (pipeline.ranks == 1) return;
    const auto schedule = std::ranges::find(kSchedules, lower(word), &TitanSchedule::theirs);
    if (schedule == kSchedules.end())
      return settings_.refuse("parallelism.pipeline_parallel_schedule",
                              "1F1B, GPipe, Interleaved1F1B, LoopedBFS, ZBVZeroBubble or DualPipeV",
                              '"' + word + '"');
    std::uint32_t per_rank = schedule->single ? 1 : 2;
    if (per_stage) per_rank = chunks_of(*per_stage, layers_ + input + output, per_rank);
    pipeline.reflected = schedule->reflected;
    pipeline.skeletons = schedule->ours;
    for (std::uint32_t i = 1; i < per_rank && !schedule->reflected; ++i)
      pipeline.skeletons += ',' + std::string(schedule->ours);
    // PyTorch's runtime of several stages starts transfers by themselves; that of one waits for each.
    pipeline.blocks_transfers = schedule->single;
    const std::uint32_t rounds = std::max(1U, layout_.microbatches / pipeline.ranks);
    if (schedule->theirs == "interleaved1f1b") {
      if (layout_.microbatches % rounds != 0)
        settings_.refuse("parallelism.pipeline_parallel_microbatch_size",
                         "microbatches in " + std::to_string(rounds) + " equal rounds",
                         std::to_string(layout_.microbatches) + " of them");
      pipeline.microbatch_group = layout_.microbatches / rounds;
    }
    if (layers_ > 0) split(pipeline.ranks * per_rank, input, output);
  }

  std::uint32_t weight(std::string_view name) {
    const auto text = settings_.known_word(name);
    return text && *text == "0" ? 0 : settings_.whole(name).value_or(1);
  }

  std::uint32_t chunks_of(std::uint32_t per_stage, std::uint32_t counted, std::uint32_t expected) {
    const std::uint32_t ranks = layout_.pipeline.ranks;
    const std::uint32_t stages = (counted + per_stage - 1) / per_stage;
    const bool fits = stages % ranks == 0 && (expected == 1) == (stages / ranks == 1);
    if (fits) return stages / ranks;
    settings_.refuse(
        "parallelism.pipeline_parallel_layers_per_stage",
        "a number that gives each rank " + std::string(expected == 1 ? "one stage" : "several stages"),
        std::to_string(stages) + " stages of all ranks");
    return expected;
  }

  // Embedding and head count as so many layers; the first stages take the remainder.
  void split(std::uint32_t stages, std::uint32_t input, std::uint32_t output) {
    const std::uint64_t counted = std::uint64_t{layers_} + input + output;
    const auto each = static_cast<std::uint32_t>(counted / stages);
    const auto more = static_cast<std::uint32_t>(counted % stages);
    if (each == 0 || input > each || output > each)
      return settings_.refuse("parallelism.pipeline_parallel_degree",
                              "stages that hold the embedding or the head, and a layer each",
                              std::to_string(stages) + " stages of " + std::to_string(layers_) + " layers");
    LaunchPipeline& pipeline = layout_.pipeline;
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
      StageParts parts{0, each + (stage < more ? 1U : 0U), 0, 0};
      if (stage == 0) parts = {1, parts.decoder - input, 0, 0};
      if (stage + 1 == stages) parts = {parts.embedding, parts.decoder - output, 0, 1};
      if (parts.decoder == 0) pipeline.separate_vocabulary = true;
      pipeline.stages.push_back(parts);
    }
  }

  Arguments& settings_;
  std::uint32_t layers_;
  TitanLayout layout_ = {};
};

}  // namespace

TitanLayout read_titan_layout(Arguments& settings, std::optional<std::uint32_t> devices, std::uint32_t layers,
                              bool has_experts) {
  return TitanLayoutReader(settings, layers).run(devices, has_experts);
}

}  // namespace spillway
