#include "validate/validation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/append.h"
#include "base/error.h"
#include "timing/longest_path.h"
#include "validate/copied_stages.h"
#include "validate/replay.h"

namespace spillway {
namespace {

PointToPoint other(PointToPoint mode) {
  return mode == PointToPoint::Blocking ? PointToPoint::Overlapped : PointToPoint::Blocking;
}

std::vector<std::uint32_t> replica_of_lane(const std::vector<MeasuredStep>& steps) {
  std::vector<std::uint32_t> replicas;
  for (const MeasuredStep& step : steps) replicas.push_back(step.replica.index());
  return replicas;
}

Derived order_of(const Trace& trace, const MeasuredPipeline& pipeline, PointToPoint mode) try {
  return measured_order(pipeline, mode);
} catch (const InputError& bad) {
  throw InputError(located(bad.violations(), trace.files.empty() ? trace.format : trace.files.front(), ""));
}

// The measured order under one transfer mode, and its replays.
class Replays {
 public:
  Replays(const Trace& trace, const MeasuredPipeline& pipeline, PointToPoint mode)
      : derived_(std::make_shared<const Derived>(order_of(trace, pipeline, mode))),
        engine_(derived_->order),
        measured_(measured_times(pipeline, *derived_)),
        durations_(lengths(measured_.timeline)) {}
  explicit Replays(const CopiedStages& copied)
      : derived_(copied.derived),
        engine_(derived_->order),
        measured_(copied.times),
        durations_(lengths(measured_.timeline)) {}

  const std::shared_ptr<const Derived>& derived() const { return derived_; }
  const Order& order() const { return derived_->order; }
  const MeasuredTimes& measured() const { return measured_; }
  const Durations& durations() const { return durations_; }
  Timeline run(const Durations& durations) const { return engine_.timeline(durations); }
  std::vector<Interval> spans_under(const Durations& durations) const {
    return spans(order(), run(durations));
  }

 private:
  std::shared_ptr<const Derived> derived_;
  LongestPath engine_;
  MeasuredTimes measured_;
  Durations durations_;
};

// One lane of a timeline: the span of its passes, and its components by rank.
struct LaneAccount {
  Seconds span;
  std::vector<Components> parts;
};

// Returns the accounts of every lane. Only measured lanes have collectives, those of their steps.
std::vector<LaneAccount> accounts(const Order& order, const Timeline& timeline,
                                  const std::vector<MeasuredStep>& steps = {}) {
  const std::vector<Interval> all = spans(order, timeline);
  std::vector<LaneAccount> lanes;
  for (std::uint32_t lane = 0; lane < all.size(); ++lane) {
    const auto collectives = steps.empty() ? std::vector<std::vector<Interval>>{} : steps[lane].collectives;
    lanes.push_back({all[lane].length(), components(order, timeline, lane, all[lane], collectives)});
  }
  return lanes;
}

std::vector<RankComponents> by_rank(const LaneAccount& measured, const LaneAccount& replayed,
                                    const LaneAccount* model) {
  std::vector<RankComponents> ranks;
  for (std::size_t rank = 0; rank < measured.parts.size(); ++rank)
    ranks.push_back({measured.parts[rank], replayed.parts[rank],
                     model ? std::optional(model->parts[rank]) : std::nullopt});
  return ranks;
}

std::vector<ValidatedStep> validated_steps(const Trace& trace,
                                           const std::vector<MeasuredStep>& measured_steps,
                                           const Replays& replays, const Replays& otherwise,
                                           const std::optional<ModelReplay>& model) {
  const Order& order = replays.order();
  const Durations& durations = replays.durations();
  const std::vector<std::uint32_t> one_group(measured_steps.size(), 0);
  const auto measured = accounts(order, replays.measured().timeline, measured_steps);
  const auto replayed = accounts(order, replays.run(durations));
  const auto constant =
      replays.spans_under(with_constant_transfers(order, durations, replays.measured().transfer));
  const auto means = replays.spans_under(with_means(order, durations, one_group));
  const auto own_means = replays.spans_under(with_means(order, durations, replica_of_lane(measured_steps)));
  const auto in_other_mode = otherwise.spans_under(otherwise.durations());
  const auto modelled = model ? accounts(model->derived.order, model->timeline) : std::vector<LaneAccount>{};
  std::vector<ValidatedStep> steps;
  for (std::uint32_t lane = 0; lane < measured.size(); ++lane) {
    const MeasuredStep& step = measured_steps[lane];
    const LaneAccount* const priced = model ? &modelled[model->lane_of(step.replica)] : nullptr;
    steps.push_back({.step = trace.steps[step.step],
                     .replica = step.replica,
                     .measured = measured[lane].span,
                     .replayed = replayed[lane].span,
                     .constant_transfer = constant[lane].length(),
                     .means_only = means[lane].length(),
                     .means_per_replica = own_means[lane].length(),
                     .other_mode = in_other_mode[lane].length(),
                     .model = priced ? std::optional(priced->span) : std::nullopt,
                     .ranks = by_rank(measured[lane], replayed[lane], priced)});
  }
  return steps;
}

// Returns one lane of a timeline, from its first event that takes time.
Timeline lane_of(const Timeline& all, std::uint32_t lane) {
  const auto events = static_cast<std::uint32_t>(all.start.events());
  Seconds first = all.makespan();
  for (EventId id(0); id.index() < events; id = EventId(id.index() + 1))
    if (all.start.at(id, lane) < all.end.at(id, lane)) first = std::min(first, all.start.at(id, lane));
  Timeline one{{events, 1}, {events, 1}};
  for (EventId id(0); id.index() < events; id = EventId(id.index() + 1)) {
    one.start.at(id, 0) = std::max(Seconds(), all.start.at(id, lane) - first);
    one.end.at(id, 0) = std::max(Seconds(), all.end.at(id, lane) - first);
  }
  return one;
}

StepTimelines first_step(const Replays& replays) {
  return {replays.derived(), lane_of(replays.measured().timeline, 0),
          lane_of(replays.run(replays.durations()), 0)};
}

// Notes the steps whose order differs from the replayed one.
void add_order_note(const MeasuredPipeline& pipeline, std::vector<Note>& notes) {
  const auto others =
      std::count_if(pipeline.steps.begin(), pipeline.steps.end(),
                    [&](const MeasuredStep& step) { return step.order != pipeline.placement.orders; });
  if (others > 0)
    notes.push_back({NoteKind::Differs, static_cast<std::size_t>(others),
                     "cases with another order of passes than most; the most frequent order is replayed"});
}

}  // namespace

Validation validate_trace(const Trace& trace, const MeasuredPipeline& pipeline, const ScheduleMatch& match,
                          const ModelSource* model) {
  const TransferMode mode = transfer_mode(pipeline);
  const Replays replays(trace, pipeline, mode.point_to_point);
  const Replays otherwise(trace, pipeline, other(mode.point_to_point));

  std::vector<Note> notes = trace.notes;
  append(notes, pipeline.notes);
  append(notes, mode.notes);
  append(notes, replays.measured().notes);
  add_order_note(pipeline, notes);
  append(notes, match.differences);
  std::optional<ModelReplay> priced;
  if (model) priced = model_replay(pipeline, match, mode.point_to_point, *model, notes);
  return {trace.format,
          trace.files,
          match,
          pipeline.ranks,
          pipeline.stages,
          pipeline.microbatches,
          pipeline.replicas,
          mode,
          replays.measured().transfer,
          validated_steps(trace, pipeline.steps, replays, otherwise, priced),
          mean_passes(pass_kernels(trace)),
          std::move(notes),
          first_step(replays)};
}

Validation validate_copies(const Trace& trace) {
  const CopiedStages copied = copied_stages(trace);
  const Replays replays(copied);
  const Replays otherwise(copied_stages(trace, other(copied.transfers.point_to_point)));
  std::vector<Note> notes = trace.notes;
  append(notes, copied.notes);
  append(notes, copied.match.differences);
  return {trace.format,
          trace.files,
          copied.match,
          copied.ranks,
          copied.stages,
          copied.microbatches,
          copied.replicas,
          copied.transfers,
          copied.times.transfer,
          validated_steps(trace, copied.steps, replays, otherwise, {}),
          mean_passes(pass_kernels(trace)),
          std::move(notes),
          first_step(replays)};
}

ErrorSummary span_errors(const Validation& validation, Seconds ValidatedStep::*replay) {
  std::vector<double> errors;
  for (const ValidatedStep& one : validation.cases) errors.push_back(one.*replay / one.measured - 1);
  return error_summary(errors);
}

std::optional<ErrorSummary> model_errors(const Validation& validation) {
  std::vector<double> errors;
  for (const ValidatedStep& one : validation.cases)
    if (one.model) errors.push_back(*one.model / one.measured - 1);
  if (errors.empty()) return std::nullopt;
  return error_summary(errors);
}

}  // namespace spillway
