#include "cost/slabs/slab_time.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "cost/slabs/host_queue.h"

namespace spillway {
namespace {

// Time on the device, and the kernels that the host issues.
struct Issued {
  Seconds device;
  double kernels = 0;

  void add(const Estimate& estimate, double count, double kernels_each) {
    if (estimate.time == Seconds()) return;
    device += estimate.time * count;
    kernels += count * kernels_each;
  }
};

// Clears the fields that only say how often the operator is repeated.
Operator alone(Operator op) {
  op.inside = op.made_by = {};
  op.at_end = op.past_stop = false;
  return op;
}

// All operators of a slab, in no order.
struct SlabWork {
  Issued forward, input, once, weight;  // once: never computed again

  void add(const CountedOperator& counted, const OperatorPasses& one, Gradients gradients) {
    const auto& [op, count, again] = counted;
    forward.add(one.forward, count, op.kernels.forward);
    if (gradients.weight && !op.frozen) weight.add(one.weight_gradient, count, op.kernels.weight_gradient);
    if (!gradients.input) return;
    input.add(one.input_gradient, count, op.kernels.input_gradient);
    once.add(one.input_gradient, count, op.kernels.input_gradient);
    if (again > 0) input.add(one.forward, again, op.kernels.forward);
  }

  void set(SlabTimes& slab, Seconds launch) const {
    const auto time = [&](const Issued& work) { return std::max(work.device, work.kernels * launch); };
    slab.forward = time(forward);
    slab.input_gradient = time(input);
    slab.recomputed = slab.input_gradient - time(once);
    slab.weight_gradient = slab.weight_after_input = time(weight);
  }
};

// The work of one layer in a pass, as it is issued. Views the host.
class LayerQueue {
 public:
  explicit LayerQueue(const HostIssue& host) : host_(host) {}

  // Hooks around the layer.
  void add_hooks() {
    if (host_.layer > Seconds()) queue_ = queue_.then(HostQueue::of_kernels(1, Seconds(), host_.layer));
  }
  // The layer's forward begins when the host has waited for the device.
  void begin_forward() {
    if (host_.waits != LayerWait::None) queue_ = queue_.then(HostQueue::of_wait());
  }

  // `more`: the host's time beyond the launches, as stated.
  void add(double kernels, Seconds device, Seconds more) {
    issue_graph();
    queue_ = queue_.then(work(kernels, device, more));
  }
  // Splits the kernels into as many parts as there are waits; each part follows a wait.
  void add_waiting(std::uint32_t waits, double kernels, Seconds device, Seconds more) {
    issue_graph();
    const HostQueue part = HostQueue::of_wait().then(work(kernels / waits, device / waits, more / waits));
    queue_ = queue_.then(part.repeated(waits));
  }
  void add_captured(Seconds device) { graph_ += device; }
  const HostQueue& issued() {
    issue_graph();
    return queue_;
  }

 private:
  HostQueue work(double kernels, Seconds device, Seconds more) const {
    return HostQueue::of_kernels(kernels, device, host_.launch + more / (host_.speed * kernels));
  }
  void issue_graph() {
    if (graph_ == Seconds()) return;
    queue_ = queue_.then(HostQueue::of_kernels(1, graph_, host_.graph));
    graph_ = Seconds();
  }

  const HostIssue& host_;
  HostQueue queue_;
  Seconds graph_;  // of the operators since the last launch that a graph holds
};

// Operators in their order, on the two clocks. Views its arguments.
class SlabQueue {
 public:
  SlabQueue(const SlabOperators& operators, std::span<const OperatorPasses> passes, const HostIssue& host)
      : operators_(operators), passes_(passes), host_(host) {}

  void set(SlabTimes& slab, Gradients gradients) const {
    const Gradients input{.weight = false, .input = gradients.input},
        weight{.weight = gradients.weight, .input = false};
    slab.forward = forward();
    slab.input_gradient = backward(input, true);
    slab.recomputed = slab.input_gradient - backward(input, false);
    slab.weight_gradient = backward(weight, true);
    slab.weight_after_input = backward(gradients, true) - slab.input_gradient;
    if (host_.waits != LayerWait::Device) return;
    for (const LayerRun& run : operators_.runs) {
      const double layers = static_cast<double>(run.layers);
      slab.issued_forward += layer_forward(run).issued() * layers;
      slab.issued_backward += layer_backward(run, gradients, true).issued() * layers;
    }
  }

 private:
  Seconds forward() const {
    HostQueue pass;
    if (host_.before > 0) pass = HostQueue::of_kernels(host_.before, Seconds(), host_.launch);
    for (const LayerRun& run : operators_.runs) pass = pass.then(layer_forward(run).repeated(run.layers));
    return pass.span();
  }

  HostQueue layer_forward(const LayerRun& run) const {
    LayerQueue layer(host_);
    layer.add_hooks();
    layer.begin_forward();
    for (const std::size_t i : run.operators) add_forward(i, 1, layer);
    return layer.issued();
  }

  // Layers run from last to first. Each layer first recomputes, then computes its gradients from last to
  // first.
  Seconds backward(Gradients gradients, bool recomputes) const {
    HostQueue pass;
    for (const LayerRun& run : operators_.runs | std::views::reverse)
      pass = pass.then(layer_backward(run, gradients, recomputes).repeated(run.layers));
    return pass.span();
  }

  HostQueue layer_backward(const LayerRun& run, Gradients gradients, bool recomputes) const {
    LayerQueue layer(host_);
    if (gradients.any()) layer.add_hooks();
    if (gradients.input && recomputes) {
      if (run.whole_again) layer.begin_forward();
      for (std::size_t j = 0; j < run.operators.size(); ++j)
        add_forward(run.operators[j], run.repeated[j], layer);
    }
    for (const std::size_t i : run.operators | std::views::reverse) add_backward(i, gradients, layer);
    return layer.issued();
  }

  // The experts of a device, if each takes its kernels.
  double experts(const Operator& of) const {
    return of.kernels.per_expert ? std::max(1.0, of.groups / host_.experts) : 1;
  }

  const Operator& op(std::size_t i) const { return operators_.counted[i].op; }

  void add_forward(std::size_t i, double share, LayerQueue& layer) const {
    const Kernels& kernels = op(i).kernels;
    const Seconds device = passes_[i].forward.time * share;
    if (device == Seconds()) return;
    if (op(i).captured) return layer.add_captured(device);
    const double launched = kernels.forward * share * experts(op(i));
    const Seconds collectives = host_.collective * host_.collectives.forward(op(i));
    const Seconds more = (kernels.forward_host + collectives) * share;
    if (kernels.waits == 0) return layer.add(launched, device, more);
    layer.add_waiting(kernels.waits, launched, device, more);
  }

  // The host's time of both gradients comes with the first of them that is computed.
  void add_backward(std::size_t i, Gradients gradients, LayerQueue& layer) const {
    const Kernels& kernels = op(i).kernels;
    Seconds host = kernels.gradient_host;
    if (gradients.input) host += host_.collective * host_.collectives.gradients(op(i));
    const auto add = [&](Seconds device, double launched) {
      if (device == Seconds()) return;
      if (op(i).captured) return layer.add_captured(device);
      layer.add(launched * experts(op(i)), device, std::exchange(host, Seconds()));
    };
    if (gradients.input) add(passes_[i].input_gradient.time, kernels.input_gradient);
    if (gradients.weight && !op(i).frozen) add(passes_[i].weight_gradient.time, kernels.weight_gradient);
  }

  const SlabOperators& operators_;
  std::span<const OperatorPasses> passes_;
  const HostIssue& host_;
};

// Return the index of `op` in `counted`; adds it if it is missing.
std::size_t place(const Operator& op, std::vector<CountedOperator>& counted) {
  const auto same = std::ranges::find(counted, op, &CountedOperator::op);
  if (same != counted.end()) return static_cast<std::size_t>(same - counted.begin());
  counted.push_back({op, 0});
  return counted.size() - 1;
}

}  // namespace

SlabOperators slab_operators(std::span<const Layer> layers, const Recomputation& recomputation) {
  SlabOperators slab;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool equal = i > 0 && layers[i].operators == layers[i - 1].operators;
    if (!equal || !recomputation.alike(i, i - 1)) {
      std::vector<double> again;
      for (const Operator& op : layers[i].operators) again.push_back(repeated(op, recomputation, i));
      const bool whole = recomputation.of(i) == Recompute::Full;
      if (!equal || again != slab.runs.back().repeated || whole != slab.runs.back().whole_again) {
        LayerRun& run = slab.runs.emplace_back(LayerRun{{}, std::move(again), 0, whole});
        for (const Operator& op : layers[i].operators)
          run.operators.push_back(place(alone(op), slab.counted));
      }
    }
    LayerRun& run = slab.runs.back();
    run.layers += 1;
    for (std::size_t j = 0; j < run.operators.size(); ++j) {
      slab.counted[run.operators[j]].count += 1;
      slab.counted[run.operators[j]].repeated += run.repeated[j];
    }
  }
  return slab;
}

SlabTimes slab_times(const SlabOperators& operators, const Split& split, const SlabLoad& load,
                     const OperatorTimes& times, Gradients gradients, const HostIssue& host) {
  return SlabPricer(operators, split, times, gradients, host).of(load);
}

PassesUnderLoad::PassesUnderLoad(std::span<const CountedOperator> operators, const Split& split,
                                 const OperatorTimes& times, bool tokens_differ)
    : operators_(operators), split_(split), times_(times), passes_(operators.size()) {
  for (std::size_t i = 0; i < operators.size(); ++i)
    if (tokens_differ || reads_sequences(operators[i].op)) reading_.push_back(i);
}

void PassesUnderLoad::set_tokens(const SlabLoad& load) {
  if (load.tokens == tokens_) return;
  tokens_ = load.tokens;
  auto reading = reading_.begin();
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    if (reading != reading_.end() && *reading == i)
      ++reading;
    else
      passes_[i] = price(i, load);
  }
}

SlabTimes SlabPricer::of(const SlabLoad& load) {
  return of(load, [&](std::size_t j) { return passes_.price(passes_.reading()[j], load); });
}

SlabTimes SlabPricer::timed() const {
  SlabTimes slab;
  SlabWork work;
  for (std::size_t i = 0; i < operators_.counted.size(); ++i)
    work.add(operators_.counted[i], passes_.passes()[i], gradients_);
  if (host_.in_order)
    SlabQueue(operators_, passes_.passes(), host_).set(slab, gradients_);
  else
    work.set(slab, host_.launch);
  for (const std::size_t i : passes_.reading()) {
    const auto& [op, count, again] = operators_.counted[i];
    if (op.kind != OperatorKind::Attention) continue;
    slab.attention_forward += passes_.passes()[i].forward.time * count;
    slab.attention_backward += passes_.passes()[i].input_gradient.time * count;
  }
  slab.attention_forward += slab.forward - work.forward.device;
  slab.attention_backward += slab.input_gradient - work.input.device;
  return slab;
}

}  // namespace spillway
