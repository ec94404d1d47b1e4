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
  void add(std::string_view name, const std::string& kind, std::string shape, double size, Evidence evidence,
           Seconds time) {
    if (time == Seconds()) return;
    Entry& entry = entries_[{std::string(name), kind, evidence}];
    entry.time += time;
    if (size < entry.size) return;
    entry.size = size;
    entry.shape = std::move(shape);
  }

  std::vector<PricedOperator> take() && {
    std::vector<PricedOperator> priced;
    for (auto& [key, entry] : entries_)
      priced.push_back({std::get<0>(key), std::move(entry.shape), std::get<2>(key), entry.time});
    return priced;
  }

 private:
  struct Entry {
    std::string shape;
    double size = 0;
    Seconds time;
  };
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
  std::span<const CountedOperator> operators;
  Split split;
  SlabLoad load;
  double devices;
};

void add_operators(Ledger& ledger, const DeviceWork& work, const OperatorTimes& times, Pass pass,
                   double runs) {
  if (work.load.tokens <= 0) return;
  for (const auto& [op, count] : work.operators) {
    const Estimate estimate = estimate_of(operator_passes(op, work.split, work.load, times), pass);
    const std::string name = std::string(op.name) + std::string(gradient_name(pass));
    ledger.add(name, shape_text(op, work.split, {1, {}}), shape_text(op, work.split, work.load),
               work.load.tokens, estimate.evidence, estimate.time * (count * work.devices * runs));
  }
}

void add_collective(Ledger& ledger, const SlabCollectiveUse& use, double tokens, double runs) {
  const CollectiveEstimate estimate = use.slowest(tokens);
  const std::size_t group = use.slowest_group(tokens);
  const double moved = use.bytes_in(group, tokens).value();
  const std::string devices = "devices=" + std::to_string(use.groups[group].device_count());
  const std::string bytes = std::to_string(std::llround(moved));
  ledger.add(word_for(use.operation), devices, devices + " bytes=" + bytes, moved, estimate.evidence,
             estimate.time * (use.times * runs));
}

}  // namespace

// How often each part runs each load and pass, over all replicas.
std::map<AnalyticCostModel::PartRun, double> AnalyticCostModel::part_runs(const Derived& derived) const {
  std::map<PartRun, double> runs;
  for (const Event& event : derived.order.events()) {
    for (const Run& run : runs_of(event)) {
      for (std::size_t i = first_part_[run.stage.index()]; i < first_part_[run.stage.index() + 1]; ++i) {
        const bool patches = blocks_[slabs_[parts_[i].slab].block].stack.unit == LoadUnit::Patch;
        for (std::uint32_t r = 0; r < grid_.replicas; ++r) {
          const ReplicaId replica(r);
          const std::size_t load =
              patches ? loads_->cell(replica, run.microbatch) : loads_->kind(replica, run.microbatch);
          runs[{i, load, run.pass}] += 1;
        }
      }
    }
  }
  return runs;
}

std::vector<PricedOperator> AnalyticCostModel::priced_operators(const Derived& derived) const {
  Ledger ledger;
  for (const auto& [run, times] : part_runs(derived)) {
    const auto& [part, load, pass] = run;
    const Slab& slab = slabs_[parts_[part].slab];
    const Block& block = blocks_[slab.block];
    const auto add = [&](const DeviceWork& work) {
      for (const Pass gradient : gradients_in(pass, block.gradients))
        add_operators(ledger, work, block.times, gradient, times);
    };
    if (block.stack.unit == LoadUnit::Patch) {
      for (const DeviceImages& member : loads_->devices(slab.block, load))
        add({slab.operators, Split(), {member.patches, member.images}, 1});
      continue;
    }
    Sequences sequences;
    const SlabLoad tokens = load_of(loads_->kinds()[load], sequences);
    add({slab.operators, Split::of(parallelism_), tokens, static_cast<double>(grid_.members)});
    for (const SlabCollectiveUse& use : parts_[part].uses) {
      for (const Pass gradient : gradients_in(pass, block.gradients))
        if (use.pass == gradient) add_collective(ledger, use, tokens.tokens, times * grid_.members);
    }
  }
  return std::move(ledger).take();
}

}  // namespace spillway
