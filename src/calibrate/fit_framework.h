// What a framework makes of operators, read off a profiled run: kernels by operator and direction, what they
// move beside one kernel that reads its inputs and writes its outputs once, what adding gradients takes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/fitted.h"
#include "cost/layers/architecture.h"
#include "traces/samples/pass_sums.h"

namespace spillway {

// As framework files have it: its pointer, in the unit of its key.
struct FrameworkFigure {
  std::string pointer;
  double value;
  std::string source;
  double low = 0;  // of an interval; both zero where there is none
  double high = 0;
};

struct FrameworkFit {
  std::vector<FrameworkFigure> figures;
  std::vector<Undetermined> undetermined;
};

// The operators of one name in a layer that neither compute nor are an end of the model: what they move for
// one token.
struct OperatorTraffic {
  std::string name;
  double operators = 0;
  Bytes forward = {};
  Bytes gradient = {};
};
using LayerTraffic = std::vector<OperatorTraffic>;
LayerTraffic layer_traffic(const LayerStack& stack);  // of the middle layer

// The numbers that a token has for the loss; 0 where a layer stack has no logits.
double vocabulary_of(const LayerStack& stack);

// `passes`: a first forward and backward of the first stage and of the last, split by neither tensor nor
// context parallelism. `source` names the run.
FrameworkFit fit_framework(std::span<const PassSums> passes, const LayerTraffic& layer, double vocabulary,
                           const Accelerator& accelerator, const std::string& source);

// launch_us, as fit_host has it, and message_us: what a rank loses on average between the last kernel of a
// pass and the first of the next beside the messages between, less a launch.
void fit_launches(const Trace& trace, const std::string& source, FrameworkFit& fit);

}  // namespace spillway
