// What precedes what in a whole training step of a straggler-analysis trace, collectives and optimizer
// included. The dependencies are those of its authors' what-if study, "Understanding Stragglers in Large
// Model Training Using What-if Analysis" (arXiv 2505.05713) and
// https://github.com/ByteDance-Seed/StragglerAnalysis (analyzer/dependency_model.py): on a rank, passes run
// one after the other, each kind of transfer one after the other and beside them; a receive is posted when
// the pass before the one it feeds has ended; a transfer or collective starts when all its members have
// entered it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/quantity.h"
#include "traces/events/trace.h"

namespace spillway {

enum class StepWork : std::uint8_t {
  Forward,
  Backward,
  SendForward,
  ReceiveForward,
  SendBackward,
  ReceiveBackward,
  GatherParameters,
  CollectGarbage,
  ReduceLayerNorms,
  ReduceEmbeddings,
  ScatterGradients,
  ClipGradients,
  Optimizer
};
inline constexpr std::size_t kStepWorks = 13;

// The n-th of its kind in its stage.
struct StepOperation {
  StepWork work;
  std::uint32_t stage;
  std::uint32_t index;
};

// Operations that start together, when the last of them has arrived; each then takes its own time. Most meet
// nobody. With `replicas`, those of the step wait for each other as well.
struct Meeting {
  std::vector<std::uint32_t> members;
  bool replicas = false;
};

// One replica of one step.
struct StepModel {
  std::vector<StepOperation> operations;
  std::vector<std::vector<std::uint32_t>> after;  // by operation: what must have ended
  std::vector<Meeting> meetings;                  // each operation in one, in an order that `after` allows
};

// What each operation took in every step and replica. Lanes: step by step, replica by replica.
struct StepTimes {
  std::uint32_t replicas;
  std::uint32_t lanes;
  std::vector<Seconds> start;  // [operation * lanes + lane], from the start of the step
  std::vector<Seconds> duration;
};

struct StragglerSteps {
  StepModel model;
  StepTimes times;
};

// Nothing where the trace has other operations than these, not the same in every step and replica, none of an
// optimizer, or some that wait for each other in a circle.
std::optional<StragglerSteps> straggler_steps(const Trace& trace);

}  // namespace spillway
