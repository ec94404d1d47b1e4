// Measured optimizers of stages, as factors on the modelled ones (optimizer_times() of cost/step_end.h).
//
//   a stage as measured   the mean of its measured times over its modelled time
//   another               the sum over its layers: each takes its modelled time, times the factor of its
//   kind,
//                         fitted as passes are (cost/measured/pass_fit.h); 1 for kinds that were not measured
//
// So a measured optimizer serves other splits, and other shares of the states: the model says how those
// differ.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "cost/analytic_costs.h"
#include "derive/derive.h"
#include "draws/layer_kinds.h"

namespace spillway {

// The layers of a stage, counted by kind.
using KindCounts = std::vector<std::uint32_t>;

KindCounts kind_counts(const LayerKinds& kinds, LayerRange layers);

// All measurements of one optimizer: of the same kinds of layers.
struct UpdateGroup {
  LayerRange layers;  // of one of them
  std::uint32_t repeats = 0;
  Seconds sum = {}, least = {}, most = {};
  Seconds modelled = {};

  Seconds mean() const { return sum / repeats; }
};

class MeasuredUpdates {
 public:
  // `costs` and `replicas` are those of the measured layout, and `measured` has the updates.
  MeasuredUpdates(const AnalyticCosts& costs, const Model& model, std::uint32_t replicas,
                  const LayerKinds& kinds, const PassTable& measured);

  bool empty() const { return groups_.empty(); }
  // By stage. 1 where nothing of the stage was measured.
  std::vector<double> factors(const std::vector<Stage>& stages) const;
  // Returns true if some layer of the stage was measured.
  bool covers(const Stage& stage) const;

  std::vector<UpdateGroup> groups() const;

 private:
  void group(const PassTable& measured, const std::vector<Seconds>& modelled);
  void fit();
  double factor(const KindCounts& counts) const;
  Seconds modelled(const KindCounts& counts) const;

  LayerKinds kinds_;
  std::vector<Seconds> modelled_;  // by kind: of one layer
  std::map<KindCounts, UpdateGroup> groups_;
  std::vector<double> factors_;  // by kind
  std::vector<bool> measured_;   // by kind
};

}  // namespace spillway
