#include "validate/model_replay.h"

#include <algorithm>
#include <string>
#include <utility>

#include "experiment/derive_options.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

std::string number(std::uint32_t n) {
  return std::to_string(n);
}

class Comparison {
 public:
  Comparison(const MeasuredPipeline& pipeline, const ScheduleMatch& match, const Experiment& experiment,
             std::vector<Note>& notes)
      : pipeline_(pipeline), match_(match), experiment_(experiment), notes_(notes) {}

  // Returns the experiment with the trace's microbatches, or nothing if it cannot be compared with the trace.
  std::optional<Experiment> adapted() {
    const bool possible = same_ranks() & enough_layers() & enough_work();
    compare_rest(possible);
    if (!possible) return std::nullopt;
    Experiment experiment = experiment_;
    experiment.pipeline.microbatches = pipeline_.microbatches;
    return experiment;
  }

  // Returns the experiment's schedule that has the trace's name, or else the baseline.
  const ScheduleSpec& schedule() const {
    const auto same =
        std::find_if(experiment_.schedules.begin(), experiment_.schedules.end(),
                     [&](const ScheduleSpec& spec) { return to_string(spec.schedule) == match_.schedule; });
    return same != experiment_.schedules.end() ? *same : experiment_.schedules[experiment_.baseline];
  }

  // Returns the schedule's layers if they fit the trace's stages. An empty list splits them evenly.
  std::vector<std::uint32_t> layers() const {
    const auto& given = schedule().layers_per_rank;
    return given.size() == pipeline_.stages ? given : std::vector<std::uint32_t>();
  }

 private:
  void differ(std::string text) { notes_.push_back({NoteKind::Differs, 0, std::move(text)}); }

  bool same_ranks() {
    if (experiment_.pipeline.ranks == pipeline_.ranks) return true;
    differ("the trace has " + number(pipeline_.ranks) + " pipeline ranks, the experiment " +
           number(experiment_.pipeline.ranks) + ": the model is not priced");
    return false;
  }

  bool enough_layers() {
    if (experiment_.model.layer_count() >= pipeline_.stages) return true;
    differ("the trace has " + number(pipeline_.stages) + " stages, the experiment's model " +
           number(experiment_.model.layer_count()) + " layers: the model is not priced");
    return false;
  }

  // Lists of work are as long as the experiment's own number of microbatches.
  bool enough_work() {
    const auto* given = std::get_if<GivenCosts>(&experiment_.costs);
    if (!given || experiment_.pipeline.microbatches >= pipeline_.microbatches) return true;
    const bool listed = std::any_of(given->blocks.begin(), given->blocks.end(),
                                    [](const BlockProfile& block) { return !block.work.empty(); });
    if (listed)
      differ("the trace has " + number(pipeline_.microbatches) +
             " microbatches, the experiment lists the work of " + number(experiment_.pipeline.microbatches) +
             ": the model is not priced");
    return !listed;
  }

  // `priced`: the model is priced, so that the notes may say what it uses.
  void compare_rest(bool priced) {
    if (experiment_.pipeline.microbatches != pipeline_.microbatches)
      differ("the trace has " + number(pipeline_.microbatches) + " microbatches, the experiment " +
             number(experiment_.pipeline.microbatches) + (priced ? ": the trace's number is used" : ""));
    if (experiment_.pipeline.replicas != pipeline_.replicas)
      differ("the trace has " + number(pipeline_.replicas) + " replicas, the experiment " +
             number(experiment_.pipeline.replicas) +
             (priced && experiment_.pipeline.replicas < pipeline_.replicas
                  ? ": missing replicas are priced as its first one"
                  : ""));
    if (to_string(schedule().schedule) != match_.schedule)
      differ("the trace follows " + match_.schedule +
             ", which no schedule of the experiment does: the trace's order is used");
    if (!schedule().layers_per_rank.empty() && schedule().layers_per_rank.size() != pipeline_.stages)
      differ("layers_per_rank has " + std::to_string(schedule().layers_per_rank.size()) +
             " stages, the trace has " + number(pipeline_.stages) + ": layers are split evenly");
    if (experiment_.draws > 1)
      notes_.push_back({NoteKind::Guessed, 0, "the model prices only the first of the experiment's draws"});
  }

  const MeasuredPipeline& pipeline_;
  const ScheduleMatch& match_;
  const Experiment& experiment_;
  std::vector<Note>& notes_;
};

Derived derive_listed(const Experiment& experiment, const PlacedOrders& order, const DeriveOptions& options) {
  const Schedule listed{{listed_skeleton(order)}};
  auto violations = check_derive(experiment.model, listed, {}, options);
  if (!violations.empty()) throw InputError(located(std::move(violations), "experiment", ""));
  return derive(experiment.model, listed, {}, options);
}

}  // namespace

std::optional<ModelReplay> model_replay(const MeasuredPipeline& pipeline, const ScheduleMatch& match,
                                        PointToPoint point_to_point, const ModelSource& source,
                                        std::vector<Note>& notes) {
  Comparison comparison(pipeline, match, source.experiment, notes);
  const std::optional<Experiment> experiment = comparison.adapted();
  if (!experiment) return std::nullopt;
  DeriveOptions options = common_options(experiment->pipeline, point_to_point, experiment->costs);
  options.layers_per_rank = comparison.layers();
  Derived derived = derive_listed(*experiment, pipeline.placement, options);
  Durations durations = price(derived, *source.costs(*experiment, derived)).durations;
  Timeline timeline = LongestPath(derived.order).timeline(durations);
  return ModelReplay{std::move(derived), std::move(durations), std::move(timeline)};
}

}  // namespace spillway
