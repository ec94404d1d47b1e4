#include "search/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "cost/placement.h"
#include "derive/order_stream.h"
#include "experiment/derive_options.h"
#include "model/model.h"
#include "search/layout_narrowing.h"
#include "search/layout_rules.h"
#include "search/schedule_names.h"
#include "search/sense.h"

namespace spillway {
namespace {

using Counts = std::vector<std::uint32_t>;

Counts divisors(std::uint32_t number) {
  Counts low, high;
  for (std::uint32_t d = 1; std::uint64_t{d} * d <= number; ++d) {
    if (number % d != 0) continue;
    low.push_back(d);
    if (d != number / d) high.push_back(number / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

// Returns the divisors of `number` that `asked` allows.
Counts some_divisors(std::uint32_t number, const std::optional<Counts>& asked) {
  Counts all = divisors(number);
  if (asked)
    std::erase_if(all, [&](std::uint32_t d) { return std::ranges::find(*asked, d) == asked->end(); });
  return all;
}

// How devices are shared out, for any size of microbatch.
struct Grid {
  std::uint32_t ranks, tensor, context, expert, replicas;
};

class LayoutSpace {
 public:
  // `by_sense`: without the layouts that nobody would run.
  LayoutSpace(const PlanJob& job, std::size_t most, bool by_sense)
      : job_(job), most_(most), by_sense_(by_sense) {}

  // Counts all layouts before it keeps any.
  std::vector<PlanLayout> all() {
    visit_all();
    if (tally_.layouts() > most_) refuse_so_many(job_, tally_, most_);
    layouts_.reserve(tally_.layouts());
    counts_ = false;
    visit_all();
    return std::move(layouts_);
  }
  std::size_t left_out() const { return left_out_; }

 private:
  const JobCluster& cluster() const { return job_.clusters[cluster_]; }
  const Model& model() const { return cluster().base.model; }
  const WorkloadSpec& workload() const { return cluster().analytic().workload; }

  void visit_all() {
    for (cluster_ = 0; cluster_ < job_.clusters.size(); ++cluster_) {
      scratch_ = cluster().analytic().costs;
      for (const std::uint32_t devices : cluster().devices) lay_out(devices);
    }
  }

  void lay_out(std::uint32_t devices) {
    for (const std::uint32_t ranks : some_divisors(devices, job_.search.ranks)) {
      if (ranks > model().layer_count() || (ranks > 1 && !cluster().splits)) break;
      for (const std::uint32_t tensor : some_divisors(devices / ranks, job_.search.tensor))
        for (const std::uint32_t context : some_divisors(devices / ranks / tensor, job_.search.context)) {
          const std::uint32_t replicas = devices / ranks / tensor / context;
          for (const std::uint32_t expert : some_divisors(tensor * context * replicas, job_.search.expert))
            lay_out(devices, {ranks, tensor, context, expert, replicas});
        }
    }
  }

  void lay_out(std::uint32_t devices, const Grid& grid) {
    if (job_.batch % grid.replicas != 0 || !runs(grid) || !is_legal(grid)) return;
    for (const std::uint32_t size : microbatches(job_.batch / grid.replicas)) {
      const std::uint32_t count = job_.batch / grid.replicas / size;
      for (std::size_t schedule = 0; schedule < job_.search.schedules.size(); ++schedule) {
        if (!takes(schedule, grid, count)) continue;
        add({cluster_, devices, grid.ranks, grid.tensor, grid.context, grid.expert, grid.replicas, count,
             size, Recompute::None, DataParallel::Plain, schedule});
      }
    }
  }

  // Adds the layout with every recomputation and sharding.
  void add(PlanLayout layout) {
    std::vector<Recompute> again = recomputes();
    if (hides_exchanges(layout.schedule)) std::erase(again, Recompute::Full);  // check_needs
    const std::vector<DataParallel> data = shardings(layout.replicas * layout.context);
    const std::size_t senseless = by_sense_ ? erase_senseless(again, layout) : 0;
    if (counts_) {
      left_out_ += senseless * data.size();
      return tally_.add(layout, again, data);
    }
    for (const Recompute recompute : again)
      for (const DataParallel sharding : data) {
        layout.recompute = recompute;
        layout.data = sharding;
        layouts_.push_back(layout);
      }
  }

  std::size_t erase_senseless(std::vector<Recompute>& again, PlanLayout layout) const {
    return std::erase_if(again, [&](Recompute one) {
      layout.recompute = one;
      return without_sense(job_, layout).has_value();
    });
  }

  // A packed microbatch is one sequence. Other microbatches are limited to the longest sequence of a
  // workload.
  Counts microbatches(std::uint32_t of_a_replica) const {
    if (workload().packing == Packing::Packed) return some_divisors(1, job_.search.microbatch);
    Counts sizes = some_divisors(of_a_replica, job_.search.microbatch);
    std::erase_if(sizes, [&](std::uint32_t size) { return is_too_long(workload(), size); });
    return sizes;
  }

  std::vector<Recompute> recomputes() const {
    return job_.search.recompute.value_or(
        std::vector{Recompute::None, Recompute::Selective, Recompute::Alternate, Recompute::Full});
  }

  // A single device has no other device to share its states with.
  std::vector<DataParallel> shardings(std::uint32_t sharers) const {
    std::vector<DataParallel> all = {DataParallel::Plain};
    if (sharers > 1)
      all = {DataParallel::Plain, DataParallel::Zero1, DataParallel::Zero2, DataParallel::Zero3};
    if (job_.search.data) all = *job_.search.data;
    const OptimizerStates& states = cluster().analytic().costs.parallelism.states;
    std::erase_if(all, [&](DataParallel data) { return !updates(states, data); });
    return all;
  }

  // Software that splits nothing has whole models on single devices.
  bool runs(const Grid& grid) const {
    return cluster().splits || (grid.tensor == 1 && grid.context == 1 && grid.expert == 1);
  }

  // The result of check_analytic for one rank, one microbatch and this many replicas holds for every
  // pipeline. check_step counts the layers.
  bool is_legal(const Grid& grid) {
    if (workload().packing != Packing::Unpacked && grid.context > workload().sequence_tokens) return false;
    const auto key = std::tuple(cluster_, grid.tensor, grid.context, grid.expert, grid.replicas);
    if (const auto known = legal_.find(key); known != legal_.end()) return known->second;
    scratch_.parallelism = with(scratch_.parallelism, grid);
    return legal_[key] = check_analytic(scratch_, model(), {1, 1, grid.replicas}).empty();
  }

  static Parallelism with(Parallelism parallel, const Grid& grid) {
    parallel.tensor = grid.tensor;
    parallel.context = grid.context;
    parallel.expert = grid.expert;
    return parallel;
  }

  // 1f1b-overlap.
  bool hides_exchanges(std::size_t schedule) const {
    return std::ranges::any_of(job_.search.schedules[schedule].schedule.skeletons, needs_experts);
  }

  bool takes(std::size_t schedule, const Grid& grid, std::uint32_t microbatches) {
    const ScheduleChoice& choice = job_.search.schedules[schedule];
    if (hides_exchanges(schedule) && grid.expert == 1) return false;  // check_needs
    const Parallelism parallel = with({}, grid);
    const std::uint32_t joined = joined_replicas(parallel);
    const auto key = std::tuple(schedule, grid.ranks, microbatches, grid.replicas, joined);
    if (const auto known = taken_.find(key); known != taken_.end()) return known->second;
    scratch_.parallelism = with(scratch_.parallelism, grid);
    DeriveOptions options;
    options.pipeline = {grid.ranks, microbatches, grid.replicas};
    options.joined_replicas = spillway::joined_replicas(scratch_);
    options.microbatch_group = grid.ranks;  // Megatron's default for interleaved 1F1B
    // On one rank, all pipelines of one region over the same samples are the same schedule.
    const bool twice = grid.ranks == 1 && schedule > 0 && !transposes(choice.schedule) &&
                       !choice.moves_samples && !hides_exchanges(schedule) && takes(0, grid, microbatches) &&
                       choice.split != StageSplit::Disaggregated;
    const bool too_few =
        choice.split == StageSplit::Disaggregated && grid.ranks < module_layers(model()).size();
    const auto laid = schedule_of(choice, model(), options.pipeline);
    return taken_[key] = !twice && !too_few && laid && has_wanted_stages(choice, model(), grid.ranks) &&
                         check_step(model(), laid->schedule, laid->cut, options).empty() &&
                         !stands_before(schedule, *laid, grid, microbatches);
  }

  // Returns true if it equals an earlier schedule.
  bool stands_before(std::size_t schedule, const ScheduleSpec& laid, const Grid& grid,
                     std::uint32_t microbatches) {
    const std::vector<ScheduleChoice>& choices = job_.search.schedules;
    for (std::size_t earlier = 0; earlier < schedule; ++earlier) {
      if (choices[earlier].schedule != choices[schedule].schedule || !takes(earlier, grid, microbatches))
        continue;
      const auto other = schedule_of(choices[earlier], model(), {grid.ranks, microbatches, grid.replicas});
      if (is_same_schedule(*other, laid)) return true;
    }
    return false;
  }

  const PlanJob& job_;
  const std::size_t most_;
  const bool by_sense_;
  std::size_t left_out_ = 0;
  bool counts_ = true;  // only counts
  LayoutTally tally_;
  std::size_t cluster_ = 0;
  AnalyticCosts scratch_;
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, bool> legal_,
      taken_;
  std::vector<PlanLayout> layouts_;
};

}  // namespace

std::optional<ScheduleSpec> schedule_of(const ScheduleChoice& choice, const Model& model,
                                        const Pipeline& pipeline) {
  if (choice.given) return choice.given;
  if (choice.system) {
    LaidOut laid = choice.system->system->lay({model, pipeline}, choice.system->options);
    auto* spec = std::get_if<ScheduleSpec>(&laid);
    if (!spec) return std::nullopt;
    spec->name = choice.name;
    spec->system = choice.system->system->name;
    return std::move(*spec);
  }
  auto cut = choice.split == StageSplit::Joint ? cut_by_runs(model, choice.schedule, choice.cut)
             : choice.cut                      ? choice.cut
                                               : default_cut(model, choice.schedule.skeletons.size());
  if (!cut) return std::nullopt;
  return ScheduleSpec{.name = choice.name,
                      .schedule = choice.schedule,
                      .cut = *std::move(cut),
                      .owner = choice.owner,
                      .split = choice.split};
}

std::vector<PlanLayout> legal_layouts(const PlanJob& job, std::size_t most) {
  return LayoutSpace(job, most, false).all();
}

SearchedLayouts searched_layouts(const PlanJob& job, std::size_t most) {
  LayoutSpace space(job, most, !job.search.all);
  std::vector<PlanLayout> layouts = space.all();
  return {std::move(layouts), space.left_out()};
}

Experiment experiment_of(const PlanJob& job, const PlanLayout& layout) {
  Experiment experiment = job.clusters[layout.cluster].base;
  auto& [costs, workload] = std::get<AnalyticExperiment>(experiment.costs);
  experiment.pipeline = {layout.ranks, layout.microbatches, layout.replicas};
  costs.parallelism.tensor = layout.tensor;
  costs.parallelism.context = layout.context;
  costs.parallelism.expert = layout.expert;
  costs.parallelism.data = layout.data;
  for (std::size_t block = 0; block < costs.blocks.size(); ++block)
    if (!job.states_recompute[block]) costs.blocks[block].recompute = layout.recompute;
  align(costs, experiment.pipeline);
  workload.samples_per_microbatch = workload.sequences_per_microbatch = layout.microbatch;
  experiment.schedules = {
      *schedule_of(job.search.schedules[layout.schedule], experiment.model, experiment.pipeline)};
  return experiment;
}

Experiment of_one_replica(Experiment experiment, std::uint32_t microbatches) {
  auto& costs = *on_platform(experiment.costs);
  if (std::ranges::all_of(joined_replicas(costs), [](std::uint32_t joined) { return joined == 1; }))
    costs.equal_replicas = std::exchange(experiment.pipeline.replicas, 1);
  experiment.pipeline.microbatches = microbatches;
  return experiment;
}

}  // namespace spillway
