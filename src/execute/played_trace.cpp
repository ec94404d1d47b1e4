#include "execute/played_trace.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace spillway {
namespace {

TraceKind kind_of(ActionPass pass) {
  switch (pass) {
    case ActionPass::Backward:
      return TraceKind::Backward;
    case ActionPass::InputGradient:
      return TraceKind::BackwardInput;
    case ActionPass::WeightGradient:
      return TraceKind::BackwardWeight;
    default:
      return TraceKind::Forward;
  }
}

// Writes the events of one rank in one step.
class RankEvents {
 public:
  RankEvents(const RankProgram& of, std::uint32_t step, Seconds origin, double time_scale,
             const std::vector<std::uint16_t>& stages, Trace& trace)
      : time_scale_(time_scale), origin_(origin), stages_(stages), trace_(trace) {
    event_.step = step;
    event_.replica = static_cast<std::uint16_t>(of.replica.index());
    event_.rank = static_cast<std::uint16_t>(of.rank.index());
  }

  void add(const RankAction& action, const ActionTimes& times) {
    std::visit([&](const auto& each) { write(each, times); }, action);
  }

 private:
  // Most actions are no events.
  template <class Action>
  void write(const Action&, const ActionTimes&) {}

  // A recomputation is part of the pass that follows it, and takes no time of its own.
  void write(const ComputeAction& action, const ActionTimes& times) {
    if (action.pass == ActionPass::Recompute) return;
    const Seconds start = times.due - time_scale_ * action.time;
    add(kind_of(action.pass), action.at.stage, action.at.microbatch, start, times.done);
    if (action.with) add(TraceKind::Backward, action.with->stage, action.with->microbatch, start, times.done);
  }

  void write(const PostReceive& action, const ActionTimes& times) {
    const auto kind = action.backward ? TraceKind::ReceiveBackward : TraceKind::ReceiveForward;
    add(kind, action.to, action.microbatch, times.due - time_scale_ * action.time, times.done);
  }

  void write(const Send& action, const ActionTimes& times) {
    const auto kind = action.backward ? TraceKind::SendBackward : TraceKind::SendForward;
    add(kind, action.from, action.microbatch, times.start, times.done);
  }

  void write(const BroadcastAction& action, const ActionTimes& times) {
    exchange("broadcast", action.stage, times);
  }
  void write(const ReduceAction& action, const ActionTimes& times) {
    exchange("reduce", action.stage, times);
  }

  void exchange(const std::string& name, StageId stage, const ActionTimes& times) {
    event_.name = static_cast<std::uint32_t>(trace_.names.size());
    trace_.names.push_back(name);
    event_.kind = TraceKind::Collective;
    event_.microbatch = kUnknown;
    keep(stage, times.start, times.done);
  }

  void add(TraceKind kind, StageId stage, MicrobatchId microbatch, Seconds start, Seconds end) {
    event_.name = static_cast<std::uint32_t>(kind);
    event_.kind = kind;
    event_.microbatch = microbatch.index();
    keep(stage, start, end);
  }

  void keep(StageId stage, Seconds start, Seconds end) {
    event_.stage = stages_[stage.index()];
    event_.start = origin_ + start;
    event_.duration = std::max(Seconds(), end - start);
    trace_.events.push_back(event_);
  }

  double time_scale_;
  Seconds origin_;
  const std::vector<std::uint16_t>& stages_;  // the trace's numbers
  Trace& trace_;
  TraceEvent event_ = {};
};

}  // namespace

std::vector<std::uint16_t> trace_stages(const Program& program) {
  using Place = std::tuple<std::size_t, std::size_t, std::uint32_t>;  // region, copy, first layer
  std::map<std::string, std::size_t> regions;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> copies;
  std::vector<Place> places;
  for (const ProgramStage& stage : program.stages) {
    const std::size_t region = regions.emplace(stage.region, regions.size()).first->second;
    places.emplace_back(region, copies[{region, stage.first_layer}]++, stage.first_layer);
  }
  std::vector<std::uint32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return places[a] < places[b]; });
  std::vector<std::uint16_t> numbers(places.size());
  for (std::size_t i = 0; i < order.size(); ++i) numbers[order[i]] = static_cast<std::uint16_t>(i);
  return numbers;
}

Trace played_trace(const Program& program, const PlayedProgram& execution) {
  Trace trace;
  trace.format = "spillway-execute";
  trace.schedule = program.schedule;
  trace.notes.push_back({NoteKind::Read, 0, program.schedule + " of " + program.experiment + ", executed"});
  for (std::size_t kind = 0; kind < kTraceActions.size(); ++kind)
    trace.names.emplace_back(to_string(static_cast<TraceKind>(kind)));
  const std::vector<std::uint16_t> stages = trace_stages(program);
  Seconds origin;
  for (std::uint32_t step = 0; step < execution.steps.size(); ++step) {
    const PlayedStep& played = execution.steps[step];
    trace.steps.push_back(std::to_string(step));
    for (std::size_t rank = 0; rank < played.ranks.size(); ++rank) {
      const RankProgram& of = program.programs[rank];
      RankEvents events(of, step, origin, execution.time_scale, stages, trace);
      for (std::size_t index = 0; index < of.actions.size(); ++index)
        events.add(of.actions[index], played.ranks[rank][index]);
    }
    origin += played.length;
  }
  normalise(trace);
  return trace;
}

}  // namespace spillway
