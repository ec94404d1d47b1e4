#include "validate/replay.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

void refuse_any(std::vector<Violation> violations) {
  if (!violations.empty()) throw InputError(located(std::move(violations), "", "/order of the trace"));
}

struct Mean {
  Seconds sum;
  double count = 0;

  void add(Seconds t) { sum += t, count += 1; }
  Seconds value() const { return sum / count; }
};

// The key of passes that are averaged together.
using PassKey = std::tuple<EventKind, StageId, StageId>;

PassKey pass_key(const Event& event) {
  return {event.kind, event.stage, event.kind == EventKind::ForwardBackward ? event.peer_stage : event.stage};
}

}  // namespace

Derived measured_order(const MeasuredPipeline& pipeline, PointToPoint point_to_point) {
  const Model model({{"model", Role::Backbone, pipeline.stages, true}});
  const Schedule schedule{{listed_skeleton(pipeline.placement)}};
  DeriveOptions options{.pipeline = {pipeline.ranks, pipeline.microbatches}};
  options.point_to_point = point_to_point;
  // Refuses a rank that does nothing, and passes that wait in a cycle.
  refuse_any(check_action_lists(to_action_lists(pipeline.placement), pipeline.ranks, pipeline.microbatches));
  refuse_any(check_derive(model, schedule, {}, options));
  return derive(model, schedule, {}, options);
}

Durations lengths(const Timeline& timeline) {
  Durations durations(timeline.start.events(), timeline.start.lanes());
  for (std::size_t i = 0; i < durations.flat().size(); ++i)
    durations.flat()[i] = timeline.end.flat()[i] - timeline.start.flat()[i];
  return durations;
}

Durations with_constant_transfers(const Order& order, Durations durations, Seconds transfer) {
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    if (order.event(EventId(index)).transfers()) durations.fill(EventId(index), transfer);
  }
  return durations;
}

Durations with_means(const Order& order, Durations durations, std::span<const std::uint32_t> group_of_lane) {
  ensure(group_of_lane.size() == durations.lanes(), "a group for every lane");
  const std::uint32_t groups = 1 + *std::max_element(group_of_lane.begin(), group_of_lane.end());
  std::map<PassKey, std::vector<Mean>> means;
  const auto each = [&](auto visit) {
    for (std::uint32_t index = 0; index < order.event_count(); ++index) {
      const Event& event = order.event(EventId(index));
      if (!event.computes()) continue;
      auto& by_group = means.try_emplace(pass_key(event), groups).first->second;
      for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
        visit(by_group[group_of_lane[lane]], durations.at(EventId(index), lane));
    }
  };
  each([](Mean& mean, Seconds& duration) { mean.add(duration); });
  each([](Mean& mean, Seconds& duration) { duration = mean.value(); });
  return durations;
}

std::vector<Interval> spans(const Order& order, const Timeline& timeline) {
  std::vector<std::optional<Interval>> found(timeline.start.lanes());
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    if (!order.event(EventId(index)).computes()) continue;
    for (std::uint32_t lane = 0; lane < timeline.start.lanes(); ++lane) {
      const Interval own{timeline.start.at(EventId(index), lane), timeline.end.at(EventId(index), lane)};
      auto& span = found[lane];
      span = span ? Interval{std::min(span->start, own.start), std::max(span->end, own.end)} : own;
    }
  }
  std::vector<Interval> all;
  for (const auto& span : found) {
    ensure(span.has_value(), "an order computes something");
    all.push_back(*span);
  }
  return all;
}

}  // namespace spillway
