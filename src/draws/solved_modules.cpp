#include "draws/solved_modules.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "derive/module_allocation.h"
#include "derive/stage_split.h"
#include "draws/layer_times.h"
#include "model/model.h"

namespace spillway {
namespace {

constexpr std::uint32_t kTensors[] = {1, 2, 4, 8};

// Returns the job on one rank of one replica. Given durations do not depend on devices.
Experiment on_one_rank(Experiment experiment, std::uint32_t tensor, std::uint32_t replicas) {
  experiment.pipeline = {1, experiment.pipeline.microbatches, 1};
  if (AnalyticCosts* priced = on_platform(experiment.costs)) {
    priced->parallelism.tensor = tensor;
    priced->equal_replicas = replicas;
  }
  return experiment;
}

struct LayerBytes {
  double whole = 0;   // of states that every replica holds
  double shared = 0;  // of states that replicas share
  double activations = 0;
};

double bytes_of(const ModelState& state) {
  return (state.parameters + state.gradients + state.optimizer).value();
}

// Returns the bytes of each layer. The part that ZeRO shares is in inverse proportion to the replicas, so two
// numbers of replicas determine both parts.
std::vector<LayerBytes> layer_bytes(const Experiment& experiment, std::uint32_t tensor) {
  const DrawCosts alone(on_one_rank(experiment, tensor, 1)), twice(on_one_rank(experiment, tensor, 2));
  const auto [stage_of, outline] = layers_apart(alone.experiment());
  const PlanningDraws draws = PlanningDraws::expected(experiment);
  const std::uint32_t draw = draws.numbers().front();
  const auto one = alone.footprints(outline, draw), two = twice.footprints(outline, draw);
  std::vector<LayerBytes> of_kind;
  for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage) {
    const double first = bytes_of(one->model_state(StageId(stage))),
                 second = bytes_of(two->model_state(StageId(stage)));
    LayerBytes bytes{2 * second - first, 2 * (first - second), 0};
    for (std::uint32_t m = 0; m < outline.pipeline.microbatches; ++m)
      bytes.activations += one->held(StageId(stage), MicrobatchId(m), ReplicaId(0)).activations.value() /
                           outline.pipeline.microbatches;
    of_kind.push_back(bytes);
  }
  std::vector<LayerBytes> all;
  for (const std::uint32_t stage : stage_of) all.push_back(of_kind[stage]);
  return all;
}

std::optional<Bytes> limit_of(const Experiment& experiment) {
  if (experiment.memory_limit) return experiment.memory_limit;
  const AnalyticCosts* priced = on_platform(experiment.costs);
  return priced ? std::optional(priced->platform.accelerator.memory.value) : std::nullopt;
}

bool can_split(const Experiment& experiment, LayerRange layers, std::uint32_t tensor) {
  const AnalyticCosts* priced = on_platform(experiment.costs);
  if (!priced) return tensor == 1;
  Parallelism own = priced->parallelism;
  own.tensor = tensor;
  for (std::size_t block = 0; block < priced->blocks.size(); ++block)
    if (experiment.model.part_of(block, layers).size() > 0 &&
        !check_split(priced->blocks[block], own).empty())
      return false;
  return check_parallelism(own, 1).empty();
}

// Returns the regions of the last module. Each module before it has one.
std::uint32_t chunks_of_last_module(const ScheduleSpec& schedule) {
  return static_cast<std::uint32_t>(schedule.schedule.skeletons.size() - schedule.modules.size() + 1);
}

class Solver {
 public:
  Solver(const Experiment& experiment, const ScheduleSpec& schedule)
      : experiment_(experiment), chunks_(chunks_of_last_module(schedule)) {
    std::uint32_t first = 0;
    for (const std::uint32_t layers : module_layers(experiment.model)) {
      modules_.push_back({{first, first + layers}, {}});
      first += layers;
    }
    for (const std::uint32_t tensor : kTensors) add_times(tensor);
  }

  std::optional<std::vector<PlacedModule>> run() {
    const auto [ranks, microbatches, replicas] = experiment_.pipeline;
    const std::uint32_t members = parallelism_of(experiment_.costs).members();
    const auto allowed = [this](std::size_t module, const PlacedModule& layout) {
      return each_stage_has_a_layer(module, layout) && fits(layout);
    };
    return allocated_modules(
        {modules_, ranks * replicas * members, std::uint64_t{microbatches} * replicas, allowed});
  }

 private:
  bool any_takes(std::uint32_t tensor) const {
    return std::ranges::any_of(
        modules_, [&](const ModuleToPlace& module) { return can_split(experiment_, module.layers, tensor); });
  }

  void add_times(std::uint32_t tensor) {
    if (!any_takes(tensor)) return;
    const PlanningDraws draws = PlanningDraws::expected(experiment_);
    const DrawCosts costs(on_one_rank(experiment_, tensor, 1));
    const std::vector<Seconds> layers = layer_times(costs, draws);
    for (ModuleToPlace& module : modules_) {
      if (!can_split(experiment_, module.layers, tensor)) continue;
      Seconds all;
      for (std::uint32_t layer = module.layers.first; layer < module.layers.end; ++layer)
        all += layers[layer];
      module.times.push_back({tensor, all / static_cast<double>(draws.numbers().size())});
    }
  }

  bool each_stage_has_a_layer(std::size_t module, const PlacedModule& layout) const {
    const std::uint32_t chunks = module + 1 == modules_.size() ? chunks_ : 1;
    return std::uint64_t{layout.ranks} * chunks <= layout.layers.size();
  }

  bool fits(const PlacedModule& layout) {
    const std::optional<Bytes> limit = limit_of(experiment_);
    if (!limit) return true;
    auto [known, fresh] = bytes_.try_emplace(layout.tensor);
    if (fresh) known->second = layer_bytes(experiment_, layout.tensor);
    double whole = 0, shared = 0, activations = 0;
    for (std::uint32_t layer = layout.layers.first; layer < layout.layers.end; ++layer) {
      whole += known->second[layer].whole;
      shared += known->second[layer].shared;
      activations += known->second[layer].activations;
    }
    const std::uint32_t on_a_rank = (layout.layers.size() + layout.ranks - 1) / layout.ranks;
    const double share = static_cast<double>(on_a_rank) / layout.layers.size();
    const double held = (whole + shared / layout.replicas + activations * layout.ranks) * share;
    return held <= kSolvedMemoryShare * limit->value();
  }

  const Experiment& experiment_;
  std::uint32_t chunks_;  // of the last module
  std::vector<ModuleToPlace> modules_;
  std::map<std::uint32_t, std::vector<LayerBytes>> bytes_;  // by tensor parallel size
};

}  // namespace

std::variant<std::vector<PlacedModule>, std::vector<Violation>> solved_modules(const Experiment& experiment,
                                                                               const ScheduleSpec& schedule) {
  const auto refused = [](std::string expected, std::string found) {
    return std::vector<Violation>{{"", "/modules", std::move(expected), std::move(found)}};
  };
  if (parallelism_of(experiment.costs).context > 1)
    return refused(
        "a list of modules, since DistTrain solves only for tensor parallel sizes and this job uses context "
        "parallelism",
        "\"solved\"");
  auto solved = Solver(experiment, schedule).run();
  if (!solved)
    return refused("enough devices, with enough memory, for every module, and a layer for each of its stages",
                   "no allocation that fits");
  return *std::move(solved);
}

namespace {

class Shares {
 public:
  Shares(const Experiment& experiment, const ScheduleSpec& schedule)
      : schedule_(schedule),
        chunks_(chunks_of_last_module(schedule)),
        times_(layer_times(DrawCosts(experiment), PlanningDraws::expected(experiment))),
        modules_(schedule.modules) {
    const Parallelism job = parallelism_of(experiment.costs);
    for (PlacedModule& module : modules_) {
      module.replicas = experiment.pipeline.replicas;
      module.tensor = job.tensor;
      module.context = job.context;
    }
  }

  std::optional<std::vector<PlacedModule>> best(std::uint32_t ranks) && {
    place(0, ranks, {});
    return std::move(best_);
  }

 private:
  // Modules from `module` on share `left` ranks. `slowest` is the time of the slowest rank of the modules
  // before.
  void place(std::size_t module, std::uint32_t left, Seconds slowest) {
    if (best_ && slowest >= least_) return;
    if (module == modules_.size()) {
      least_ = slowest;
      best_ = modules_;
      return;
    }
    const bool last = module + 1 == modules_.size();
    const bool stated = module == 0 && schedule_.encoder_ranks > 0;
    const std::uint32_t chunks = last ? chunks_ : 1, layers = modules_[module].layers.size();
    const std::uint32_t from = last     ? left
                               : stated ? schedule_.encoder_ranks
                                        : 1,
                        to = stated ? std::min(from, left) : left;
    for (std::uint32_t ranks = from; ranks > 0 && ranks <= to && ranks * chunks <= layers; ++ranks) {
      modules_[module].ranks = ranks;
      place(module + 1, left - ranks, std::max(slowest, slowest_rank(module, chunks)));
    }
  }

  Seconds slowest_rank(std::size_t module, std::uint32_t chunks) const {
    const auto [layers, ranks, replicas, tensor, context] = modules_[module];
    std::vector<Seconds> of_rank(ranks);
    std::uint32_t layer = layers.first, stage = 0;
    for (const std::uint32_t count :
         balanced_split(std::span(times_).subspan(layers.first, layers.size()), ranks * chunks)) {
      for (const std::uint32_t end = layer + count; layer < end; ++layer)
        of_rank[stage % ranks] += times_[layer];
      ++stage;
    }
    return *std::max_element(of_rank.begin(), of_rank.end());
  }

  const ScheduleSpec& schedule_;
  std::uint32_t chunks_;  // of the last module
  std::vector<Seconds> times_;
  std::vector<PlacedModule> modules_;
  std::optional<std::vector<PlacedModule>> best_;
  Seconds least_;
};

}  // namespace

std::optional<std::vector<PlacedModule>> solved_ranks(const Experiment& experiment,
                                                      const ScheduleSpec& schedule) {
  return Shares(experiment, schedule).best(experiment.pipeline.ranks);
}

}  // namespace spillway
