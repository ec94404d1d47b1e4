// The lists follow the events in a topological order, so a rank's row has its passes in the order in which it
// runs them. Transfers, where PyTorch needs them, stand behind the pass that makes the value, in the rows of
// both ranks. So all rows are parts of one order, and no rank waits for itself. PyTorch puts them there, too.
//
//   1B0 on rank 1, 0B0 on rank 0    rank 1: ..., 1B0, 1SEND_B0, ...    rank 0: ..., 0RECV_B0, ..., 0B0, ...
//
// Linear in the events. Source: PyTorch 2.6, torch/distributed/pipelining/schedules.py, _add_send_recv.
// Tests: tests/report/torch_lists_test.cpp, and `make test-torch`, which runs them in PyTorch.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "report/order/derivation.h"
#include "report/order/torch_stages.h"
#include "schedule/stated_layers.h"

namespace spillway {
namespace {

// Returns true if the stages share the model's layers evenly, which readers of the lists assume by default.
bool are_by_count(const std::vector<std::uint32_t>& layers, std::size_t of_the_model) {
  const std::size_t each = of_the_model / layers.size(), more = of_the_model % layers.size();
  for (std::size_t stage = 0; stage < layers.size(); ++stage)
    if (layers[stage] != each + (stage < more ? 1 : 0)) return false;
  return true;
}

ListedKind listed_kind(EventKind kind) {
  switch (kind) {
    case EventKind::Forward:
      return ListedKind::Forward;
    case EventKind::Backward:
      return ListedKind::Backward;
    case EventKind::BackwardInput:
      return ListedKind::BackwardInput;
    case EventKind::BackwardWeight:
      return ListedKind::BackwardWeight;
    case EventKind::ForwardBackward:
      return ListedKind::ForwardBackward;
    default:
      throw ContractBreach("a computing event");
  }
}

class ListWriter {
 public:
  ListWriter(const TorchStages& stages, std::uint32_t ranks)
      : stages_(stages), transfers_(stages.need_transfers()) {
    lists_.rows.resize(ranks);
  }

  void add(const Event& event) {
    const auto number = stages_.numbers[event.stage.index()];
    if (!number) return;
    ListedAction action{listed_kind(event.kind), *number, event.microbatch.index()};
    // The input gradient is the whole backward of a stage whose weights are frozen.
    if (action.kind == ListedKind::BackwardInput && !stages_.stages[*number].weight_half)
      action.kind = ListedKind::Backward;
    if (event.kind == EventKind::ForwardBackward) {
      action.backward_stage = stages_.numbers[event.peer_stage.index()].value();
      action.backward_microbatch = event.peer_microbatch.index();
    }
    put(action);
    if (transfers_) add_transfers(action);
  }

  ActionLists lists() && { return std::move(lists_); }

 private:
  void put(const ListedAction& action) {
    lists_.rows[stages_.stages[action.stage].rank.index()].push_back(action);
  }

  void add_transfers(const ListedAction& pass) {
    const bool fused = pass.kind == ListedKind::ForwardBackward;
    if (fused || pass.kind == ListedKind::Forward) send_output(pass.stage, pass.microbatch);
    if (fused) send_gradient(pass.backward_stage, pass.backward_microbatch);
    if (pass.kind == ListedKind::Backward || pass.kind == ListedKind::BackwardInput)
      send_gradient(pass.stage, pass.microbatch);
  }

  void send_output(std::uint32_t stage, std::uint32_t microbatch) {
    if (stage + 1 == stages_.stages.size() || on_one_rank(stage, stage + 1)) return;
    put({ListedKind::SendForward, stage, microbatch});
    put({ListedKind::ReceiveForward, stage + 1, microbatch});
  }

  void send_gradient(std::uint32_t stage, std::uint32_t microbatch) {
    if (stage == 0 || on_one_rank(stage, stage - 1) || !stages_.stages[stage - 1].backward) return;
    put({ListedKind::SendBackward, stage, microbatch});
    put({ListedKind::ReceiveBackward, stage - 1, microbatch});
  }

  bool on_one_rank(std::uint32_t stage, std::uint32_t other) const {
    return stages_.stages[stage].rank == stages_.stages[other].rank;
  }

  const TorchStages& stages_;
  const bool transfers_;
  ActionLists lists_;
};

}  // namespace

ActionLists action_lists_of(const Derived& derived) {
  const TorchStages stages = torch_stages(derived);
  ListWriter writer(stages, derived.order.rank_count());
  for (const Event& event : derived.order.events())
    if (event.computes()) writer.add(event);
  return std::move(writer).lists();
}

std::string derivation_csv(const Derived& derived) {
  const std::string actions = to_string(action_lists_of(derived));
  std::vector<std::uint32_t> layers;
  for (const TorchStage& stage : torch_stages(derived).stages) layers.push_back(stage.layers);
  if (layers.empty() || are_by_count(layers, derived.model.layer_count())) return actions;
  return with_stated_layers(actions, layers);
}

}  // namespace spillway
