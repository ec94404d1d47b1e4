// Reads a framework's figures off a profiled run. They are kernels by operator and direction, their traffic
// relative to one kernel that reads its inputs and writes its outputs once, and the cost of adding gradients.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/fitted.h"
#include "cost/layers/architecture.h"
#include "traces/samples/pass_sums.h"

namespace spillway {

// A figure as in framework files: its pointer, in the unit of its key.
struct FrameworkFigure {
  std::string pointer;
  double value;
  std::string source;
  double low = 0;  // of an interval; both zero if there is none
  double high = 0;
};

struct FrameworkFit {
  std::vector<FrameworkFigure> figures;
  std::vector<Undetermined> undetermined;
};

// The traffic for one token of the operators of one name in a layer. They neither compute nor belong to an
// end of the model.
struct OperatorTraffic {
  std::string name;
  double operators = 0;
  Bytes forward = {};
  Bytes gradient = {};
};
using LayerTraffic = std::vector<OperatorTraffic>;
LayerTraffic layer_traffic(const LayerStack& stack);  // of the middle layer

// The number of logits of a token; 0 if the layer stack has none.
double vocabulary_of(const LayerStack& stack);

// `passes` are a first forward and backward of the first stage and of the last, without tensor or context
// parallelism. `source` names the run.
FrameworkFit fit_framework(std::span<const PassSums> passes, const LayerTraffic& layer, double vocabulary,
                           const Accelerator& accelerator, const std::string& source);

// Fits launch_us as fit_host does, and message_us. The latter is the mean time between the last kernel of a
// pass and the first of the next, without the messages in between and without one launch.
void fit_launches(const Trace& trace, const std::string& source, FrameworkFit& fit);

}  // namespace spillway
