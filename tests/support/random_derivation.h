// RapidCheck's generator of valid derivations. It draws model, cut, schedule, placement and durations that
// check_derive accepts. Counterexamples print in the program's text form and can be typed in again.
//
//   rc::check([] { const RandomDerivation random = *random_derivation(); const Derived d = random.derived();
//   ... });
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cost/given.h"
#include "derive/derive.h"
#include "schedule/schedule.h"
#include "support/pipelines.h"
#include "support/random_expectations.h"

namespace spillway::testing {

// Largest values that the generator may draw.
struct RandomLimits {
  std::uint32_t regions = 6;
  std::uint32_t ranks = 5;
  std::uint32_t microbatches = 10;
  std::uint32_t replicas = 4;
  bool every_skeleton = false;  // if false: transpose, 1F1B and GPipe only
};

// Holds all inputs of derive and price. The schedule may hold adjacent transposes, which reduce, and the
// model may begin with towers side by side, which are inputs of their own where they are transposed.
struct RandomDerivation {
  std::vector<Block> blocks;
  Schedule schedule;
  Cut cut;
  DeriveOptions options;
  GivenCosts costs;

  Derived derived() const { return derive(Model(blocks), schedule, cut, options); }
  Schedule normal_schedule() const { return normal_form(Model(blocks), schedule, cut).schedule; }
  Prices priced(const Derived& derived) const { return price(derived, GivenCostModel(costs, derived)); }
};

template <class Items, class Text>
std::string listed(const Items& items, const Text& text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : " ") + text(item);
  return '[' + all + ']';
}

inline std::string listed(const std::vector<std::uint32_t>& numbers) {
  return listed(numbers, [](std::uint32_t n) { return std::to_string(n); });
}

inline std::ostream& operator<<(std::ostream& out, const RandomDerivation& random) {
  const auto& options = random.options;
  out << to_string(random.schedule) << " cut " << listed(random.cut.boundaries)
      << " P=" << options.pipeline.ranks << " M=" << options.pipeline.microbatches
      << " R=" << options.pipeline.replicas
      << (options.point_to_point == PointToPoint::Blocking ? " blocking" : " overlapped")
      << " inner=" << static_cast<int>(options.inner) << " group=" << options.microbatch_group
      << " layers_per_rank " << listed(options.layers_per_rank) << " joined "
      << listed(options.joined_replicas);
  for (const OwnerMap& owner : options.owners) {
    out << " owner " << listed(owner, [](RankId rank) { return std::to_string(rank.index()); });
  }
  out << " p2p=" << random.costs.p2p.value();
  for (std::size_t i = 0; i < random.blocks.size(); ++i) {
    const Block& block = random.blocks[i];
    const BlockProfile& profile = random.costs.blocks[i];
    out << "\n  " << block.name << " x" << block.layers << (block.trainable ? " trainable" : " frozen")
        << (block.beside_next ? " beside the next" : "") << " F=" << profile.forward.value()
        << " I=" << profile.input_gradient.value() << " W=" << profile.weight_gradient.value() << " work "
        << listed(profile.work, [](const auto& row) {
             return listed(row, [](double factor) { return std::to_string(factor); });
           });
  }
  return out;
}

// Has one method per thing drawn; each leaves the record valid for the next. For use inside rc::gen::exec.
class DerivationDraw {
 public:
  explicit DerivationDraw(const RandomLimits& limits) : limits_(limits) {}

  RandomDerivation all() {
    draw_schedule();
    draw_pipeline();
    draw_layers();
    draw_blocks();
    draw_owners();
    draw_inner_order();
    draw_layer_split();
    draw_joined_replicas();
    draw_expectations();
    draw_costs();
    return drawn_;
  }

 private:
  // Draws uniformly from [low, high] from the first test on. inRange alone starts narrow and grows with the
  // test's size.
  static std::uint32_t number(std::uint32_t low, std::uint32_t high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(low, high + 1));
  }
  static bool one_in(std::uint32_t n) { return number(0, n - 1) == 0; }

  // Draws positive parts that add up to `total`.
  static std::vector<std::uint32_t> parts(std::uint32_t total, std::uint32_t count) {
    std::vector<std::uint32_t> parts(count, 1);
    for (std::uint32_t left = total - count; left > 0; --left) ++parts[number(0, count - 1)];
    return parts;
  }

  // Draws one skeleton per run of pipelined regions. A run has one region unless its skeleton can be
  // interleaved.
  void draw_schedule() {
    const std::uint32_t regions = number(1, limits_.regions);
    Skeleton last = SkeletonKind::Transpose;
    for (std::uint32_t region = 0; region < regions; ++region) {
      if (last == SkeletonKind::Transpose)
        last = one_in(3) ? last : pipelined();
      else if (!weaves(last) || one_in(3))
        last = SkeletonKind::Transpose;
      drawn_.schedule.skeletons.push_back(last);
    }
    keep_pairs_last();
  }

  // Pairs of forwards and backwards run only at the end of a schedule, behind transposed inputs at most.
  void keep_pairs_last() {
    std::vector<Skeleton>& all = drawn_.schedule.skeletons;
    const auto first = std::ranges::find_if(all, needs_experts);
    const bool last = std::all_of(first, all.end(), needs_experts);
    const bool alone =
        std::all_of(all.begin(), first, [](const Skeleton& one) { return one == SkeletonKind::Transpose; });
    if (last && alone) return;
    for (Skeleton& one : all)
      if (needs_experts(one)) one = SkeletonKind::OneFOneB;
  }

  Skeleton pipelined() const {
    if (limits_.every_skeleton && one_in(kPipelined.size() + 1)) return SkeletonKind::OneFOneBOverlap;
    if (limits_.every_skeleton) return schedule(kPipelined[number(0, kPipelined.size() - 1)]).skeletons[0];
    return one_in(3) ? SkeletonKind::GPipe : SkeletonKind::OneFOneB;
  }

  bool uses(SkeletonKind kind) const {
    const auto& all = drawn_.schedule.skeletons;
    return std::any_of(all.begin(), all.end(), [&](Skeleton skeleton) { return skeleton.kind == kind; });
  }

  // DualPipe needs even numbers of ranks and microbatches; it and DualPipeV need 2P microbatches.
  void fit_dualpipe() {
    Pipeline& pipeline = drawn_.options.pipeline;
    if (uses(SkeletonKind::DualPipe)) {
      pipeline.ranks = std::max(2U, pipeline.ranks - pipeline.ranks % 2);
      pipeline.microbatches += pipeline.microbatches % 2;
    }
    if (uses(SkeletonKind::DualPipe) || uses(SkeletonKind::DualPipeV))
      pipeline.microbatches = std::max(pipeline.microbatches, 2 * pipeline.ranks);
  }

  // A single run of several 1F1B regions is interleaved, so its sizes follow Megatron's rules.
  void draw_pipeline() {
    Pipeline& pipeline = drawn_.options.pipeline;
    pipeline.ranks = number(1, limits_.ranks);
    pipeline.microbatches = number(1, limits_.microbatches);
    pipeline.replicas = number(1, limits_.replicas);
    drawn_.options.point_to_point = one_in(2) ? PointToPoint::Blocking : PointToPoint::Overlapped;
    fit_dualpipe();
    const std::vector<ShardedRun> runs = sharded_runs(drawn_.schedule);
    if (uses(SkeletonKind::OneFOneBOverlap) && runs[0].end - runs[0].first == 1) pipeline.ranks = 1;
    if (runs.size() != 1 || traits_of(runs[0].skeleton).weaving != Weaving::InGroups ||
        runs[0].end - runs[0].first == 1)
      return;
    const std::uint32_t p = pipeline.ranks;
    const std::uint32_t group = number(p, std::max(p, limits_.microbatches));
    const std::uint32_t rest = one_in(2) ? 0 : number(p, group);
    pipeline.microbatches = number(1, std::max(1U, limits_.microbatches / group)) * group + rest % group;
    drawn_.options.microbatch_group = group == p && one_in(2) ? 0 : group;
  }

  void draw_layers() {
    std::uint32_t layers = 0;
    for (Skeleton skeleton : drawn_.schedule.skeletons) {
      if (layers > 0) drawn_.cut.boundaries.push_back(layers);
      const bool sharded = layout_of(skeleton) == Layout::Sharded;
      const std::uint32_t least = sharded ? stages_of(skeleton, drawn_.options.pipeline.ranks) : 1;
      layers += least + number(0, 3);
    }
    layers_ = layers;
  }

  // Blocks ignore the regions: a region may span several blocks, and a block several regions. Half of the
  // models whose inputs are transposed begin with towers side by side, whose last one may reach into the
  // body.
  void draw_blocks() {
    const std::size_t inputs = input_count(drawn_.schedule);
    const bool alone = inputs == drawn_.schedule.skeletons.size();
    const std::uint32_t end = inputs == 0 || alone ? 0 : drawn_.cut.boundaries[inputs - 1];
    const std::uint32_t of_towers = end < 2 || one_in(2) ? 0 : end + (one_in(4) ? 1 : 0);
    if (of_towers > 0 && of_towers < layers_) draw_towers(of_towers);
    const std::uint32_t left = drawn_.blocks.empty() ? layers_ : layers_ - of_towers;
    const std::size_t towers = drawn_.blocks.size();
    const std::uint32_t count = number(1, std::min(left, 4U));
    for (std::uint32_t layers : parts(left, count)) {
      const bool fed = towers > 0 && drawn_.blocks.size() == towers;
      const bool encoder = drawn_.blocks.size() + 1 < towers + count && !fed && one_in(2);
      add_block(encoder ? "enc" : "llm", layers);
    }
  }

  void draw_towers(std::uint32_t layers) {
    for (std::uint32_t own : parts(layers, number(2, std::min(layers, 3U)))) {
      add_block("enc", own);
      drawn_.blocks.back().beside_next = true;
    }
    drawn_.blocks.back().beside_next = false;
  }

  void add_block(const std::string& kind, std::uint32_t layers) {
    const std::string name = kind + std::to_string(drawn_.blocks.size());
    drawn_.blocks.push_back({name, role_from_name(name), layers, !one_in(3)});
  }

  void draw_owners() {
    const Schedule normal = drawn_.normal_schedule();
    for (Skeleton skeleton : normal.skeletons) {
      if (layout_of(skeleton) == Layout::Sharded) continue;
      if (one_in(4)) return;  // this one and the rest stay round-robin
      OwnerMap owner;
      for (std::uint32_t m = 0; m < drawn_.options.pipeline.microbatches; ++m) {
        owner.push_back(RankId(number(0, drawn_.options.pipeline.ranks - 1)));
      }
      drawn_.options.owners.push_back(std::move(owner));
    }
  }

  // An inner transpose that runs in place takes the ranks of the stages before it, so it needs no owner map.
  void draw_inner_order() {
    const auto orders = inner_orders(Model(drawn_.blocks), drawn_.schedule, drawn_.cut, drawn_.options);
    if (orders.empty()) return;
    drawn_.options.inner = orders[number(0, static_cast<std::uint32_t>(orders.size() - 1))];
    const std::size_t inputs = input_count(drawn_.normal_schedule());
    auto& owners = drawn_.options.owners;
    if (drawn_.options.inner == InnerOrder::InPlace) owners.resize(std::min(owners.size(), inputs));
  }

  void draw_layer_split() {
    if (!one_in(3)) return;
    const NormalForm normal = normal_form(Model(drawn_.blocks), drawn_.schedule, drawn_.cut);
    const std::vector<Region> regions = regions_of(Model(drawn_.blocks), normal.cut);
    for (std::size_t region = 0; region < regions.size(); ++region) {
      const Skeleton skeleton = normal.schedule.skeletons[region];
      if (layout_of(skeleton) != Layout::Sharded) continue;
      const std::uint32_t stages = stages_of(skeleton, drawn_.options.pipeline.ranks);
      for (std::uint32_t layers : parts(regions[region].layers.size(), stages)) {
        drawn_.options.layers_per_rank.push_back(layers);
      }
    }
  }

  void draw_joined_replicas() {
    if (!one_in(3)) return;
    std::vector<std::uint32_t> divisors;
    for (std::uint32_t d = 1; d <= drawn_.options.pipeline.replicas; ++d) {
      if (drawn_.options.pipeline.replicas % d == 0) divisors.push_back(d);
    }
    for (std::size_t block = 0; block < drawn_.blocks.size(); ++block) {
      drawn_.options.joined_replicas.push_back(*rc::gen::elementOf(divisors));
    }
  }

  // Draws expectations for every stage of the normal form, independently of the costs.
  void draw_expectations() {
    const Schedule normal = drawn_.normal_schedule();
    const bool inner =
        !inner_orders(Model(drawn_.blocks), drawn_.schedule, drawn_.cut, drawn_.options).empty();
    const bool planned = std::any_of(normal.skeletons.begin(), normal.skeletons.end(), plans);
    if (!(inner || planned) || one_in(3)) return;
    std::uint32_t stages = 0;
    for (Skeleton skeleton : normal.skeletons) stages += chunks_of(skeleton) * drawn_.options.pipeline.ranks;
    drawn_.options.expected = any_expectations(stages);
  }

  // Draws zero or a multiple of 0.1 ms, which binary fractions mostly cannot hold exactly.
  static Seconds duration() { return one_in(6) ? Seconds() : milliseconds(number(1, 9999) * 0.1); }

  void draw_costs() {
    drawn_.costs.p2p = one_in(3) ? Seconds() : duration();
    for (std::size_t block = 0; block < drawn_.blocks.size(); ++block) {
      BlockProfile profile;
      profile.forward = duration();
      profile.input_gradient = duration();
      profile.weight_gradient = duration();
      if (one_in(2)) {
        const Seconds all = profile.forward + profile.input_gradient + profile.weight_gradient;
        profile.fused_forward_backward = std::max(profile.forward, all * (number(50, 100) * 0.01));
      }
      if (one_in(2)) profile.work = work();
      drawn_.costs.blocks.push_back(std::move(profile));
    }
  }

  std::vector<std::vector<double>> work() const {
    std::vector<std::vector<double>> work(drawn_.options.pipeline.replicas);
    for (auto& row : work) {
      for (std::uint32_t m = 0; m < drawn_.options.pipeline.microbatches; ++m)
        row.push_back(number(0, 30) * 0.1);
    }
    return work;
  }

  RandomLimits limits_;
  RandomDerivation drawn_;
  std::uint32_t layers_ = 0;
};

inline rc::Gen<RandomDerivation> random_derivation(const RandomLimits& limits = {}) {
  return rc::gen::exec([limits] { return DerivationDraw(limits).all(); });
}

}  // namespace spillway::testing
