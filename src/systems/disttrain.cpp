// DistTrain: encoder, backbone and generator have dedicated devices, in numbers that minimize T_warmup +
// T_steady. T_steady = (M - 1) x the slowest module's time for a microbatch.
//
//   rank 0  e . e . e . e       encoder      P = 4, three modules: 1 + 2 + 1 ranks
//   rank 1    l l l l l l l     backbone
//   rank 2      l l l l l l l
//   rank 3        g . g . g     generator
//
// Inside one pipeline of P ranks, a module's devices are whole ranks, and its layers are balanced among them.
// An interleaved backbone circulates among its own ranks only: modules are then separate pipelines, equally
// many of each. In both cases T_warmup, a microbatch's time through all modules, is the same for every
// allocation. So the minimum is the allocation whose slowest stage is fastest (derive/stage_split.h). Test:
// tests/derive/module_allocation_test.cpp, against every allocation.
//
// Source: DistTrain (SIGCOMM 2025, arXiv 2408.04275), sections 4 and 5. Its two reorderings are those of
// samples (workload/regroup.h) and of a replica's microbatches (optimize/interval_order.cpp).
#include <algorithm>
#include <numeric>
#include <string>

#include "model/model.h"
#include "systems/layouts.h"

namespace spillway {
namespace {

constexpr const char* kLastModuleInterleaved = "only the last module is interleaved";

// Requires one stage per rank, or interleaved 1F1B.
std::vector<Violation> check_pipelined(const Schedule& body) {
  const Skeleton& first = body.skeletons.front();
  const bool straight = layout_of(first) == Layout::Sharded && fold_of(first) == Fold::Straight;
  if (body.skeletons.size() == 1 ? straight : check_interleaved(body).empty()) return {};
  return {{"", "/body", "one pipelined region with one stage per rank, or 1f1b repeated, such as 1f1b,1f1b",
           to_string(body)}};
}

std::vector<Violation> check_modules(const SystemJob& job, const SystemOptions& options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& found : check_pipelined(options.body)) violations.push_back(std::move(found));
  const std::size_t modules = module_layers(job.model).size();
  if (job.pipeline.ranks < modules)
    violations.push_back(
        {"", "/system",
         "a pipeline of at least " + std::to_string(modules) + " ranks, at least one per module",
         std::to_string(job.pipeline.ranks)});
  if (job.pipeline.ranks > job.model.layer_count())
    violations.push_back({"", options.encoder_ranks > 0 ? "/encoder_ranks" : "/system",
                          "a pipeline of at most " + std::to_string(job.model.layer_count()) +
                              " ranks, so that each has a layer",
                          std::to_string(job.pipeline.ranks)});
  return violations;
}

// The stated ranks must leave one rank to every other module, and a layer to each rank.
std::vector<Violation> check_encoder_ranks(const SystemJob& job, std::uint32_t stated) {
  const std::vector<std::uint32_t> modules = module_layers(job.model);
  const std::uint32_t behind = job.model.layer_count() - modules.front(), ranks = job.pipeline.ranks;
  const auto others = static_cast<std::uint32_t>(modules.size() - 1);
  const std::uint32_t most = std::min(modules.front(), ranks - others),
                      least = ranks - std::min(ranks - 1, behind);
  if (stated >= least && stated <= most) return {};
  return {{"", "/encoder_ranks", "a number from " + std::to_string(least) + " to " + std::to_string(most),
           std::to_string(stated)}};
}

// If samples stay, a plan that knows the draw can use sizes only for the order.
MicrobatchOrder order_of(const SystemOptions& options) {
  const bool by_sizes = options.knows_draw == true && !*options.moves_samples;
  return options.order.value_or(by_sizes ? MicrobatchOrder::FillIntervals : MicrobatchOrder::AsSampled);
}

// Applies both reorderings as stated. DistTrain always applies both. Here each has its own key, so that its
// effect is visible.
void reorder(const SystemOptions& options, ScheduleSpec& spec) {
  spec.order = order_of(options);
  if (*options.moves_samples) spec.regrouping = {.rule = Regrouping::Rule::Stratified};
}

std::string order_assumption(const SystemOptions& options) {
  const MicrobatchOrder order = order_of(options);
  if (order == MicrobatchOrder::AsSampled)
    return "microbatches run as sampled, whereas DistTrain reorders them (\"order\": \"fill-intervals\" "
           "does)";
  if (order == MicrobatchOrder::FillIntervals)
    return "microbatches are reordered to fill the first stage's waits, whose length the slowest other stage "
           "determines; this is DistTrain's idea, but not its algorithm, which was not available";
  return "microbatches are reordered by the stated order, not by DistTrain's own heuristic (fill-intervals)";
}

std::string samples_assumption(const SystemOptions& options) {
  return *options.moves_samples ? "samples are assigned to replicas and then to their microbatches, those "
                                  "with the most patches first; every microbatch keeps its number of "
                                  "samples; samples are read where they are needed, in no time"
                                : "samples stay in the replica that drew them, whereas DistTrain moves them "
                                  "(balance_samples does); images are not decoded on other machines";
}

std::vector<PlacedModule> modules_of(const Model& model) {
  std::vector<PlacedModule> modules;
  std::uint32_t first = 0;
  for (const std::uint32_t layers : module_layers(model)) {
    modules.push_back({{first, first + layers}, 1, 1});
    first += layers;
  }
  return modules;
}

// Uses the stated devices, or leaves them to be solved for.
LaidOut modules_on_devices(const SystemJob& job, SystemOptions options) {
  std::vector<Violation> violations = check_encoder(job.model);
  for (Violation& found : check_interleaved(options.body)) violations.push_back(std::move(found));
  if (options.encoder_ranks > 0)
    violations.push_back({"", "/encoder_ranks", "no such key, since modules states the ranks of each module",
                          std::to_string(options.encoder_ranks)});
  if (!violations.empty()) return violations;
  if (options.solve_modules) options.modules = modules_of(job.model);
  ScheduleSpec spec = modules_apart(options);
  spec.solve_modules = options.solve_modules;
  reorder(options, spec);
  spec.assumptions = {options.solve_modules
                          ? "devices are chosen to minimize T_warmup + T_steady, from expected layer times "
                            "without transfers and reductions; a module must leave a fifth of the memory free"
                          : "modules have the stated devices, not those that minimize DistTrain's objective",
                      order_assumption(options), samples_assumption(options)};
  if (options.body.skeletons.size() > 1) spec.assumptions.emplace_back(kLastModuleInterleaved);
  return spec;
}

// Requires a layer for each chunk of each rank that the other modules leave.
std::vector<Violation> check_chunk_layers(const SystemJob& job, const SystemOptions& options) {
  const std::vector<std::uint32_t> modules = module_layers(job.model);
  const std::uint32_t chunks = static_cast<std::uint32_t>(options.body.skeletons.size()),
                      in_front = std::accumulate(modules.begin(), modules.end() - 1, 0U),
                      ranks = job.pipeline.ranks, least = ranks > in_front ? ranks - in_front : 1;
  if (std::uint64_t{least} * chunks <= modules.back()) return {};
  return {{"", "/body",
           "at most " + std::to_string(modules.back() / least) +
               " regions, so that each stage has a layer of the last module",
           std::to_string(chunks)}};
}

// Places equally many pipelines of each module; their ranks are solved for.
LaidOut interleaved_modules(const SystemJob& job, SystemOptions options) {
  if (auto violations = check_chunk_layers(job, options); !violations.empty()) return violations;
  options.modules = modules_of(job.model);
  ScheduleSpec spec = modules_apart(options);
  spec.solve_modules = spec.solve_ranks = true;
  spec.encoder_ranks = options.encoder_ranks;
  reorder(options, spec);
  spec.assumptions = {
      "modules have whole ranks, chosen so that the slowest rank is as fast as possible; every module has as "
      "many pipelines as there are replicas, and the job's tensor parallel size",
      order_assumption(options), samples_assumption(options), kLastModuleInterleaved};
  return spec;
}

LaidOut disttrain(const SystemJob& job, const SystemOptions& options) {
  if (!options.modules.empty() || options.solve_modules) return modules_on_devices(job, options);
  std::vector<Violation> violations = check_modules(job, options);
  if (violations.empty() && options.encoder_ranks > 0)
    violations = check_encoder_ranks(job, options.encoder_ranks);
  if (!violations.empty()) return violations;
  if (options.body.skeletons.size() > 1) return interleaved_modules(job, options);
  ScheduleSpec spec = whole_model(job.model, options);
  spec.split = StageSplit::Disaggregated;
  spec.encoder_ranks = options.encoder_ranks;
  reorder(options, spec);
  spec.assumptions = {
      "modules have whole ranks of one pipeline, with the same tensor parallel size and the same number of "
      "replicas, unless modules states the devices of each",
      order_assumption(options), samples_assumption(options)};
  return spec;
}

}  // namespace

extern const System kDisttrain = {.name = "disttrain",
                                  .options = {"body", "order", "balance_samples", "encoder_ranks", "modules"},
                                  .layout = disttrain,
                                  .has_generator = true,
                                  .plans_by_sizes = true};

}  // namespace spillway
