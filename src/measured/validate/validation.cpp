#include "measured/validate/validation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "measured/validate/replay.h"
#include "timing/longest_path.h"

namespace spillway {
namespace {

PointToPoint other(PointToPoint mode) {
  return mode == PointToPoint::Blocking ? PointToPoint::Overlapped : PointToPoint::Blocking;
}

std::vector<std::uint32_t> replica_of_lane(const MeasuredPipeline& pipeline) {
  std::vector<std::uint32_t> replicas;
  for (const MeasuredStep& step : pipeline.steps) replicas.push_back(step.replica.index());
  return replicas;
}

Derived order_of(const Trace& trace, const MeasuredPipeline& pipeline, PointToPoint mode) try {
  return measured_order(pipeline, mode);
} catch (const InputError& bad) {
  throw InputError(located(bad.violations(), trace.files.empty() ? trace.format : trace.files.front(), ""));
}

// The measured order under one mode of transfers, and its replays.
class Replays {
 public:
  Replays(const Trace& trace, const MeasuredPipeline& pipeline, PointToPoint mode)
      : derived_(order_of(trace, pipeline, mode)),
        engine_(derived_.order),
        measured_(measured_times(pipeline, derived_)),
        durations_(lengths(measured_.timeline)) {}

  const Order& order() const { return derived_.order; }
  const MeasuredTimes& measured() const { return measured_; }
  const Durations& durations() const { return durations_; }
  Timeline run(const Durations& durations) const { return engine_.timeline(durations); }
  std::vector<Interval> spans_under(const Durations& durations) const {
    return spans(order(), run(durations));
  }

 private:
  Derived derived_;
  LongestPath engine_;
  MeasuredTimes measured_;
  Durations durations_;
};

void set(std::vector<ValidatedStep>& cases, Seconds ValidatedStep::*replay,
         const std::vector<Interval>& spans) {
  for (std::size_t lane = 0; lane < cases.size(); ++lane) cases[lane].*replay = spans[lane].length();
}

std::vector<ValidatedStep> named_cases(const Trace& trace, const MeasuredPipeline& pipeline) {
  std::vector<ValidatedStep> cases(pipeline.steps.size());
  for (std::size_t lane = 0; lane < cases.size(); ++lane) {
    cases[lane].step = trace.steps[pipeline.steps[lane].step];
    cases[lane].replica = pipeline.steps[lane].replica;
    cases[lane].ranks.resize(pipeline.ranks);
  }
  return cases;
}

void add_components(std::vector<ValidatedStep>& cases, const MeasuredPipeline& pipeline,
                    const Replays& replays) {
  const Timeline replayed = replays.run(replays.durations());
  const auto measured_spans = spans(replays.order(), replays.measured().timeline);
  const auto replayed_spans = spans(replays.order(), replayed);
  set(cases, &ValidatedStep::measured, measured_spans);
  set(cases, &ValidatedStep::replayed, replayed_spans);
  for (std::uint32_t lane = 0; lane < cases.size(); ++lane) {
    const auto measured = components(replays.order(), replays.measured().timeline, lane, measured_spans[lane],
                                     pipeline.steps[lane].collectives);
    const auto own = components(replays.order(), replayed, lane, replayed_spans[lane]);
    for (std::size_t rank = 0; rank < pipeline.ranks; ++rank)
      cases[lane].ranks[rank] = {measured[rank], own[rank], std::nullopt};
  }
}

void add_model(std::vector<ValidatedStep>& cases, const ModelReplay& model) {
  const auto all = spans(model.derived.order, model.timeline);
  for (ValidatedStep& one : cases) {
    const std::uint32_t lane = model.lane_of(one.replica);
    one.model = all[lane].length();
    const auto parts = components(model.derived.order, model.timeline, lane, all[lane]);
    for (std::size_t rank = 0; rank < parts.size(); ++rank) one.ranks[rank].model = parts[rank];
  }
}

// Steps that took another order than the one that is replayed.
void add_order_note(const MeasuredPipeline& pipeline, std::vector<Note>& notes) {
  const auto others =
      std::count_if(pipeline.steps.begin(), pipeline.steps.end(),
                    [&](const MeasuredStep& step) { return step.order != pipeline.placement.orders; });
  if (others > 0)
    notes.push_back({NoteKind::Differs, static_cast<std::size_t>(others),
                     "cases took their passes in another order than most, which is what is replayed"});
}

void append(std::vector<Note>& notes, const std::vector<Note>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

}  // namespace

Validation validate_trace(const Trace& trace, const MeasuredPipeline& pipeline, const ScheduleMatch& match,
                          const ModelSource* model) {
  const TransferMode mode = transfer_mode(pipeline);
  const Replays replays(trace, pipeline, mode.point_to_point);
  const Replays otherwise(trace, pipeline, other(mode.point_to_point));
  const Order& order = replays.order();
  const Durations& durations = replays.durations();
  const Seconds transfer = replays.measured().transfer;

  auto cases = named_cases(trace, pipeline);
  add_components(cases, pipeline, replays);
  set(cases, &ValidatedStep::constant_transfer,
      replays.spans_under(with_constant_transfers(order, durations, transfer)));
  set(cases, &ValidatedStep::means_only,
      replays.spans_under(with_means(order, durations, std::vector<std::uint32_t>(cases.size(), 0))));
  set(cases, &ValidatedStep::means_per_replica,
      replays.spans_under(with_means(order, durations, replica_of_lane(pipeline))));
  set(cases, &ValidatedStep::other_mode, otherwise.spans_under(otherwise.durations()));

  std::vector<Note> notes = trace.notes;
  append(notes, pipeline.notes);
  append(notes, mode.notes);
  append(notes, replays.measured().notes);
  add_order_note(pipeline, notes);
  append(notes, match.differences);
  if (model) {
    if (const auto priced = model_replay(pipeline, match, mode.point_to_point, *model, notes))
      add_model(cases, *priced);
  }
  return {trace.format,
          trace.files,
          match,
          pipeline.ranks,
          pipeline.stages,
          pipeline.microbatches,
          pipeline.replicas,
          mode,
          transfer,
          std::move(cases),
          mean_passes(pass_kernels(trace)),
          straggler_what_if(trace),
          std::move(notes)};
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
