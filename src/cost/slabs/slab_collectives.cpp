#include "cost/slabs/slab_collectives.h"

#include <algorithm>

#include "base/error.h"
#include "cost/layers/conventions.h"
#include "cost/network/expert_routing.h"
#include "cost/slabs/slab_footprint.h"

namespace spillway {
namespace {

class Uses {
 public:
  Uses(std::span<const Layer> layers, std::uint32_t width, Gradients gradients,
       const SlabPlacement& placement, const Recomputation& recomputation)
      : layers_(layers),
        gradients_(gradients),
        at_(placement),
        recomputation_(recomputation),
        sequence_(kElement * width) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Layer& layer = layers[i];
      gathers_ += layer.all_gathers;
      scatters_ += layer.reduce_scatters;
      gathered_ += as_bf16(layer.all_gathers, layer.end_all_gathers, layer);
      gathered_gradients_ += as_bf16(layer.reduce_scatters, layer.end_reduce_scatters, layer);
      exchanges_ += layer.all_to_alls;
      exchanged_ += layer.all_to_alls * layer.exchanged_size;
      if (layer.routing.experts > 0) routing_ = layer.routing;
      const RepeatedCollectives again = repeated_collectives(layer, recomputation, i);
      again_.all_gathers += again.all_gathers;
      again_.reduce_scatters += again.reduce_scatters;
      again_.all_to_alls += again.all_to_alls;
      if (recomputation.of(i) == Recompute::Full) whole_again_ += 1;
    }
  }

  std::vector<SlabCollectiveUse> run() && {
    tensor();
    context();
    expert();
    sharded_states();
    return std::move(uses_);
  }

 private:
  using Groups = std::vector<DeviceGroup>;

  // All-gathers of a layer in units of one in BF16. Those at an end of the model gather BF16.
  static double as_bf16(double all, double at_end, const Layer& layer) {
    return at_end + (all - at_end) * layer.gathered_size;
  }

  void add(Among among, Pass pass, Hides under, CollectiveOperation operation, const Groups& groups,
           Bytes per_token, Bytes fixed, double times, double again = 0) {
    add(among, pass, under, hidden_share(among), operation, groups, per_token, fixed, times, again);
  }

  void add(Among among, Pass pass, Hides under, double hidden, CollectiveOperation operation,
           const Groups& groups, Bytes per_token, Bytes fixed, double times, double again) {
    add({among,
         pass,
         under,
         hidden,
         beside_share(among),
         operation,
         groups,
         std::vector<double>(groups.size(), 1.0),
         {},
         per_token,
         fixed,
         times,
         times > 0 ? again / times : 0});
  }

  double hidden_share(Among among) const {
    if (among == Among::Tensor) return at_.framework->hidden_tensor.value;
    return among == Among::Data ? at_.framework->hidden_data.value : 1;
  }

  double beside_share(Among among) const {
    return among == Among::Tensor ? 0 : at_.framework->hidden_fused.value;
  }

  void add(SlabCollectiveUse use) {
    if (use.groups.empty() || use.times == 0) return;
    if (use.pass == Pass::InputGradient && !gradients_.input) return;
    if (use.pass == Pass::WeightGradient && !gradients_.weight) return;
    for (const DeviceGroup& group : use.groups)
      use.durations.push_back(at_.timed ? at_.timed->of(use.operation, group, use.carrier)
                                        : collective_time(*at_.platform, use.operation, group, use.carrier));
    uses_.push_back(std::move(use));
  }

  void tensor() {
    const Groups groups = adjacent_groups(*at_.platform, at_.grid, at_.rank, at_.parallelism.tensor);
    const auto use = [&](Pass pass, Hides under, CollectiveOperation operation, double times,
                         double size = 1) {
      if (at_.parallelism.tensor_overlap == TensorOverlap::None) under = Hides::Nothing;
      add(Among::Tensor, pass, under, operation, groups, size * sequence_, Bytes(), times);
    };
    // A product waits for the collective, or the collective for a product.
    const Framework& framework = *at_.framework;
    const double in_chunks = framework.hidden_chunks.value_or(framework.hidden_tensor).value;
    const bool chunked = at_.parallelism.tensor_overlap == TensorOverlap::All;
    const auto chain = [&](Pass pass, CollectiveOperation operation, double times, double again = 0,
                           double size = 1) {
      add(Among::Tensor, pass, chunked ? Hides::Pass : Hides::Nothing, in_chunks, operation, groups,
          size * sequence_, Bytes(), times, again);
    };
    const double input = gathers_ > 0 ? gathered_ / gathers_ : 1,
                 gradient = scatters_ > 0 ? gathered_gradients_ / scatters_ : 1;
    if (!at_.parallelism.sequence_parallel) {
      chain(Pass::Forward, CollectiveOperation::AllReduce, scatters_, again_.reduce_scatters);
      use(Pass::InputGradient, Hides::WeightGradient, CollectiveOperation::AllReduce, gathers_);
      return;
    }
    chain(Pass::Forward, CollectiveOperation::AllGather, gathers_, again_.all_gathers, input);
    chain(Pass::Forward, CollectiveOperation::ReduceScatter, scatters_, again_.reduce_scatters);
    chain(Pass::InputGradient, CollectiveOperation::AllGather, scatters_, 0, gradient);
    use(Pass::InputGradient, Hides::WeightGradient, CollectiveOperation::ReduceScatter, gathers_);
    if (gradients_.weight)
      use(Pass::InputGradient, Hides::Pass, CollectiveOperation::AllGather, gathers_, input);
  }

  void context() {
    if (at_.parallelism.context_by == ContextBy::Ring) return ring();
    for (std::size_t i = 0; i < layers_.size(); ++i)
      for (const Operator& op : layers_[i].operators)
        if (op.kind == OperatorKind::Attention)
          tokens_for_heads(op.heads, recomputation_.of(i) == Recompute::Full ? 1 : 0);
  }

  // Exchanges queries, keys and values together, then outputs; the gradients of all of them return. `again`:
  // forwards that the backward repeats.
  void tokens_for_heads(const AttentionHeads& heads, double again) {
    const Groups groups = context_groups(*at_.platform, at_.grid, at_.rank, at_.parallelism);
    const double inputs = static_cast<double>(heads.query * heads.key_width +
                                              heads.key_value * (heads.key_width + heads.value_width));
    const double outputs = static_cast<double>(heads.query * heads.value_width);
    for (const Pass pass : {Pass::Forward, Pass::InputGradient})
      for (const double elements : {inputs, outputs})
        add(Among::Context, pass, Hides::Nothing, CollectiveOperation::AllToAll, groups,
            kElement * (elements / at_.parallelism.tensor), Bytes(), 1, pass == Pass::Forward ? again : 0);
  }

  // In every layer the keys and values of a chunk go round the ring; in the backward their gradients go with
  // them.
  void ring() {
    const Groups groups = context_neighbours(*at_.platform, at_.grid, at_.rank, at_.parallelism);
    Bytes keys_and_values;
    double attentions = 0;
    for (const Layer& layer : layers_) {
      for (const Operator& op : layer.operators) {
        if (op.kind != OperatorKind::Attention) continue;
        const double heads = std::max(1.0, static_cast<double>(op.heads.key_value) / at_.parallelism.tensor);
        keys_and_values +=
            kElement * (heads * static_cast<double>(op.heads.key_width + op.heads.value_width));
        attentions += 1;
      }
    }
    if (attentions == 0) return;
    const double hops = attentions * (at_.parallelism.context - 1);
    const auto send = [&](Pass pass, double times) {
      add(Among::Context, pass, Hides::Attention, CollectiveOperation::SendRecv, groups,
          keys_and_values / attentions, Bytes(), times);
    };
    send(Pass::Forward, hops);
    send(Pass::InputGradient, 2 * hops);
  }

  void expert() {
    if (exchanges_ == 0) return;
    const Parallelism& p = at_.parallelism;
    if (p.dispatch == ExpertDispatch::AllGather) return gather_and_scatter(p.expert_devices(), 1);
    exchange();
    gather_and_scatter(p.expert_tensor, routing_.chosen * p.expert_imbalance);
  }

  // Returns what is sent of a token.
  Bytes exchanged() const { return sequence_ * (exchanged_ / exchanges_); }

  // Neighbours, each with `copies` of its tokens, gather their tokens before the experts and scatter the sums
  // after them.
  void gather_and_scatter(std::uint32_t devices, double copies) {
    const Groups groups = adjacent_groups(*at_.platform, at_.grid, at_.rank, devices);
    const Bytes per_token = exchanged() * (copies * devices / at_.parallelism.tensor);
    for (const Pass pass : {Pass::Forward, Pass::InputGradient})
      for (const auto operation : {CollectiveOperation::AllGather, CollectiveOperation::ReduceScatter})
        add(Among::Expert, pass, Hides::Nothing, operation, groups, per_token, Bytes(), exchanges_ / 2,
            pass == Pass::Forward ? again_.all_to_alls / 2 : 0);
  }

  void exchange() {
    const Parallelism& p = at_.parallelism;
    SlabCollectiveUse use{Among::Expert,
                          Pass::Forward,
                          Hides::Nothing,
                          1,
                          beside_share(Among::Expert),
                          CollectiveOperation::AllToAll,
                          {},
                          {},
                          {},
                          {},
                          {},
                          exchanges_ / 2};
    if (p.expert == 1) return;
    for (const DeviceGroup& all : adjacent_groups(*at_.platform, at_.grid, at_.rank, p.expert_devices())) {
      const DeviceGroup group{all.first, p.expert, p.expert_tensor};
      for (const ExchangeLevel& level : exchange_levels(*at_.platform, group, p.dispatch, routing_)) {
        use.groups.push_back(level.group);
        use.shares.push_back(level.copies);
      }
    }
    const double tokens = p.expert_imbalance / p.tensor;
    for (const Pass pass : {Pass::Forward, Pass::InputGradient}) {
      for (const bool dispatch : {true, false}) {
        use.pass = pass;
        use.repeated = pass == Pass::Forward ? again_.all_to_alls / exchanges_ : 0;
        use.per_token = (dispatch && p.fp8_dispatch ? kFp8Element / kElement : 1.0) * exchanged() * tokens;
        use.carrier = carrier(dispatch);
        add(use);
      }
    }
  }

  Carrier carrier(bool dispatch) const {
    if (at_.parallelism.dispatch != ExpertDispatch::PerNode) return Carrier::Library;
    if (!dispatch) return Carrier::Combine;
    return at_.parallelism.fp8_dispatch ? Carrier::Fp8Dispatch : Carrier::Dispatch;
  }

  void sharded_states() {
    const Parallelism& p = at_.parallelism;
    if (p.data != DataParallel::Zero2 && p.data != DataParallel::Zero3) return;
    const LayerCost cost = cost_of(layers_), trained = cost.trained();
    states(p.tensor, dense_on_device(cost, LoadUnit::Token, p), dense_on_device(trained, LoadUnit::Token, p));
    states(p.expert_devices(), experts_on_device(cost, p), experts_on_device(trained, p));
  }

  // The devices with the same parameters, `stride` apart, that share them out.
  Groups sharers(std::uint32_t stride) const {
    const Parallelism& p = at_.parallelism;
    if (p.shard_degree == 0) return strided_groups(*at_.platform, at_.grid, at_.rank, stride);
    return blocked_groups(*at_.platform, at_.grid, at_.rank, stride, p.shard_degree * p.tensor);
  }

  // Each layer's gradients are scattered, and each share is summed over the other groups of sharers.
  void reduce(const Groups& groups, Bytes gradient, double times) {
    const Parallelism& p = at_.parallelism;
    const bool waits = at_.framework->sharding.wait() == LayerWait::Device;
    const double hidden = hidden_share(Among::Data) * (waits ? 1 - whole_again_ / times : 1);
    add(Among::Data, Pass::WeightGradient, Hides::Pass, hidden, CollectiveOperation::ReduceScatter, groups,
        Bytes(), gradient, times, 0);
    if (p.shard_degree == 0) return;
    const double shares = groups.empty() ? 1 : groups.front().device_count();
    add(Among::Data, Pass::WeightGradient, Hides::Pass, hidden, CollectiveOperation::AllReduce,
        strided_groups(*at_.platform, at_.grid, at_.rank, p.shard_degree * p.tensor), Bytes(),
        gradient / shares, times, 0);
  }

  void states(std::uint32_t stride, double parameters, double trained) {
    if (parameters == 0) return;
    const Groups groups = sharers(stride);
    const bool waits = at_.framework->sharding.wait() == LayerWait::Device;
    const double times = static_cast<double>(layers_.size());
    const Bytes weights = kElement * (parameters / times),
                gradient = at_.framework->gradient.value * (trained / times);
    if (at_.parallelism.data == DataParallel::Zero3) {
      const bool again = at_.parallelism.reshard_after_forward;
      add(Among::Data, Pass::Forward, waits ? Hides::AfterIssue : Hides::Pass, CollectiveOperation::AllGather,
          groups, Bytes(), weights, times, again ? whole_again_ : 0);
      if (again)
        add(Among::Data, Pass::InputGradient, waits && whole_again_ > 0 ? Hides::AfterIssue : Hides::Pass,
            CollectiveOperation::AllGather, groups, Bytes(), weights, times);
    }
    if (trained > 0 && !at_.framework->sharding.reduces_once()) reduce(groups, gradient, times);
  }

  std::span<const Layer> layers_;
  Gradients gradients_;
  const SlabPlacement& at_;
  const Recomputation& recomputation_;
  Bytes sequence_;  // what passes between two layers, per token
  double gathers_ = 0;
  double scatters_ = 0;
  double gathered_ = 0;            // gathers_ in units of one in BF16
  double gathered_gradients_ = 0;  // those of a backward, behind scatters_
  double exchanges_ = 0;
  double exchanged_ = 0;  // in units of a whole token
  RepeatedCollectives again_;
  double whole_again_ = 0;  // number of layers
  ExpertRouting routing_;
  std::vector<SlabCollectiveUse> uses_;
};

CollectiveTimes& times_of(SlabCommunication& slab, Pass pass) {
  switch (pass) {
    case Pass::Forward:
      return slab.forward;
    case Pass::InputGradient:
      return slab.input_gradient;
    case Pass::WeightGradient:
      return slab.weight_gradient;
    case Pass::Backward:
      break;
  }
  throw ContractBreach("a slab's collectives belong to one gradient");
}

}  // namespace

std::size_t SlabCollectiveUse::slowest_group(double tokens) const {
  std::size_t slowest = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const Seconds time = durations[i](bytes_in(i, tokens)).time;
    if (time > durations[slowest](bytes_in(slowest, tokens)).time) slowest = i;
  }
  return slowest;
}

CollectiveEstimate SlabCollectiveUse::slowest(double tokens) const {
  const std::size_t group = slowest_group(tokens);
  return durations[group](bytes_in(group, tokens));
}

std::vector<SlabCollectiveUse> slab_collectives(std::span<const Layer> layers, std::uint32_t width,
                                                Gradients gradients, const SlabPlacement& placement,
                                                const Recomputation& recomputation) {
  return Uses(layers, width, gradients, placement, recomputation).run();
}

SlabCommunication slab_communication(std::span<const SlabCollectiveUse> uses, double tokens) {
  SlabCommunication slab;
  for (const SlabCollectiveUse& use : uses) {
    const Seconds time = use.slowest(tokens).time * use.times;
    const Seconds hidden = use.under == Hides::Nothing ? Seconds() : time * use.hidden;
    CollectiveTimes& pass = times_of(slab, use.pass);
    pass.exposed += time - hidden;
    if (use.among == Among::Tensor) pass.exposed_tensor += time - hidden;
    slab.repeated.exposed += (time - hidden) * use.repeated;
    if (use.among == Among::Tensor) slab.repeated.exposed_tensor += (time - hidden) * use.repeated;
    switch (use.under) {
      case Hides::Nothing:
        break;
      case Hides::Attention:
        pass.under_attention += hidden;
        break;
      case Hides::Pass:
        pass.under_pass += hidden;
        break;
      case Hides::AfterIssue:
        pass.after_issue += hidden;
        break;
      case Hides::WeightGradient:
        slab.input_reduction += hidden;
        break;
    }
  }
  return slab;
}

}  // namespace spillway
