// The dependencies in a whole training step of a straggler-analysis trace, with collectives and optimizer.
// They are those of the trace authors' what-if study, "Understanding Stragglers in Large Model Training Using
// What-if Analysis" (arXiv 2505.05713) and https://github.com/ByteDance-Seed/StragglerAnalysis
// (analyzer/dependency_model.py). On a rank, passes run one after the other; beside them, transfers of each
// kind run one after the other. A receive is posted when the pass before the one it feeds has ended. A
// transfer or collective starts when all its members have entered it.
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

// An operation; `index` counts those of its kind in its stage.
struct StepOperation {
  StepWork work;
  std::uint32_t stage;
  std::uint32_t index;
};

// Operations that start together when the last of them has arrived; each then takes its own time. Most
// meetings have one member. With `replicas`, the members in all replicas of the step wait for each other.
struct Meeting {
  std::vector<std::uint32_t> members;
  bool replicas = false;
};

// One replica of one step.
struct StepModel {
  std::vector<StepOperation> operations;
  std::vector<std::vector<std::uint32_t>> after;  // by operation: those that must have ended
  std::vector<Meeting> meetings;                  // partition of operations, in an order that `after` allows
};

// The times of each operation in every step and replica. Lanes are numbered by step, then by replica.
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

// Returns nothing if the trace has operations other than StepWork's, if steps or replicas differ in their
// operations, if there is no optimizer, or if operations wait in a circle.
std::optional<StragglerSteps> straggler_steps(const Trace& trace);

}  // namespace spillway
