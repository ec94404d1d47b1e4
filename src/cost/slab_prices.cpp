#include "cost/slab_prices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "platform/platform.h"

namespace spillway {
namespace {

// One device's part of a microbatch's tokens. Views them.
SlabLoad load_of(const TokenLoad& tokens, const Parallelism& parallelism) {
  return {tokens.sequence / parallelism.context, tokens.sequences};
}

SlabTimes slower_passes(const SlabTimes& a, const SlabTimes& b) {
  return {std::max(a.forward, b.forward),
          std::max(a.input_gradient, b.input_gradient),
          std::max(a.weight_gradient, b.weight_gradient),
          std::max(a.weight_after_input, b.weight_after_input),
          std::max(a.attention_forward, b.attention_forward),
          std::max(a.attention_backward, b.attention_backward),
          std::max(a.recomputed, b.recomputed),
          std::max(a.issued_forward, b.issued_forward),
          std::max(a.issued_backward, b.issued_backward),
          std::max(a.host_link, b.host_link)};
}

// The time in which the device moves parameters around each gather, and gradients around each scatter.
struct ShardedCopies {
  Seconds gather, reduce;

  ShardedCopies(const StageSlabs& stages, const StageSlabs::Slab& slab) {
    const Parallelism& p = stages.parallelism;
    const StageSlabs::Block& block = stages.block(slab);
    if (p.data < DataParallel::Zero2 || block.over_patches()) return;
    const double layers = slab.layers.size();
    const auto moved = [&](Bytes each, const LayerCost& of) {
      const Bytes bytes = each * (dense_on_device(of, LoadUnit::Token, p) + experts_on_device(of, p));
      return bytes == Bytes() ? Seconds() : block.times.memory(bytes / layers).time * layers;
    };
    if (p.data == DataParallel::Zero3) gather = moved(stages.shards.gather, slab.cost);
    if (block.gradients.weight && !stages.shards.reduces_once)
      reduce = moved(stages.shards.reduce, slab.cost.trained());
  }

  Seconds in(Pass pass, const StageSlabs& stages, Gradients gradients) const {
    if (pass == Pass::Forward) return gather;
    if (pass == Pass::WeightGradient) return reduce;
    return gradients.input && stages.parallelism.reshard_after_forward ? gather : Seconds();
  }
};

// Adds what a slab's passes take beside its operators.
SlabTimes with_copies(SlabTimes times, const StageSlabs& stages, const StageSlabs::Slab& slab,
                      const DeviceLoad& load) {
  if (load.tokens <= 0) return times;
  const StageSlabs::Block& block = stages.block(slab);
  const ShardedCopies copies(stages, slab);
  times.forward += copies.in(Pass::Forward, stages, block.gradients);
  times.input_gradient += copies.in(Pass::InputGradient, stages, block.gradients);
  times.weight_gradient += copies.in(Pass::WeightGradient, stages, block.gradients);
  times.weight_after_input += copies.in(Pass::WeightGradient, stages, block.gradients);
  if (block.offload.any()) times.host_link = slab.memory.offloaded(load) / stages.host_link;
  return times;
}

std::vector<SlabTimes> priced_loads(const StageSlabs& stages, const DrawLoads& loads,
                                    const StageSlabs::Slab& slab) {
  const StageSlabs::Block& block = stages.block(slab);
  const Split split = Split::of(block.over_patches() ? stages.parallelism.of_encoder() : stages.parallelism);
  SlabPricer pricer(slab.operators, split, block.times, block.gradients, stages.host);
  std::vector<SlabTimes> times;
  if (!block.over_patches()) {
    const double context = stages.parallelism.context;
    for (const TokenLoad& tokens : loads.kinds())
      times.push_back(with_copies(pricer.of(load_of(tokens, stages.parallelism)), stages, slab,
                                  {tokens.sequence / context, tokens.pairs / context}) *
                      block.what_if_time);
    return times;
  }
  ByImages<SlabTimes> known;
  for (std::size_t cell = 0; cell < loads.cells(); ++cell) {
    SlabTimes slowest;
    for (const DeviceImages& member : loads.devices(slab.block, cell))
      slowest = slower_passes(slowest, known.of(member, [&] {
        return with_copies(pricer.of({member.patches, member.images}), stages, slab,
                           {member.patches, pairs_of(member.images)}) *
               block.what_if_time;
      }));
    times.push_back(slowest);
  }
  return times;
}

// Merges operators that are priced alike. If their shapes vary by microbatch, the largest names them all.
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

  // The reference stays valid.
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

// One action of an operator in a pass, and how often the slab has it.
struct Doing {
  std::string_view name;
  Estimate estimate;
  double times;
};

// As in slab_times(): an input gradient repeats forwards, and frozen weights have no weight gradient.
std::vector<Doing> doings(const CountedOperator& one, const OperatorPasses& passes, Pass pass) {
  if (pass == Pass::Forward) return {{"", passes.forward, one.count}};
  if (pass == Pass::InputGradient)
    return {{", input gradient", passes.input_gradient, one.count},
            {", recomputed", passes.forward, one.repeated}};
  if (one.op.frozen) return {};
  return {{", weight gradient", passes.weight_gradient, one.count}};
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
    for (const CountedOperator& one : operators) kinds_.push_back(shape_text(one.op, split, {1, {}}));
  }

  std::vector<OperatorPasses> passes(const SlabLoad& load) const {
    std::vector<OperatorPasses> passes;
    if (load.tokens <= 0) return passes;
    for (const CountedOperator& one : operators_)
      passes.push_back(operator_passes(one.op, split_, load, times_));
    return passes;
  }

  // Passes over images, remembered.
  const std::vector<OperatorPasses>& passes(const DeviceImages& device) {
    return known_.of(device, [&] { return passes(SlabLoad{device.patches, device.images}); });
  }

  // Contract: `passes` belong to the load.
  void add(const DeviceWork& work, std::span<const OperatorPasses> passes, Pass pass, double runs) {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      for (const Doing& doing : doings(operators_[i], passes[i], pass)) {
        const Seconds time = doing.estimate.time * (doing.times * work.devices * runs);
        if (time == Seconds()) continue;
        entry(i, doing).add(time, work.load.tokens,
                            [&] { return shape_text(operators_[i].op, split_, work.load); });
      }
    }
  }

 private:
  Ledger::Entry& entry(std::size_t i, const Doing& doing) {
    Ledger::Entry*& entry = entries_[i][{doing.name, doing.estimate.evidence}];
    if (!entry) {
      const std::string name = std::string(operators_[i].op.name) + std::string(doing.name);
      entry = &ledger_.entry(name, kinds_[i], doing.estimate.evidence);
    }
    return *entry;
  }

  Ledger& ledger_;
  std::span<const CountedOperator> operators_;
  Split split_;
  const OperatorTimes& times_;
  std::vector<std::string> kinds_;
  std::vector<std::map<std::pair<std::string_view, Evidence>, Ledger::Entry*>> entries_;  // by operator
  ByImages<std::vector<OperatorPasses>> known_;
};

void add_collective(Ledger& ledger, const SlabCollectiveUse& use, double tokens, double runs) {
  if (runs == 0) return;
  const CollectiveEstimate estimate = use.slowest(tokens);
  const std::size_t group = use.slowest_group(tokens);
  const double moved = use.bytes_in(group, tokens).value();
  const std::string devices = "devices=" + std::to_string(use.groups[group].device_count());
  const std::string bytes = std::to_string(std::llround(moved));
  if (estimate.time == Seconds()) return;
  ledger.entry(std::string(word_for(use.operation)), devices, estimate.evidence)
      .add(estimate.time * (use.times * runs), moved, [&] { return devices + " bytes=" + bytes; });
}

// How often a run of the pass has the collective. A backward repeats those of the forward that were exposed.
double share_of_runs(const SlabCollectiveUse& use, Pass pass) {
  if (use.pass == pass) return 1;
  const double hidden = use.under == Hides::Nothing ? 0 : use.hidden;
  return pass == Pass::InputGradient ? (1 - hidden) * use.repeated : 0;
}

// Time that the experiment adds to a forward, whatever the operators take. Its evidence is that of
// unknowns.cpp.
void add_fixed(Ledger& ledger, Seconds fixed, double devices) {
  if (fixed > Seconds())
    ledger.entry("fixed time", "", Evidence::Assumed).add(fixed * devices, 0, [] { return ""; });
}

void add_copies(Ledger& ledger, const ShardedCopies& copies, Pass pass, const StageSlabs& stages,
                const StageSlabs::Block& block, double devices) {
  const Seconds time = copies.in(pass, stages, block.gradients);
  if (time > Seconds())
    ledger.entry("copies of sharded states", "", Evidence::Derived).add(time * devices, 0, [] { return ""; });
}

// A part and the pass it runs, ordered by the part's index.
struct PartRun {
  const StageSlabs::Part* part;
  std::size_t load;  // kind or cell
  Pass pass;

  friend bool operator<(const PartRun& a, const PartRun& b) {
    return std::tie(a.part->index, a.load, a.pass) < std::tie(b.part->index, b.load, b.pass);
  }
};

// How often each part runs each pass, over all replicas.
std::map<PartRun, double> part_runs(const Order& order, const StageSlabs& stages, const DrawLoads& loads) {
  const std::uint32_t equal = stages.equal_replicas, replicas = stages.grid.replicas / equal;
  std::map<PartRun, double> runs;
  for (const Event& event : order.events()) {
    for (const Run& run : runs_of(event)) {
      for (const StageSlabs::Part& part : stages.parts(run.stage)) {
        const LoadUnit unit = stages.block(part).stack->unit;
        for (std::uint32_t replica = 0; replica < replicas; ++replica)
          runs[{&part, loads.load(unit, ReplicaId(replica), run.microbatch), run.pass}] += equal;
      }
    }
  }
  return runs;
}

}  // namespace

std::vector<SlabTimesByLoad> slab_prices(const StageSlabs& stages, const DrawLoads& loads,
                                         PricedSlabs& known) {
  std::vector<SlabTimesByLoad> times;
  for (const StageSlabs::Slab& slab : stages.slabs)
    times.push_back(
        known.times(slab.block, slab.operators, [&] { return priced_loads(stages, loads, slab); }));
  return times;
}

std::vector<PricedOperator> priced_operators(const Order& order, const StageSlabs& stages,
                                             const StageCollectives& collectives, const DrawLoads& loads) {
  Ledger ledger;
  std::map<std::size_t, SlabLedger> slabs;
  for (const auto& [run, times] : part_runs(order, stages, loads)) {
    const StageSlabs::Slab& slab = stages.slab(*run.part);
    const StageSlabs::Block& block = stages.block(slab);
    const Parallelism& parallelism = stages.parallelism;
    const Split split = Split::of(block.over_patches() ? parallelism.of_encoder() : parallelism);
    SlabLedger& of_slab =
        slabs.try_emplace(run.part->slab, ledger, slab.operators.counted, split, block.times).first->second;
    const std::vector<Pass> gradients = gradients_in(run.pass, block.gradients);
    const auto add = [&, times = times](const DeviceWork& work, std::span<const OperatorPasses> passes) {
      for (const Pass gradient : gradients) of_slab.add(work, passes, gradient, times * block.what_if_time);
    };
    if (block.over_patches()) {
      for (const DeviceImages& member : loads.devices(slab.block, run.load))
        add({{member.patches, member.images}, 1}, of_slab.passes(member));
    } else {
      const TokenLoad& kind = loads.kinds()[run.load];
      const SlabLoad tokens = load_of(kind, parallelism);
      add({tokens, static_cast<double>(stages.grid.members)},
          of_slab.passes(DeviceImages{tokens.tokens, kind.sequences}));
    }
    const double on_devices = times * stages.grid.members * stages.what_if_collective_time(block);
    for (const SlabCollectiveUse& use : collectives.uses(*run.part))
      for (const Pass gradient : gradients)
        add_collective(ledger, use, collectives.tokens(*run.part, run.load),
                       on_devices * share_of_runs(use, gradient));
    const ShardedCopies copies(stages, slab);
    for (const Pass gradient : gradients)
      add_copies(ledger, copies, gradient, stages, block, times * stages.grid.members * block.what_if_time);
    if (run.pass == Pass::Forward) add_fixed(ledger, run.part->fixed, times * stages.grid.members);
  }
  return std::move(ledger).take();
}

}  // namespace spillway
