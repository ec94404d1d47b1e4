// Times of layers and stages by the measured passes of a job (cost/measured).
//
// Example: stages of 4, 8 and 4 layers, of which the first has the embedding and the last the head, were
// measured. Kinds of layers are then the first layer, the last one, and all others. Three equations for three
// kinds give the time of each, and so the time of a stage of any number of layers.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost/analytic.h"
#include "cost/measured/pass_fit.h"
#include "draws/layer_kinds.h"
#include "draws/measured_kept.h"
#include "draws/measured_updates.h"

namespace spillway {

// One layer of each kind as a stage of its own, on one rank; nothing is sent.
Outline outline_apart(const Model& model, Pipeline pipeline, const LayerKinds& kinds,
                      const AnalyticCosts& costs);

// The content of a microbatch, as layers read it: counted lengths, longest first. What no layer reads is
// empty.
struct ReadContent {
  std::vector<std::pair<double, double>> sequences, images;  // length, count

  friend auto operator<=>(const ReadContent&, const ReadContent&) = default;
};

// All measurements of one pass: the same kinds of layers over the same content. Of several contents, times
// are means over them.
struct MeasuredGroup {
  Pass pass;
  LayerRange layers;  // of one of them
  KindCounts counts;
  std::vector<ReadContent> contents;
  std::uint32_t repeats = 0;
  Seconds sum = {}, least = {}, most = {};
  Seconds roofline = {}, fitted = {};  // sums over the layers, by the roofline and by the fit
  std::string where = {};              // file and place of its first row

  Seconds mean() const { return sum / repeats; }
};

// One layer of each kind as a stage of its own, under the loads of one draw.
class LayersUnderLoads {
 public:
  // `known` are the slabs that were priced before for the same costs and loads.
  LayersUnderLoads(const AnalyticCosts& costs, const Model& model, const Pipeline& pipeline,
                   const LayerKinds& kinds, std::shared_ptr<const DrawLoads> loads, PricedSlabs& known);

  Seconds of(std::size_t kind, Pass pass, MicrobatchId microbatch, ReplicaId replica) const {
    return costs_->pass(pass, StageId(static_cast<std::uint32_t>(kind)), microbatch, replica);
  }
  // Returns the bytes that the forward of a layer keeps for its backward.
  Bytes kept(std::size_t kind, MicrobatchId microbatch, ReplicaId replica) const {
    return costs_->held(StageId(static_cast<std::uint32_t>(kind)), microbatch, replica).activations;
  }
  // The whole microbatch's tokens, or the patches of the device that has most of them.
  LayerSize size(std::size_t kind, MicrobatchId microbatch, ReplicaId replica) const;
  ReadContent content(const KindCounts& counts, MicrobatchId microbatch, ReplicaId replica) const;

 private:
  bool over_patches(std::size_t kind) const { return blocks_[kind].over_patches; }

  struct OfBlock {
    std::size_t block;
    bool over_patches;
  };
  std::unique_ptr<const Outline> outline_;
  std::shared_ptr<const DrawLoads> loads_;
  std::vector<OfBlock> blocks_;  // by kind
  std::unique_ptr<const AnalyticCostModel> costs_;
};

// The fit of the measured passes in `costs`, which it prices by the roofline of these costs, too.
class MeasuredLayers {
 public:
  // Contract: `costs` have measured passes, and `pipeline` is the job's.
  MeasuredLayers(const AnalyticCosts& costs, const Model& model, const Pipeline& pipeline);

  const LayerKinds& kinds() const { return kinds_; }
  // The costs of the measured layout, without what-ifs.
  const AnalyticCosts& costs() const { return costs_; }
  // Returns true if these costs are those that the passes were measured under.
  bool measured_as(const AnalyticCosts& costs) const;

  KindCounts counts(LayerRange layers) const { return kind_counts(kinds_, layers); }
  const MeasuredUpdates& updates() const { return updates_; }
  const MeasuredKept& kept() const { return kept_; }
  const PassFit& fit(Pass pass) const { return fits_[static_cast<std::size_t>(pass)]; }
  // The mean of the measured times of exactly these layers and this content.
  std::optional<Seconds> mean(const KindCounts& counts, Pass pass, const ReadContent& content) const;

  // By pass, kinds of layers and content.
  std::vector<MeasuredGroup> groups() const;

 private:
  // From a first one on.
  struct Microbatches {
    std::uint32_t first, count;
  };
  struct Key {
    Pass pass;
    KindCounts counts;
    std::vector<ReadContent> contents;

    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Known {
    MeasuredGroup group;
    Microbatches microbatches;  // of the loads: those of one of its passes
  };
  std::vector<MicrobatchLoad> place_microbatches();
  void group(const LayersUnderLoads& layers);
  void fit(const LayersUnderLoads& layers);
  MeasuredKept kept_by(const LayersUnderLoads& layers) const;
  FitRow row(const Known& known, const LayersUnderLoads& layers) const;
  void compare(MeasuredGroup& group, const FitRow& row) const;

  AnalyticCosts costs_;
  Model model_;
  LayerKinds kinds_;
  std::vector<MeasuredPass> passes_;
  std::vector<Microbatches> microbatches_;  // by pass
  MeasuredUpdates updates_;
  MeasuredKept kept_;
  std::map<Key, Known> groups_;
  std::array<PassFit, 4> fits_;  // by Pass
};

}  // namespace spillway
