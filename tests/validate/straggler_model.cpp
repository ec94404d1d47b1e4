#include "straggler_model.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "straggler_dependencies.h"

namespace spillway {
namespace {

std::optional<StepWork> work_of(const Trace& trace, const TraceEvent& event) {
  switch (event.kind) {
    case TraceKind::Forward:
      return StepWork::Forward;
    case TraceKind::Backward:
      return StepWork::Backward;
    case TraceKind::SendForward:
      return StepWork::SendForward;
    case TraceKind::ReceiveForward:
      return StepWork::ReceiveForward;
    case TraceKind::SendBackward:
      return StepWork::SendBackward;
    case TraceKind::ReceiveBackward:
      return StepWork::ReceiveBackward;
    default:
      break;
  }
  static const std::map<std::string_view, StepWork> kNamed = {
      {"params-all-gather", StepWork::GatherParameters},
      {"gc", StepWork::CollectGarbage},
      {"layernorm-grads-all-reduce", StepWork::ReduceLayerNorms},
      {"embedding-grads-all-reduce", StepWork::ReduceEmbeddings},
      {"grads-reduce-scatter", StepWork::ScatterGradients},
      {"optimizer-clip-main-grad", StepWork::ClipGradients},
      {"optimizer", StepWork::Optimizer}};
  const auto known = kNamed.find(trace.names[event.name]);
  return known == kNamed.end() ? std::nullopt : std::optional(known->second);
}

// The events of one step and replica, [begin, end) in the trace.
struct Lane {
  std::size_t begin;
  std::size_t end;
};

std::vector<Lane> lanes_of(const Trace& trace) {
  std::vector<Lane> lanes;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    const bool same =
        i > 0 && event.step == trace.events[i - 1].step && event.replica == trace.events[i - 1].replica;
    if (!same) lanes.push_back({i, i});
    lanes.back().end = i + 1;
  }
  return lanes;
}

// Returns each operation's event in the order of the keys, or nothing if there is work of another kind.
std::optional<std::map<OperationKey, const TraceEvent*>> operations_of(const Trace& trace, Lane lane) {
  std::map<OperationKey, const TraceEvent*> found;
  std::map<std::pair<std::uint32_t, StepWork>, std::uint32_t> seen;
  for (std::size_t i = lane.begin; i < lane.end; ++i) {
    const TraceEvent& event = trace.events[i];
    const auto work = work_of(trace, event);
    if (!work) return std::nullopt;
    found[{event.stage, *work, seen[{event.stage, *work}]++}] = &event;
  }
  return found;
}

std::vector<Seconds> step_starts(const Trace& trace) {
  std::vector<Seconds> starts(trace.steps.size(), Seconds(std::numeric_limits<double>::infinity()));
  for (const TraceEvent& event : trace.events) starts[event.step] = std::min(starts[event.step], event.start);
  return starts;
}

// Reads a trace whose lanes all have the first one's operations and whose steps have equally many lanes.
class StepReader {
 public:
  explicit StepReader(const Trace& trace)
      : trace_(trace), lanes_(lanes_of(trace)), step_starts_(step_starts(trace)) {}

  std::optional<StragglerSteps> read() {
    if (lanes_.empty() || !same_replicas() || !number_operations() || !ends_with_optimizer())
      return std::nullopt;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if (!fill(lane)) return std::nullopt;
    if (!add_dependencies(steps_.model, numbers_, first_starts_)) return std::nullopt;
    return std::move(steps_);
  }

 private:
  bool same_replicas() {
    std::map<std::uint32_t, std::uint32_t> of_step;
    for (const Lane& lane : lanes_) ++of_step[trace_.events[lane.begin].step];
    steps_.times.lanes = static_cast<std::uint32_t>(lanes_.size());
    steps_.times.replicas = of_step.begin()->second;
    return std::all_of(of_step.begin(), of_step.end(),
                       [&](const auto& step) { return step.second == steps_.times.replicas; });
  }

  bool number_operations() {
    const auto operations = operations_of(trace_, lanes_.front());
    if (!operations) return false;
    for (const auto& [key, event] : *operations) {
      const auto [stage, work, index] = key;
      numbers_[key] = static_cast<std::uint32_t>(steps_.model.operations.size());
      steps_.model.operations.push_back({work, stage, index});
      first_starts_.push_back(event->start);
    }
    steps_.times.start.resize(numbers_.size() * lanes_.size());
    steps_.times.duration.resize(numbers_.size() * lanes_.size());
    return true;
  }

  // A trace without an optimizer has pipelines, not whole steps.
  bool ends_with_optimizer() const {
    return std::any_of(steps_.model.operations.begin(), steps_.model.operations.end(),
                       [](const StepOperation& operation) { return operation.work == StepWork::Optimizer; });
  }

  bool fill(std::size_t lane) {
    const auto operations = operations_of(trace_, lanes_[lane]);
    if (!operations || operations->size() != numbers_.size()) return false;
    for (const auto& [key, event] : *operations) {
      const auto number = numbers_.find(key);
      if (number == numbers_.end()) return false;
      const std::size_t at = number->second * lanes_.size() + lane;
      steps_.times.start[at] = event->start - step_starts_[event->step];
      steps_.times.duration[at] = event->duration;
    }
    return true;
  }

  const Trace& trace_;
  std::vector<Lane> lanes_;
  std::vector<Seconds> step_starts_;
  OperationNumbers numbers_;
  std::vector<Seconds> first_starts_;
  StragglerSteps steps_;
};

}  // namespace

std::optional<StragglerSteps> straggler_steps(const Trace& trace) {
  return StepReader(trace).read();
}

}  // namespace spillway
