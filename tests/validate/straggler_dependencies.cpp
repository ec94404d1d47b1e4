#include "straggler_dependencies.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace spillway {
namespace {

bool is_send(StepWork work) {
  return work == StepWork::SendForward || work == StepWork::SendBackward;
}
bool is_receive(StepWork work) {
  return work == StepWork::ReceiveForward || work == StepWork::ReceiveBackward;
}
// Returns the other side of a send or a receive.
OperationKey peer(const StepOperation& side) {
  const auto other = [](StepWork work) {
    switch (work) {
      case StepWork::SendForward:
        return StepWork::ReceiveForward;
      case StepWork::ReceiveForward:
        return StepWork::SendForward;
      case StepWork::SendBackward:
        return StepWork::ReceiveBackward;
      default:
        return StepWork::SendBackward;
    }
  };
  const bool down = side.work == StepWork::SendForward || side.work == StepWork::ReceiveBackward;
  return {down ? side.stage + 1 : side.stage - 1, other(side.work), side.index};
}

class ModelBuilder {
 public:
  // `started`: when each operation of the first lane started.
  ModelBuilder(StepModel& model, const OperationNumbers& numbers, const std::vector<Seconds>& started)
      : model_(model), numbers_(numbers), started_(started) {
    const std::size_t count = model.operations.size();
    model_.after.resize(count);
    meeting_of_.resize(count, kAlone);
    for (const StepOperation& operation : model.operations) stages_ = std::max(stages_, operation.stage + 1);
  }

  // Returns false if a side has no peer or operations wait for each other.
  bool build() {
    for (std::uint32_t stage = 0; stage < stages_; ++stage) {
      chain(passes_of(stage));
      for (const StepWork work : {StepWork::SendForward, StepWork::ReceiveForward, StepWork::SendBackward,
                                  StepWork::ReceiveBackward})
        chain(all(stage, work));
      transfers(stage);
      first_backward_transfer(stage);
      ends_of_step(stage);
    }
    meet_across_stages();
    if (!pair_transfers()) return false;
    for (std::uint32_t i = 0; i < meeting_of_.size(); ++i)
      if (meeting_of_[i] == kAlone) meet({i}, false);
    return sort_meetings();
  }

 private:
  static constexpr std::uint32_t kAlone = std::numeric_limits<std::uint32_t>::max();

  std::optional<std::uint32_t> find(std::uint32_t stage, StepWork work, std::uint32_t index) const {
    const auto found = numbers_.find({stage, work, index});
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<std::uint32_t> all(std::uint32_t stage, StepWork work) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; const auto number = find(stage, work, i); ++i) found.push_back(*number);
    return found;
  }

  std::vector<std::uint32_t> passes_of(std::uint32_t stage) const {
    std::vector<std::uint32_t> found = all(stage, StepWork::Forward);
    const std::vector<std::uint32_t> backwards = all(stage, StepWork::Backward);
    found.insert(found.end(), backwards.begin(), backwards.end());
    std::sort(found.begin(), found.end(),
              [&](std::uint32_t a, std::uint32_t b) { return started_[a] < started_[b]; });
    return found;
  }

  void chain(const std::vector<std::uint32_t>& operations) {
    for (std::size_t i = 1; i < operations.size(); ++i)
      model_.after[operations[i]].push_back(operations[i - 1]);
  }

  void meet(std::vector<std::uint32_t> members, bool replicas) {
    if (members.empty()) return;
    for (const std::uint32_t member : members)
      meeting_of_[member] = static_cast<std::uint32_t>(model_.meetings.size());
    model_.meetings.push_back({std::move(members), replicas});
  }

  // A send follows its pass. A receive feeds its pass and is posted after the previous pass of that kind.
  void transfers(std::uint32_t stage) {
    for (const auto& [pass, send, receive] :
         {std::tuple(StepWork::Forward, StepWork::SendForward, StepWork::ReceiveForward),
          std::tuple(StepWork::Backward, StepWork::SendBackward, StepWork::ReceiveBackward)}) {
      const std::vector<std::uint32_t> computed = all(stage, pass);
      for (std::uint32_t i = 0; i < computed.size(); ++i) {
        if (const auto sent = find(stage, send, i)) model_.after[*sent].push_back(computed[i]);
        const auto received = find(stage, receive, i);
        if (!received) continue;
        model_.after[computed[i]].push_back(*received);
        if (i > 0) model_.after[*received].push_back(computed[i - 1]);
      }
    }
  }

  // The first gradients are exchanged only after the last but one pass ahead of the first backward has ended.
  void first_backward_transfer(std::uint32_t stage) {
    const std::vector<std::uint32_t> order = passes_of(stage);
    const auto first = std::find_if(order.begin(), order.end(), [&](std::uint32_t number) {
      return model_.operations[number].work == StepWork::Backward;
    });
    if (first - order.begin() < 2 || first == order.end()) return;
    for (const StepWork work : {StepWork::ReceiveBackward, StepWork::SendBackward})
      if (const auto transfer = find(stage, work, 0)) model_.after[*transfer].push_back(*(first - 2));
  }

  // Parameters are gathered before the first pass. Garbage, reductions and the optimizer follow the last.
  void ends_of_step(std::uint32_t stage) {
    const std::vector<std::uint32_t> order = passes_of(stage);
    const auto gather = find(stage, StepWork::GatherParameters, 0);
    if (gather) {
      meet({*gather}, true);
      if (!order.empty()) model_.after[order.front()].push_back(*gather);
    }
    std::vector<std::uint32_t> tail;
    if (!order.empty()) tail.push_back(order.back());
    for (const StepWork work :
         {StepWork::CollectGarbage, StepWork::ReduceLayerNorms, StepWork::ReduceEmbeddings,
          StepWork::ScatterGradients, StepWork::ClipGradients, StepWork::Optimizer}) {
      const auto number = find(stage, work, 0);
      if (!number) continue;
      tail.push_back(*number);
      if (work != StepWork::ScatterGradients) continue;
      meet({*number}, true);
      if (gather) model_.after[*number].push_back(*gather);
    }
    chain(tail);
  }

  // The first and the last stage hold the embedding; clipping needs the norm over all stages and replicas.
  void meet_across_stages() {
    for (const auto& [work, replicas] :
         {std::pair(StepWork::ReduceEmbeddings, false), std::pair(StepWork::ClipGradients, true)}) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t stage = 0; stage < stages_; ++stage)
        if (const auto number = find(stage, work, 0)) members.push_back(*number);
      meet(std::move(members), replicas);
    }
  }

  bool pair_transfers() {
    for (const auto& [key, number] : numbers_) {
      const StepOperation& operation = model_.operations[number];
      if (!is_send(operation.work) && !is_receive(operation.work)) continue;
      const auto other = numbers_.find(peer(operation));
      if (other == numbers_.end()) return false;
      if (is_send(operation.work)) meet({number, other->second}, false);
    }
    return true;
  }

  // Sorts meetings so that each follows those it waits for. Returns false if some wait in a circle.
  bool sort_meetings() {
    std::vector<std::vector<std::uint32_t>> later(model_.meetings.size());
    std::vector<std::size_t> waits(model_.meetings.size());
    for (std::uint32_t i = 0; i < model_.after.size(); ++i)
      for (const std::uint32_t earlier : model_.after[i]) {
        later[meeting_of_[earlier]].push_back(meeting_of_[i]);
        ++waits[meeting_of_[i]];
      }
    std::vector<std::uint32_t> sorted;
    for (std::uint32_t meeting = 0; meeting < waits.size(); ++meeting)
      if (waits[meeting] == 0) sorted.push_back(meeting);
    for (std::size_t next = 0; next < sorted.size(); ++next)
      for (const std::uint32_t meeting : later[sorted[next]])
        if (--waits[meeting] == 0) sorted.push_back(meeting);
    if (sorted.size() < model_.meetings.size()) return false;
    std::vector<Meeting> meetings;
    for (const std::uint32_t meeting : sorted) meetings.push_back(std::move(model_.meetings[meeting]));
    model_.meetings = std::move(meetings);
    return true;
  }

  StepModel& model_;
  const OperationNumbers& numbers_;
  const std::vector<Seconds>& started_;
  std::vector<std::uint32_t> meeting_of_;  // by operation
  std::uint32_t stages_ = 0;
};

}  // namespace

bool add_dependencies(StepModel& model, const OperationNumbers& numbers,
                      const std::vector<Seconds>& started) {
  return ModelBuilder(model, numbers, started).build();
}

}  // namespace spillway
