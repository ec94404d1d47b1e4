#include "cost/priced_operators.h"

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cost/slab_passes.h"

namespace spillway {
namespace {

// Views an operator and its load. Most of them are never put into words.
struct OperatorShape {
  const Operator* op = nullptr;
  const Split* split = nullptr;
  SlabLoad load = {};
};

// Merges operators that are priced alike. If their shapes vary by microbatch, the largest names them all.
// Views the shapes until take().
class Ledger {
 public:
  struct Entry {
    double size = 0;
    Seconds time;
    std::string shape;             // of a collective
    OperatorShape operator_shape;  // of an operator

    // Returns true if this is the largest so far.
    bool add(Seconds more, double of_size) {
      time += more;
      if (of_size < size) return false;
      size = of_size;
      return true;
    }
    std::string words() const {
      const auto& [op, split, load] = operator_shape;
      return op == nullptr ? shape : shape_text(*op, *split, load);
    }
  };

  // The reference stays valid.
  Entry& entry(std::string name, const std::string& kind, Evidence evidence) {
    return entries_[{std::move(name), kind, evidence}];
  }

  std::vector<PricedOperator> take() && {
    std::vector<PricedOperator> priced;
    for (auto& [key, entry] : entries_)
      priced.push_back({std::get<0>(key), entry.words(), std::get<2>(key), entry.time});
    return priced;
  }

 private:
  std::map<std::tuple<std::string, std::string, Evidence>, Entry> entries_;
};

// One action of an operator in a pass, and how often the slab has it.
enum class Action : std::uint8_t { Forward, InputGradient, Recomputed, WeightGradient };
constexpr std::array<std::string_view, 4> kActionNames = {"", ", input gradient", ", recomputed",
                                                          ", weight gradient"};
struct Doing {
  Action action;
  Estimate estimate;
  double times;
};

// As in slab_times(): an input gradient repeats forwards, and frozen weights have no weight gradient.
template <class Do>
void for_each_doing(const CountedOperator& one, const OperatorPasses& passes, Pass pass, Do act) {
  if (pass == Pass::Forward) return act(Doing{Action::Forward, passes.forward, one.count});
  if (pass == Pass::InputGradient) {
    act(Doing{Action::InputGradient, passes.input_gradient, one.count});
    return act(Doing{Action::Recomputed, passes.forward, one.repeated});
  }
  if (one.op.frozen) return;
  act(Doing{Action::WeightGradient, passes.weight_gradient, one.count});
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
      : ledger_(ledger),
        operators_(operators),
        split_(split),
        under_load_(operators, split_, times),
        entries_(operators.size()) {
    for (const CountedOperator& one : operators) kinds_.push_back(shape_text(one.op, split, {1, {}}));
  }

  // Passes over tokens, by kind.
  std::span<const OperatorPasses> passes(std::size_t kind, std::span<const SlabLoad> kinds,
                                         KnownPasses& known) {
    if (!by_kind_) by_kind_.emplace(known, operators_, under_load_, kinds);
    if (kinds[kind].tokens <= 0) return {};
    under_load_.set(kinds[kind], by_kind_->of(kind));
    return under_load_.passes();
  }

  // Passes over images, remembered.
  std::span<const OperatorPasses> passes(const DeviceImages& device) {
    return known_.of(device, [&] { return passes(SlabLoad{device.patches, device.images}); });
  }

  // Contract: `passes` belong to the load.
  void add(const DeviceWork& work, std::span<const OperatorPasses> passes, Pass pass, double runs) {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      for_each_doing(operators_[i], passes[i], pass, [&](const Doing& doing) {
        const Seconds time = doing.estimate.time * (doing.times * work.devices * runs);
        if (time == Seconds()) return;
        Ledger::Entry& own = entry(i, doing);
        if (own.add(time, work.load.tokens)) own.operator_shape = {&operators_[i].op, &split_, work.load};
      });
    }
  }

 private:
  std::vector<OperatorPasses> passes(const SlabLoad& load) const {
    std::vector<OperatorPasses> passes;
    if (load.tokens <= 0) return passes;
    for (std::size_t i = 0; i < operators_.size(); ++i) passes.push_back(under_load_.price(i, load));
    return passes;
  }

  Ledger::Entry& entry(std::size_t i, const Doing& doing) {
    const Evidence evidence = doing.estimate.evidence;
    Ledger::Entry*& entry =
        entries_[i][static_cast<std::size_t>(doing.action)][static_cast<std::size_t>(evidence)];
    if (!entry) {
      const std::string_view action = kActionNames[static_cast<std::size_t>(doing.action)];
      entry = &ledger_.entry(std::string(operators_[i].op.name) + std::string(action), kinds_[i], evidence);
    }
    return *entry;
  }

  Ledger& ledger_;
  std::span<const CountedOperator> operators_;
  Split split_;
  PassesUnderLoad under_load_;
  std::optional<PassesByKind> by_kind_;
  std::vector<std::string> kinds_;
  using ByEvidence = std::array<Ledger::Entry*, kEvidenceKinds>;
  std::vector<std::array<ByEvidence, kActionNames.size()>> entries_;  // by operator and action
  ByImages<std::vector<OperatorPasses>> known_;
};

// The entries of collectives. Priced again only if the number of tokens changes.
class CollectiveLedger {
 public:
  explicit CollectiveLedger(Ledger& ledger) : ledger_(ledger) {}

  void add(const SlabCollectiveUse& use, double tokens, double runs) {
    if (runs == 0) return;
    Last& last = last_[&use];
    if (!last.entry || last.tokens != tokens) last = priced(use, tokens);
    if (last.time == Seconds()) return;
    if (last.entry->add(last.time * (use.times * runs), last.moved)) last.entry->shape = last.shape;
  }

 private:
  struct Last {
    double tokens = 0;
    Seconds time;
    double moved = 0;
    std::string shape;
    Ledger::Entry* entry = nullptr;
  };

  Last priced(const SlabCollectiveUse& use, double tokens) {
    const CollectiveEstimate estimate = use.slowest(tokens);
    if (estimate.time == Seconds()) return {};
    const std::size_t group = use.slowest_group(tokens);
    const double moved = use.bytes_in(group, tokens).value();
    const std::string devices = "devices=" + std::to_string(use.groups[group].device_count());
    return {tokens, estimate.time, moved, devices + " bytes=" + std::to_string(std::llround(moved)),
            &ledger_.entry(std::string(word_for(use.operation)), devices, estimate.evidence)};
  }

  Ledger& ledger_;
  std::unordered_map<const SlabCollectiveUse*, Last> last_;
};

// How often a run of the pass has the collective. A backward repeats those of the forward that were exposed.
double share_of_runs(const SlabCollectiveUse& use, Pass pass) {
  if (use.pass == pass) return 1;
  const double hidden = use.under == Hides::Nothing ? 0 : use.hidden;
  return pass == Pass::InputGradient ? (1 - hidden) * use.repeated : 0;
}

// Time that the experiment adds to a forward, whatever the operators take. Its evidence is that of
// unknowns.cpp.
void add_fixed(Ledger& ledger, Seconds fixed, double devices) {
  if (fixed > Seconds()) ledger.entry("fixed time", "", Evidence::Assumed).add(fixed * devices, 0);
}

void add_copies(Ledger& ledger, const ShardedCopies& copies, Pass pass, const StageSlabs& stages,
                const StageSlabs::Block& block, double devices) {
  const Seconds time = copies.in(pass, stages, block.gradients);
  if (time > Seconds())
    ledger.entry("copies of sharded states", "", Evidence::Derived).add(time * devices, 0);
}

// A part and the pass it runs, and how often it does, over all replicas.
struct PartRun {
  const StageSlabs::Part* part;
  std::size_t load;  // kind or cell
  Pass pass;
  double times;
};

// Runs by part, load and pass, counted.
class PartRuns {
 public:
  PartRuns(const Order& order, const StageSlabs& stages, const DrawLoads& loads) : stages_(stages) {
    for_each_part([&](const StageSlabs::Part& part) {
      times_.emplace_back(stages.block(part).over_patches() ? loads.cells() : loads.kinds().size());
    });
    const std::uint32_t replicas = stages.grid.replicas / stages.equal_replicas;
    for (const Event& event : order.events())
      for (const Run& run : runs_of(event))
        for (const StageSlabs::Part& part : stages.parts(run.stage))
          for (std::uint32_t replica = 0; replica < replicas; ++replica)
            times_[part.index][loads.load(stages.block(part).stack->unit, ReplicaId(replica), run.microbatch)]
                  [static_cast<std::size_t>(run.pass)] += stages.equal_replicas;
  }

  // In the order of parts, loads and passes.
  template <class Do>
  void for_each(Do act) const {
    for_each_part([&](const StageSlabs::Part& part) {
      const std::vector<ByPass>& by_load = times_[part.index];
      for (std::size_t load = 0; load < by_load.size(); ++load)
        for (std::size_t pass = 0; pass < kPasses; ++pass)
          if (const double times = by_load[load][pass]; times > 0)
            act(PartRun{&part, load, static_cast<Pass>(pass), times});
    });
  }

 private:
  static constexpr std::size_t kPasses = static_cast<std::size_t>(Pass::WeightGradient) + 1;
  using ByPass = std::array<double, kPasses>;

  template <class Do>
  void for_each_part(Do act) const {
    for (std::uint32_t stage = 0; stage < stages_.stage_count(); ++stage)
      for (const StageSlabs::Part& part : stages_.parts(StageId(stage))) act(part);
  }

  const StageSlabs& stages_;
  std::vector<std::vector<ByPass>> times_;  // by part and load
};

}  // namespace

std::vector<PricedOperator> priced_operators(const Order& order, const StageSlabs& stages,
                                             const StageCollectives& collectives, const DrawLoads& loads) {
  Ledger ledger;
  CollectiveLedger of_collectives(ledger);
  std::map<std::size_t, SlabLedger> slabs;
  std::map<std::size_t, KnownPasses> known;  // by block
  std::vector<SlabLoad> token_loads;         // by kind
  for (const TokenLoad& kind : loads.kinds()) token_loads.push_back(load_of(kind, stages.parallelism));
  PartRuns(order, stages, loads).for_each([&](const PartRun& run) {
    const StageSlabs::Slab& slab = stages.slab(*run.part);
    const StageSlabs::Block& block = stages.block(slab);
    const Parallelism& parallelism = stages.parallelism;
    const Split split = Split::of(block.over_patches() ? parallelism.of_encoder() : parallelism);
    SlabLedger& of_slab =
        slabs.try_emplace(run.part->slab, ledger, slab.operators.counted, split, block.times).first->second;
    const std::vector<Pass> gradients = gradients_in(run.pass, block.gradients);
    const auto add = [&](const DeviceWork& work, std::span<const OperatorPasses> passes) {
      for (const Pass gradient : gradients)
        of_slab.add(work, passes, gradient, run.times * block.what_if_time);
    };
    if (block.over_patches()) {
      for (const DeviceImages& member : loads.devices(slab.block, run.load))
        add({{member.patches, member.images}, 1}, of_slab.passes(member));
    } else {
      add({token_loads[run.load], static_cast<double>(stages.grid.members)},
          of_slab.passes(run.load, token_loads, known[slab.block]));
    }
    const double on_devices = run.times * stages.grid.members * stages.what_if_collective_time(block);
    for (const SlabCollectiveUse& use : collectives.uses(*run.part))
      for (const Pass gradient : gradients)
        of_collectives.add(use, collectives.tokens(*run.part, run.load),
                           on_devices * share_of_runs(use, gradient));
    const ShardedCopies copies(stages, slab);
    const double on_members = run.times * stages.grid.members * block.what_if_time;
    for (const Pass gradient : gradients) add_copies(ledger, copies, gradient, stages, block, on_members);
    if (run.pass == Pass::Forward) add_fixed(ledger, run.part->fixed, run.times * stages.grid.members);
  });
  return std::move(ledger).take();
}

}  // namespace spillway
