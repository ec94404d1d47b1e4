// What prices are made of, for people: operators, collectives and their evidence.
#include <cmath>
#include <map>
#include <tuple>

#include "cost/analytic.h"
#include "cost/event_runs.h"
#include "platform/operation_words.h"

namespace spillway {
namespace {

// What is priced alike, merged; of shapes that vary by microbatch the largest names them all.
class Ledger {
 public:
  struct Entry {
    std::string shape;
    double size = 0;
    Seconds time;

    template <class Shape>
    void add(Seconds more, double of_size, Shape shape_now) {
      time += more;
      if (of_size < size) return;
      size = of_size;
      shape = shape_now();
    }
  };

  // Stays where it is.
  Entry& entry(std::string name, const std::string& kind, Evidence evidence) {
    return entries_[{std::move(name), kind, evidence}];
  }

  std::vector<PricedOperator> take() && {
    std::vector<PricedOperator> priced;
    for (auto& [key, entry] : entries_)
      priced.push_back({std::get<0>(key), std::move(entry.shape), std::get<2>(key), entry.time});
    return priced;
  }

 private:
  std::map<std::tuple<std::string, std::string, Evidence>, Entry> entries_;
};

std::string_view gradient_name(Pass pass) {
  if (pass == Pass::InputGradient) return ", input gradient";
  if (pass == Pass::WeightGradient) return ", weight gradient";
  return "";
}

const Estimate& estimate_of(const OperatorPasses& passes, Pass pass) {
  if (pass == Pass::InputGradient) return passes.input_gradient;
  if (pass == Pass::WeightGradient) return passes.weight_gradient;
  return passes.forward;
}

struct DeviceWork {
  SlabLoad load;
  double devices;
};

// The operators of one slab, each with its entries in the ledger.
class SlabLedger {
 public:
  SlabLedger(Ledger& ledger, std::span<const CountedOperator> operators, const Split& split,
             const OperatorTimes& times)
      : ledger_(ledger), operators_(operators), split_(split), times_(times), entries_(operators.size()) {
    for (const auto& [op, count] : operators) kinds_.push_back(shape_text(op, split, {1, {}}));
  }

  std::vector<OperatorPasses> passes(const SlabLoad& load) const {
    std::vector<OperatorPasses> passes;
    if (load.tokens <= 0) return passes;
    for (const auto& [op, count] : operators_) passes.push_back(operator_passes(op, split_, load, times_));
    return passes;
  }

  // Of images, remembered.
  const std::vector<OperatorPasses>& passes(const DeviceImages& device) {
    return known_.of(device, [&] { return passes(SlabLoad{device.patches, device.images}); });
  }

  // Contract: `passes` are of the load.
  void add(const DeviceWork& work, std::span<const OperatorPasses> passes, Pass pass, double runs) {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const Estimate& estimate = estimate_of(passes[i], pass);
      if (estimate.time == Seconds()) continue;
      const auto& [op, count] = operators_[i];
      entry(i, pass, estimate.evidence)
          .add(estimate.time * (count * work.devices * runs), work.load.tokens,
               [&, &op = op] { return shape_text(op, split_, work.load); });
    }
  }

 private:
  Ledger::Entry& entry(std::size_t i, Pass pass, Evidence evidence) {
    Ledger::Entry*& entry = entries_[i][{pass, evidence}];
    if (!entry) {
      const std::string name = std::string(operators_[i].op.name) + std::string(gradient_name(pass));
      entry = &ledger_.entry(name, kinds_[i], evidence);
    }
    return *entry;
  }

  Ledger& ledger_;
  std::span<const CountedOperator> operators_;
  Split split_;
  const OperatorTimes& times_;
  std::vector<std::string> kinds_;
  std::vector<std::map<std::pair<Pass, Evidence>, Ledger::Entry*>> entries_;  // by operator
  ByImages<std::vector<OperatorPasses>> known_;
};

void add_collective(Ledger& ledger, const SlabCollectiveUse& use, double tokens, double runs) {
  const CollectiveEstimate estimate = use.slowest(tokens);
  const std::size_t group = use.slowest_group(tokens);
  const double moved = use.bytes_in(group, tokens).value();
  const std::string devices = "devices=" + std::to_string(use.groups[group].device_count());
  const std::string bytes = std::to_string(std::llround(moved));
  if (estimate.time == Seconds()) return;
  ledger.entry(std::string(word_for(use.operation)), devices, estimate.evidence)
      .add(estimate.time * (use.times * runs), moved, [&] { return devices + " bytes=" + bytes; });
}

}  // namespace

// How often each part runs each load and pass, over all replicas.
std::map<AnalyticCostModel::PartRun, double> AnalyticCostModel::part_runs(const Derived& derived) const {
  std::map<PartRun, double> runs;
  for (const Event& event : derived.order.events()) {
    for (const Run& run : runs_of(event)) {
      for (std::size_t i = first_part_[run.stage.index()]; i < first_part_[run.stage.index() + 1]; ++i) {
        const bool patches = blocks_[slabs_[parts_[i].slab].block].stack.unit == LoadUnit::Patch;
        for (std::uint32_t r = 0; r < derived.pipeline.replicas; ++r) {
          const ReplicaId replica(r);
          const std::size_t load =
              patches ? loads_->cell(replica, run.microbatch) : loads_->kind(replica, run.microbatch);
          runs[{i, load, run.pass}] += equal_replicas_;
        }
      }
    }
  }
  return runs;
}

std::vector<PricedOperator> AnalyticCostModel::priced_operators(const Derived& derived) const {
  Ledger ledger;
  std::map<std::size_t, SlabLedger> slabs;
  for (const auto& [run, times] : part_runs(derived)) {
    const auto& [part, load, pass] = run;
    const Slab& slab = slabs_[parts_[part].slab];
    const Block& block = blocks_[slab.block];
    const bool patches = block.stack.unit == LoadUnit::Patch;
    SlabLedger& of_slab = slabs
                              .try_emplace(parts_[part].slab, ledger, slab.operators,
                                           patches ? Split() : Split::of(parallelism_), block.times)
                              .first->second;
    const auto add = [&](const DeviceWork& work, std::span<const OperatorPasses> passes) {
      for (const Pass gradient : gradients_in(pass, block.gradients))
        of_slab.add(work, passes, gradient, times);
    };
    if (patches) {
      for (const DeviceImages& member : loads_->devices(slab.block, load))
        add({{member.patches, member.images}, 1}, of_slab.passes(member));
      continue;
    }
    Sequences sequences;
    const SlabLoad tokens = load_of(loads_->kinds()[load], sequences);
    add({tokens, static_cast<double>(grid_.members)}, of_slab.passes(tokens));
    for (const SlabCollectiveUse& use : parts_[part].uses) {
      for (const Pass gradient : gradients_in(pass, block.gradients))
        if (use.pass == gradient) add_collective(ledger, use, tokens.tokens, times * grid_.members);
    }
  }
  return std::move(ledger).take();
}

}  // namespace spillway
