#include "experiment/solved_modules.h"

#include <algorithm>
#include <span>

#include "derive/stage_split.h"
#include "experiment/layer_times.h"

namespace spillway {
namespace {

class Shares {
 public:
  Shares(const Experiment& experiment, const ScheduleSpec& schedule)
      : schedule_(schedule),
        chunks_(static_cast<std::uint32_t>(schedule.schedule.skeletons.size() - schedule.modules.size() + 1)),
        times_(layer_times(DrawCosts(experiment), PlanningDraws::expected(experiment))),
        modules_(schedule.modules) {
    Parallelism job;
    if (const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs))
      job = analytic->costs.parallelism;
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
  // Modules from `module` on share `left` ranks; the slowest rank of those before takes `slowest`.
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
