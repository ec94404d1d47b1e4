// DIP: encoder and backbone each split over all ranks, in segments of their own, their passes interleaved in
// an order that is searched for each draw's sizes; microbatches pass the encoder in parts.
//
//   rank 0  e1 e1' e2 e2' l1 ...     e1 and e1': the two parts of microbatch 1; a segment is P stages,
//   rank 1     e1 e1' l1 e2 ...      one on each rank
//
// Source: DIP (ASPLOS 2026; PipeWeaver, arXiv 2504.14145): modality-aware segments, sub-microbatches, online
// search of an order with greedy dual-queue interleaving.
#include "model/leading_encoder.h"
#include "schedule/placed_orders.h"
#include "schedule/segments.h"
#include "systems/layouts.h"
#include "systems/system_list.h"

namespace spillway {
namespace {

std::string counts(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += (text.empty() ? "[" : ", ") + std::to_string(number);
  return text + "]";
}

// One segment for the whole model is a pipeline as megatron-balanced's.
bool is_one(const std::vector<std::uint32_t>& segments) {
  return segments == std::vector<std::uint32_t>{1};
}

std::vector<Violation> check_segments(const SystemJob& job, const std::vector<std::uint32_t>& segments) {
  const std::vector<std::uint32_t> modules = module_layers(job.model);
  if (segments.size() != modules.size())
    return {{"", "/segments",
             "[1], or segments of each of the " + std::to_string(modules.size()) + " modules, input first",
             counts(segments)}};
  std::vector<Violation> violations;
  const auto [ranks, microbatches, replicas] = job.pipeline;
  for (std::size_t module = 0; module < modules.size(); ++module)
    if (std::uint64_t{segments[module]} * ranks > modules[module])
      violations.push_back({"", "/segments/" + std::to_string(module),
                            "a layer for each of its stages, one on each of " + std::to_string(ranks) +
                                " ranks, of " + std::to_string(modules[module]) + " layers",
                            counts(segments)});
  if (microbatches % ranks != 0)
    violations.push_back({"", "/segments",
                          "microbatches that are a multiple of the ranks, " + std::to_string(ranks),
                          std::to_string(microbatches) + " microbatches"});
  return violations;
}

ScheduleSpec in_segments(const SystemJob& job, const std::vector<std::uint32_t>& segments,
                         std::uint32_t parts) {
  SegmentShape shape{job.pipeline.ranks, job.pipeline.microbatches, 0, segments.front(), parts};
  for (const std::uint32_t of_module : segments) shape.segments += of_module;
  PlacedOrders placed{{}, interleaved_segments(shape)};
  for (std::uint32_t stage = 0; stage < shape.segments * shape.ranks; ++stage)
    placed.stage_rank.emplace_back(stage % shape.ranks);
  ScheduleSpec spec{{}, {{listed_skeleton(std::move(placed))}}, {}};
  spec.split = StageSplit::Balanced;
  spec.segments = {segments, parts};
  return spec;
}

}  // namespace

LaidOut dip(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  if (!violations.empty()) return violations;
  const std::vector<std::uint32_t> segments =
      options.segments.empty() ? std::vector<std::uint32_t>(module_layers(job.model).size(), 1)
                               : options.segments;
  if (is_one(segments)) {
    if (options.sub_microbatches > 1)
      return std::vector<Violation>{{"", "/sub_microbatches",
                                     "1 where encoder and backbone share one segment, whose stages hold both",
                                     std::to_string(options.sub_microbatches)}};
    ScheduleSpec spec = balanced_model(job.model, options);
    spec.assumptions = {"one segment: 1F1B, nothing to search"};
    return spec;
  }
  violations = check_segments(job, segments);
  if (!violations.empty()) return violations;
  ScheduleSpec spec = in_segments(job, segments, options.sub_microbatches);
  spec.owner_from_draw = options.owner_from_draw.value_or(true);
  spec.assumptions = {
      "segments and parts are as stated; DIP chooses parts that keep 95 % of the peak efficiency, and "
      "segments in proportion to what modules take, by profiles",
      "the parts of a microbatch take an even share of what it takes, however many images it has; smaller "
      "products are no less efficient",
      "the order is searched from interleaved 1F1B's by changing places, as many tries for each step, in "
      "place of DIP's tree search and memory program; no more microbatches are in flight than there",
      options.owner_from_draw.value_or(true) ? "it is searched on each draw's own sizes, ahead of the step"
                                             : "it is searched once, on expected sizes"};
  if (!job.model.trainable({0, leading_encoder_layers(job.model)}))
    spec.assumptions.emplace_back(
        "gradients pass the stages of the frozen encoder, where they take their transfers' time alone");
  return spec;
}

}  // namespace spillway
