// DIP: encoder and backbone are each split over all ranks, in segments of their own. The numbers of segments
// are in proportion to the modules' times. The order of all passes is searched for each draw's sizes.
// Microbatches pass the encoder in parts, the smallest efficient ones.
//
//   rank 0  e1 e1' e2 e2' l1 ...     e1 and e1': the two parts of microbatch 1; a segment is P stages,
//   rank 1     e1 e1' l1 e2 ...      one on each rank
//
// Source: DIP (ASPLOS 2026; PipeWeaver, arXiv 2504.14145): modality-aware segments, sub-microbatches, online
// search of an order with greedy dual-queue interleaving.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/text.h"
#include "model/model.h"
#include "schedule/placed_orders.h"
#include "schedule/segments.h"
#include "systems/layouts.h"

namespace spillway {
namespace {

std::string counts(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += (text.empty() ? "[" : ", ") + std::to_string(number);
  return text + "]";
}

// One segment for the whole model is a pipeline like that of megatron-balanced.
bool is_one(const std::vector<std::uint32_t>& segments) {
  return segments == std::vector<std::uint32_t>{1};
}

// Returns the most segments of each module with which every stage still has a layer.
std::vector<std::uint32_t> most_segments(const SystemJob& job) {
  std::vector<std::uint32_t> most;
  for (const std::uint32_t layers : module_layers(job.model))
    most.push_back(std::max(layers / job.pipeline.ranks, 1U));
  return most;
}

// Numbers in proportion to the modules' times, such that the module with the least time has one segment.
std::uint32_t proportional_total(std::span<const Seconds> times, const std::vector<std::uint32_t>& most) {
  Seconds least;
  for (const Seconds time : times)
    if (time > Seconds() && (least == Seconds() || time < least)) least = time;
  std::uint32_t total = 0;
  for (std::size_t module = 0; module < times.size(); ++module) {
    const double share = least > Seconds() ? std::max(std::round(times[module] / least), 1.0) : 1;
    total += static_cast<std::uint32_t>(std::min<double>(share, most[module]));
  }
  return total;
}

// Distributes `total` segments: each goes to the module whose segments take longest. So numbers are in
// proportion to times, as far as modules have layers. Contract: at least one per module, at most the sum of
// `most`.
std::vector<std::uint32_t> shared_out(std::uint32_t total, std::span<const Seconds> times,
                                      const std::vector<std::uint32_t>& most) {
  std::vector<std::uint32_t> segments(times.size(), 1);
  for (std::uint32_t given = static_cast<std::uint32_t>(times.size()); given < total; ++given) {
    std::size_t next = times.size();
    for (std::size_t module = 0; module < times.size(); ++module) {
      if (segments[module] == most[module]) continue;
      if (next == times.size() || times[module] / segments[module] > times[next] / segments[next])
        next = module;
    }
    ++segments[next];
  }
  return segments;
}

std::vector<Violation> check_segment_count(const SystemJob& job, std::uint32_t chunks) {
  const std::vector<std::uint32_t> most = most_segments(job);
  const std::uint32_t all = std::accumulate(most.begin(), most.end(), 0U);
  if (chunks <= 1 || (chunks >= most.size() && chunks <= all)) return {};
  return {{"", "/chunks",
           "1, or at least one segment for each of " + counted(most.size(), "module") +
               ", with at least one layer per stage: at most " + std::to_string(all),
           std::to_string(chunks)}};
}

// Returns the stated segments, or those by DIP's rule. Until module times are known, each module has one
// segment.
std::vector<std::uint32_t> segments_of(const SystemJob& job, const SystemOptions& options) {
  if (!options.segments.empty()) return options.segments;
  if (options.chunks == 1) return {1};
  const std::vector<std::uint32_t> most = most_segments(job);
  if (job.module_times.empty()) return std::vector<std::uint32_t>(most.size(), 1);
  const std::uint32_t total =
      options.chunks > 0 ? options.chunks : proportional_total(job.module_times, most);
  return shared_out(total, job.module_times, most);
}

std::vector<Violation> check_segments(const SystemJob& job, const std::vector<std::uint32_t>& segments,
                                      bool are_stated) {
  const std::vector<std::uint32_t> modules = module_layers(job.model);
  if (segments.size() != modules.size())
    return {{"", "/segments",
             "[1], or one number of segments for each of the " + counted(modules.size(), "module") +
                 ", in their order from the input",
             counts(segments)}};
  std::vector<Violation> violations;
  const std::uint32_t ranks = job.pipeline.ranks;
  for (std::size_t module = 0; module < modules.size(); ++module)
    if (std::uint64_t{segments[module]} * ranks > modules[module])
      violations.push_back({"", "/segments/" + std::to_string(module),
                            "few enough segments: each needs a layer on each of " + counted(ranks, "rank") +
                                ", out of " + counted(modules[module], "layer"),
                            counts(segments) + (are_stated ? "" : " by DIP's rule")});
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

std::string rule_assumption(const SystemOptions& options, const std::vector<std::uint32_t>& segments,
                            std::uint32_t parts) {
  const std::string how_many =
      counts(segments) + " segments of the modules from the input on, " +
      (options.segments.empty() ? "in proportion to the modules' expected times" : "as stated");
  return how_many + "; " + std::to_string(parts) + (parts == 1 ? " part" : " parts") + " per microbatch, " +
         (options.sub_microbatches > 0 ? "as stated"
                                       : "the smallest parts that keep 95 % of the best rate per sample "
                                         "(with given durations, all parts do)");
}

LaidOut dip(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  if (violations.empty()) violations = check_segment_count(job, options.chunks);
  if (!violations.empty()) return violations;
  const std::vector<std::uint32_t> segments = segments_of(job, options);
  if (is_one(segments)) {
    if (options.sub_microbatches > 1)
      return std::vector<Violation>{
          {"", "/sub_microbatches", "1, since encoder and backbone share one segment, whose stages hold both",
           std::to_string(options.sub_microbatches)}};
    ScheduleSpec spec = balanced_model(job.model, options);
    spec.assumptions = {"one segment: the schedule is 1F1B, and no order is searched"};
    return spec;
  }
  violations = check_segments(job, segments, !options.segments.empty());
  if (!violations.empty()) return violations;
  const std::uint32_t parts = options.sub_microbatches > 0 ? options.sub_microbatches : job.efficient_parts;
  ScheduleSpec spec = in_segments(job, segments, parts);
  spec.solve_segments =
      job.module_times.empty() && (options.segments.empty() || options.sub_microbatches == 0);
  spec.owner_from_draw = options.plans_each_draw(true);
  spec.assumptions = {rule_assumption(options, segments, parts),
                      "each part of a microbatch takes an equal share of its time, whatever its number of "
                      "images; smaller matrix products are as efficient as large ones",
                      "the order is searched by swaps from interleaved 1F1B's order, with the same number of "
                      "tries for each step, instead of DIP's tree search and memory program; it never has "
                      "more microbatches in flight than interleaved 1F1B",
                      spec.owner_from_draw ? "the search uses each draw's own sizes, before the step"
                                           : "the search runs once, on expected sizes"};
  if (!job.model.trainable({0, leading_encoder_layers(job.model)}))
    spec.assumptions.emplace_back(
        "gradients pass through the stages of the frozen encoder, where only their transfers take time");
  return spec;
}

}  // namespace

extern const System kDip = {
    .name = "dip",
    .options = {"segments", "sub_microbatches", "owner_from"},
    .layout = dip,
    .has_generator = true,
    .unbounded = "its order is searched for each draw, so the memory it holds is not known in advance",
    .knows_draw = true,
    .plans_by_sizes = true};

}  // namespace spillway
