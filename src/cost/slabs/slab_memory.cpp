#include "cost/slabs/slab_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cost/layers/conventions.h"
#include "cost/slabs/slab_footprint.h"

namespace spillway {

// The part of the tensor-parallel group's load that a device has.
struct SlabMemory::Split {
  double inner;
  double outside;
  double experts;
  bool exchanges;  // tokens with other devices' experts

  Split(LoadUnit unit, const Parallelism& parallelism)
      : inner(1.0 / tensor_group(unit, parallelism)),
        outside(unit == LoadUnit::Token && parallelism.sequence_parallel ? inner : 1),
        experts(inner * parallelism.expert_imbalance),
        exchanges(parallelism.expert > 1) {}

  double of(Share share) const {
    if (share == Share::Tokens) return outside;
    return share == Share::Experts ? experts : inner;
  }

  Bytes kept(const Operator& op, Bytes KeptPerToken::*part) const {
    const Bytes outer = op.kept_outside.*part;
    return op.share == Share::Experts ? op.kept.*part * experts
                                      : (op.kept.*part - outer) * inner + outer * outside;
  }

  Rate kept(const Operator& op, Gradients gradients) const {
    const auto part =
        gradients.weight && !op.frozen ? &KeptPerToken::for_backward : &KeptPerToken::for_input_gradient;
    return {kept(op, part), op.kept_per_pair * inner};
  }

  Rate made_again(const Operator& op, Modules modules, Gradients gradients) const {
    const double share = spillway::made_again(op, modules, gradients.weight && !op.frozen);
    const Rate own = kept(op, gradients);
    return share > 0 ? Rate{own.per_token * share, own.per_pair * share} : Rate{};
  }

  // Returns true if it is recomputed from the same input as the operator before it.
  bool goes_on(const Operator& op, Modules modules) const {
    return modules.meets(op.made_by) && modules.meets(op.inside);
  }

  // Inputs and outputs of a running operator, or the gradients of both.
  Rate passing(const Operator& op, double live) const {
    if (op.in_place) return {};
    if (op.share != Share::Columns && op.share != Share::Rows) {
      return {(op.traffic_per_token * live + op.buffers_per_token) * (of(op.share) / op.chunks.count),
              (op.traffic_per_pair - op.kept_per_pair) * inner};
    }
    const double in = static_cast<double>(op.k) * (op.share == Share::Rows ? inner : 1);
    const double out = static_cast<double>(op.n) * (op.share == Share::Columns ? inner : 1) / op.chunks.count;
    return {kElement * (op.rows_per_token * (in + out)), Bytes()};
  }

  // Returns the bytes of the rows that an exchange brings: those that an expert's first product reads, or
  // those that its last one has written.
  Bytes exchanged(const Operator& op) const {
    if (!exchanges) return Bytes();
    const double width = static_cast<double>(op.name == kExpertDown ? op.n : op.k);
    return kElement * (width * op.rows_per_token * experts);
  }
};

SlabMemory::Rate& SlabMemory::Rate::operator+=(const Rate& other) {
  per_token += other.per_token;
  per_pair += other.per_pair;
  return *this;
}

SlabMemory::Rate& SlabMemory::Rate::operator-=(const Rate& other) {
  per_token -= other.per_token;
  per_pair -= other.per_pair;
  return *this;
}

bool SlabMemory::Rate::exceeds(const Rate& other) const {
  return per_token > other.per_token || per_pair > other.per_pair;
}

void SlabMemory::Largest::add(const Rate& rate) {
  const bool ever_largest = std::ranges::all_of(rates, [&](const Rate& r) { return rate.exceeds(r); });
  if (!ever_largest || !rate.exceeds({})) return;
  std::erase_if(rates, [&](const Rate& r) { return !r.exceeds(rate); });
  rates.push_back(rate);
}

Bytes SlabMemory::Largest::of(DeviceLoad load) const {
  Bytes largest;
  for (const Rate& rate : rates) largest = std::max(largest, rate.of(load));
  return largest;
}

bool SlabMemory::Largest::by_pairs() const {
  return std::ranges::any_of(rates, [](const Rate& rate) { return rate.per_pair != Bytes(); });
}

bool SlabMemory::by_pairs() const {
  return activations_.per_pair != Bytes() || offloaded_.per_pair != Bytes() || recomputed_.by_pairs() ||
         forward_.by_pairs() || backward_.by_pairs();
}

SlabMemory::Rate SlabMemory::kept_in_full(const Operators& operators, const SlabUse& use,
                                          const Split& split) const {
  Rate kept;
  if (!use.gradients.any()) return kept;
  for (const Operator& op : operators) kept += split.kept(op, use.gradients);
  return kept;
}

// Alternate keeps what attention keeps, and the outputs of the products and exchanges that it does not
// repeat.
SlabMemory::Rate SlabMemory::outputs_kept(const Operators& operators, const SlabUse& use,
                                          const Split& split) const {
  Rate kept;
  for (const Operator& op : operators) {
    if (op.kind == OperatorKind::Attention) kept += split.kept(op, use.gradients);
    if (op.kind == OperatorKind::GroupedGemm) kept.per_token += split.exchanged(op);
    if (op.kind != OperatorKind::Gemm) continue;
    const double columns = static_cast<double>(op.n) * op.rows_per_token;
    const double on_device = op.share == Share::Rows ? split.outside : split.of(op.share);
    kept.per_token += kElement * ((1 - kAlternate) * columns * on_device);
  }
  return kept;
}

std::vector<SlabMemory::Recomputed> SlabMemory::units_of(std::span<const Layer> layers,
                                                         const Recomputation& recomputation) {
  std::vector<Recomputed> units;
  Recomputed ends = {{}, Recompute::None, {}};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Recompute what = recomputation.of(i);
    Operators proper;
    for (const Operator& op : layers[i].operators) (op.at_end ? ends.operators : proper).push_back(op);
    // An embedding alone, before the layers, is no unit that they could join.
    const bool joins = what == Recompute::Full && i % recomputation.together != 0 && !units.empty();
    if (joins)
      std::ranges::copy(proper, std::back_inserter(units.back().operators));
    else if (!proper.empty())
      units.push_back({std::move(proper), what, recomputation.modules_of(i)});
  }
  units.push_back(std::move(ends));
  return units;
}

// Held from the forward to the backward.
SlabMemory::Rate SlabMemory::stored(const Recomputed& unit, const SlabUse& use, const Split& split) const {
  Rate kept = kept_in_full(unit.operators, use, split);
  if (!use.gradients.any()) return kept;
  const Rate input = {kElement * (split.outside * use.width), Bytes()};
  if (unit.what == Recompute::Full) return input;
  if (unit.what == Recompute::Alternate) {
    const Rate outputs = input + outputs_kept(unit.operators, use, split);
    return {std::min(kept.per_token, outputs.per_token), std::min(kept.per_pair, outputs.per_pair)};
  }
  if (unit.modules.any())
    for (const Operator& op : unit.operators) kept -= split.made_again(op, unit.modules, use.gradients);
  return unit.what == Recompute::Selective ? Rate{kept.per_token, Bytes()} : kept;
}

// The part of stored() that the host keeps.
SlabMemory::Rate SlabMemory::offloaded(const Recomputed& unit, const SlabUse& use, const Split& split) const {
  if (!use.offload.any() || !use.gradients.any()) return {};
  if (use.offload.what() != OffloadWhat::Some) return stored(unit, use, split);
  Rate moved;
  bool mixed = false;
  for (const Operator& op : unit.operators) {
    const Bytes kept = use.gradients.weight && !op.frozen ? op.kept.for_backward : op.kept.for_input_gradient;
    const double share = offloaded_share(op, use.offload, mixed, kept);
    const Rate left = split.kept(op, use.gradients) - split.made_again(op, unit.modules, use.gradients);
    if (share > 0) moved.per_token += left.per_token * share;
    mixed = mixed || mixes_tokens(op);
  }
  return moved;
}

// Whole layers are made again at once, modules one after the other. All that a module makes from its input is
// held together; what it makes for the operator behind it is held alone.
SlabMemory::Rate SlabMemory::made_again_at_once(const Recomputed& unit, const SlabUse& use,
                                                const Split& split) const {
  Rate most = {}, together = {};
  for (const Operator& op : unit.operators) {
    const Rate own = split.made_again(op, unit.modules, use.gradients);
    together = split.goes_on(op, unit.modules) ? together + own : own;
    most.per_token = std::max(most.per_token, together.per_token);
    most.per_pair = std::max(most.per_pair, together.per_pair);
  }
  return most;
}

// Walks one layer's operators, forward and backward. `before`: bytes held when the forward starts and when
// the backward ends, in addition to activations_.
void SlabMemory::walk(const Recomputed& unit, const SlabUse& use, const Split& split, const Rate& before) {
  const Rate along_residuals = {kElement * (split.outside * use.width), Bytes()};
  const bool keeps_little = unit.what == Recompute::Full || unit.what == Recompute::Alternate;
  const Rate stored_input = keeps_little ? before + stored(unit, use, split) : before;
  Rate held = before, again = {};
  for (const Operator& op : unit.operators) {
    forward_.add((keeps_little ? stored_input : held) + split.passing(op, op.forward_live));
    if (!use.gradients.any()) continue;
    const Rate own = split.made_again(op, unit.modules, use.gradients);
    again = split.goes_on(op, unit.modules) ? again + own : own;
    held += split.kept(op, use.gradients) - own;
    backward_.add(held + again + split.passing(op, op.gradient_live) + along_residuals);
  }
}

SlabMemory::SlabMemory(std::span<const Layer> layers, const SlabUse& use, const Parallelism& parallelism) {
  const Split split(use.unit, parallelism);
  const std::vector<Recomputed> units = units_of(layers, use.recompute);
  std::vector<Rate> moved(units.size());  // the last layer, and the ends behind it, stay
  for (std::size_t i = 0; i + 2 < units.size(); ++i) moved[i] = offloaded(units[i], use, split);
  for (const Rate& one : moved) offloaded_ += one;
  activations_ -= offloaded_;
  for (const Recomputed& unit : units) {
    const Rate kept = stored(unit, use, split);
    activations_ += kept;
    for (const Operator& op : unit.operators) of_weights_ += op.kept_of_weights * split.of(op.share);
    recomputed_.add(unit.modules.any() ? made_again_at_once(unit, use, split)
                                       : kept_in_full(unit.operators, use, split) - kept);
    if (!use.gradients.weight) continue;
    for (const Operator& op : unit.operators)
      if (!op.frozen) for_weight_gradient_ += split.kept(op, &KeptPerToken::between_gradients);
  }
  Rate before = Rate{} - activations_;
  for (std::size_t i = 0; i + 1 < units.size(); ++i) one_layer_.add(stored(units[i], use, split) - moved[i]);
  for (std::size_t i = 0; i < units.size(); ++i) {
    walk(units[i], use, split, i > 0 ? before + moved[i - 1] : before);
    before += stored(units[i], use, split) - moved[i];
  }
  if (parallelism.data >= DataParallel::Zero2) unshare(layers, use, parallelism);
}

void SlabMemory::unshare(std::span<const Layer> layers, const SlabUse& use, const Parallelism& parallelism) {
  Bytes previous;
  for (const Layer& layer : layers) {
    const LayerCost cost = cost_of(layer);
    const double parameters =
        dense_on_device(cost, use.unit, parallelism) + experts_on_device(cost, parallelism);
    const Bytes weights = kElement * parameters;
    if (parallelism.data == DataParallel::Zero3 && parallelism.reshard_after_forward)
      gathered_parameters_ = std::max(gathered_parameters_, previous + weights);
    const LayerCost trained = cost.trained();
    const double with_gradients =
        dense_on_device(trained, use.unit, parallelism) + experts_on_device(trained, parallelism);
    if (use.gradients.weight && !use.keeps_gradients)
      whole_gradients_ = std::max(whole_gradients_, use.gradient_buffer * with_gradients);
    previous = weights;
  }
}

Held SlabMemory::operator()(DeviceLoad load) const {
  Held held;
  held.activations = activations_.of(load) + of_weights_;
  held.of_other_layers = std::max(Bytes(), activations_.of(load) - one_layer_.of(load));
  held.for_weight_gradient = for_weight_gradient_ * load.tokens;
  held.recomputed = recomputed_.of(load);
  held.forward_workspace = forward_.of(load) + gathered_parameters_;
  held.backward_workspace = std::max(Bytes(), backward_.of(load) - held.recomputed);
  held.backward_workspace += gathered_parameters_ + whole_gradients_;
  return held;
}

}  // namespace spillway
