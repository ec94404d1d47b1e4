#include "report/order/torch_stages.h"

#include <algorithm>

namespace spillway {
namespace {

// The passes of a stage of the derived schedule. No forwards: its rank does not take part in its region.
struct StagePasses {
  std::uint32_t forwards = 0;
  bool in_order = true, backward = false, weight_half = false;

  void add(const Event& event) {
    if (event.kind == EventKind::BackwardWeight) weight_half = true;
    if (event.runs_forward())
      in_order = in_order && event.microbatch.index() == forwards++;
    else
      backward = true;
  }
};

std::vector<StagePasses> passes_by_stage(const Derived& derived) {
  std::vector<StagePasses> passes(derived.stages.size());
  for (const Event& event : derived.order.events()) {
    if (!event.computes()) continue;
    passes[event.stage.index()].add(event);
    if (event.kind == EventKind::ForwardBackward) passes[event.peer_stage.index()].backward = true;
  }
  return passes;
}

class Numbering {
 public:
  explicit Numbering(const Derived& derived) : derived_(derived), passes_(passes_by_stage(derived)) {
    result_.numbers.resize(derived.stages.size());
    for (std::uint32_t region = 0; region < derived.regions.size(); ++region) {
      const bool transposed = derived.placement[region].layout == Layout::Replicated;
      result_.left_out.push_back(transposed ? reason_against(RegionId(region)) : std::nullopt);
      if (!result_.left_out.back()) number(RegionId(region));
    }
  }

  TorchStages result() && { return std::move(result_); }

 private:
  bool computes(std::size_t stage) const { return passes_[stage].forwards > 0 || passes_[stage].backward; }

  std::optional<NoStage> reason_against(RegionId region) const {
    std::optional<RankId> rank;
    bool in_order = true;
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      if (derived_.stages[i].region != region || !computes(i)) continue;
      if (rank.value_or(derived_.stages[i].rank) != derived_.stages[i].rank) return NoStage::SeveralRanks;
      rank = derived_.stages[i].rank;
      in_order = in_order && passes_[i].in_order;
    }
    if (region.index() < derived_.inputs() && derived_.inputs() > 1) return NoStage::BesideAnother;
    if (!in_order) return NoStage::OutOfOrder;
    if (derived_.regrouping.rule != Regrouping::Rule::AsDrawn) return NoStage::OtherSamples;
    if (region.index() == 0 && derived_.input.prefetched) return NoStage::NextStep;
    if (region.index() == 0 && !derived_.hidden.empty()) return NoStage::InsidePasses;
    return std::nullopt;
  }

  void number(RegionId region) {
    const bool copies = fold_of(derived_.schedule.skeletons[region.index()]) == Fold::Bidirectional;
    result_.copies = result_.copies || copies;
    const auto first = static_cast<std::uint32_t>(result_.stages.size());
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const Stage& stage = derived_.stages[i];
      if (stage.region != region || !computes(i)) continue;
      const std::uint32_t copy = copies && stage.chunk == 1 ? derived_.pipeline.ranks : 0;
      const std::uint32_t number = first + stage.index + copy;
      result_.numbers[i] = number;
      result_.stages.resize(std::max<std::size_t>(result_.stages.size(), number + 1));
      result_.stages[number] = {stage.rank, stage.layers.size(), passes_[i].in_order, passes_[i].backward,
                                passes_[i].weight_half};
    }
  }

  const Derived& derived_;
  std::vector<StagePasses> passes_;
  TorchStages result_;
};

}  // namespace

bool TorchStages::need_transfers() const {
  return !copies &&
         std::any_of(stages.begin(), stages.end(), [](const auto& stage) { return !stage.backward; });
}

TorchStages torch_stages(const Derived& derived) {
  return Numbering(derived).result();
}

}  // namespace spillway
