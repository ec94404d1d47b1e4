// The layers of blocks as they are trained and run, built once. Layouts of a job differ in how devices share
// the layers, hardly ever in the layers. To build eighty layers takes longer than to price a stage.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cost/layers/adapters.h"
#include "cost/layers/architecture.h"
#include "cost/layers/execution.h"
#include "cost/layers/precision.h"
#include "cost/network/parallelism.h"
#include "platform/framework.h"

namespace spillway {

using SharedStack = std::shared_ptr<const LayerStack>;

// A block as it is trained: with adapters if they have a rank. Views `architecture`.
struct TrainedBlock {
  const Architecture& architecture;
  Adapters adapters = {};
};

// The other inputs of run_stack(). Views the framework.
struct BlockExecution {
  const Framework& framework;
  const Parallelism& parallelism;  // lays out routed experts and shares out sequences
  Precision precision = {};
  bool any_layout = false;              // of the device's FP8 products
  Gradients gradients = kAllGradients;  // of the block
};

LayerStack trained_stack(const TrainedBlock& block);
LayerStack run_stack(const TrainedBlock& block, const BlockExecution& execution);

// trained_stack() and run_stack() of blocks, remembered by their inputs. Thread-safe.
class LayerStacks {
 public:
  SharedStack trained(const TrainedBlock& block);
  SharedStack run(const TrainedBlock& block, const BlockExecution& execution);

 private:
  // Without a limit, a sweep over a model's own sizes would keep all of them.
  static constexpr std::size_t kMost = 64;

  // The parts of an execution that a stack depends on.
  struct Execution {
    LayerStatements framework;
    Precision precision;
    bool any_layout;
    Gradients gradients;
    std::uint32_t context, devices;
    ContextBy context_by;
    ExpertDispatch dispatch;
    std::uint32_t expert_tensor, expert_devices;

    explicit Execution(const BlockExecution& of);
    bool is_of(const BlockExecution& other, bool with_experts) const;
  };

  struct Known {
    Architecture architecture;
    Adapters adapters;
    std::optional<Execution> execution;  // absent: as trained
    SharedStack stack;

    bool is_of(const TrainedBlock& block, const BlockExecution* how) const;
  };

  SharedStack known(const TrainedBlock& block, const BlockExecution* how);
  SharedStack keep(const TrainedBlock& block, const BlockExecution* how, LayerStack stack);

  std::mutex mutex_;
  std::vector<Known> known_;
};

}  // namespace spillway
