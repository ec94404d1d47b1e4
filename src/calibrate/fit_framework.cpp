#include "calibrate/fit_framework.h"

#include <algorithm>
#include <cstdio>

#include "calibrate/fit_host.h"
#include "cost/layers/conventions.h"
#include "traces/events/union_of_intervals.h"
#include "traces/samples/pass_kernels.h"

namespace spillway {
namespace {

constexpr std::string_view kLogits = "logits";

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", value);
  return digits;
}

std::string milliseconds_text(Seconds time) {
  return text(time.value() * 1e3) + " ms";
}

const PassSums* pass_of(std::span<const PassSums> passes, std::uint16_t rank, TraceKind kind) {
  const auto found = std::ranges::find_if(
      passes, [&](const PassSums& pass) { return pass.rank == rank && pass.kind == kind; });
  return found == passes.end() ? nullptr : &*found;
}

std::uint16_t last_rank(std::span<const PassSums> passes) {
  std::uint16_t last = 0;
  for (const PassSums& pass : passes) last = std::max(last, pass.rank);
  return last;
}

OperatorTraffic total(const LayerTraffic& layer) {
  OperatorTraffic all{"memory"};
  for (const OperatorTraffic& op : layer) {
    all.operators += op.operators;
    all.forward += op.forward;
    all.gradient += op.gradient;
  }
  return all;
}

// The operator's kernels in whole layers, or nothing if they cannot be told from others.
const KernelSum* kernels_of(const OperatorTraffic& op, const LayerSums& layers) {
  if (op.name == "norm") return &layers.norm;
  if (op.name == "head norms") return &layers.head_norms;
  if (op.name == "rotary") return &layers.rotary;
  if (op.name == "residual") return &layers.residual;
  if (op.name == "swiglu" || op.name == "activation") return &layers.activation;
  return nullptr;
}

class FrameworkReading {
 public:
  FrameworkReading(const Accelerator& accelerator, const std::string& source, FrameworkFit& fit)
      : rate_(accelerator.memory_bandwidth.value * accelerator.efficiency.memory.value),
        latency_(accelerator.memory_latency.value),
        source_(source),
        fit_(fit) {}

  // Reads the kernels that are neither product nor attention and do not add gradients: on average, and
  // operator by operator in whole layers.
  void memory(const PassSums& pass, const LayerTraffic& layer) {
    moved(pass, total(layer), pass.rest, pass.attention.kernels);
    if (pass.layers.layers == 0)
      return undetermined("/operators", "no layer of two products around its attention and two behind");
    for (const OperatorTraffic& op : layer)
      if (const KernelSum* kernels = kernels_of(op, pass.layers))
        moved(pass, op, *kernels, pass.layers.layers);
  }

  // The largest sum is of a matrix that no cache holds, so it gives the value. The others give its interval.
  void sums(const PassSums& pass) {
    if (pass.sums.empty() || pass.products.kernels == 0)
      return undetermined("/operators/gemm/gradient_sum_bytes", "nothing adds gradients");
    std::vector<MeasuredSum> all = pass.sums;
    const double count = static_cast<double>(all.size());
    if (pass.embedded > 0) all.push_back({pass.embedded, pass.embedding_sum});
    const auto bytes = [&](const MeasuredSum& sum) { return sum.time * rate_ / Bytes(1) / sum.parameters; };
    double low = bytes(all.front()), high = low;
    for (const MeasuredSum& sum : all) low = std::min(low, bytes(sum)), high = std::max(high, bytes(sum));
    const MeasuredSum largest = *std::ranges::max_element(all, {}, &MeasuredSum::parameters);
    add("/operators/gemm/weight_gradient_kernels", 1 + 2 * count / pass.products.kernels,
        text(count) + " gradients are added beside " + text(pass.products.kernels) + " products");
    add("/operators/gemm/gradient_sum_bytes", bytes(largest),
        text(largest.parameters / 1e6) + " million parameters in " + milliseconds_text(largest.time), low,
        high);
  }

  void embedding(const PassSums& pass) {
    if (pass.embedded == 0) return undetermined("/operators/embedding", "no gradient of an embedding");
    add("/operators/embedding/weight_gradient_kernels", pass.embedding.kernels,
        "kernels of the gradient of an embedding");
    add("/operators/embedding/gradient_sum_bytes", pass.embedding.time * rate_ / Bytes(1) / pass.embedded,
        text(pass.embedded / 1e6) + " million parameters in " + milliseconds_text(pass.embedding.time));
  }

  // `first`: the same pass of a stage without a loss. `bytes`: moved by one kernel, per logit.
  void loss(const PassSums& last, const PassSums& first, double vocabulary, Bytes bytes, const char* kernels,
            const char* traffic) {
    const double logits = last.tokens * vocabulary;
    if (last.loss.kernels == 0 || logits == 0) return undetermined("/operators/loss", "no kernels on logits");
    add("/operators/loss/" + std::string(kernels), last.loss.kernels + last.rest.kernels - first.rest.kernels,
        "what the last stage launches beside products that the first does not");
    const Seconds once = bytes * logits / rate_;
    add("/operators/loss/" + std::string(traffic), last.loss.time / once,
        milliseconds_text(last.loss.time) + " for " + text(logits / 1e6) +
            " million logits, one kernel would take " + milliseconds_text(once));
  }

  void undetermined(const std::string& pointer, const std::string& why) {
    fit_.undetermined.push_back({pointer, why});
  }

 private:
  void moved(const PassSums& pass, const OperatorTraffic& of_layer, const KernelSum& kernels, double layers) {
    const bool forward = pass.kind == TraceKind::Forward;
    const std::string pointer = "/operators/" + of_layer.name + "/";
    const double operators = layers * of_layer.operators;
    const Seconds once = (forward ? of_layer.forward : of_layer.gradient) * (pass.tokens * layers) / rate_;
    add(pointer + (forward ? "forward_kernels" : "input_gradient_kernels"), kernels.kernels / operators,
        text(kernels.kernels) + " kernels for " + text(operators) + " operators");
    add(pointer + (forward ? "traffic" : "gradient_traffic"),
        (kernels.time - latency_ * kernels.kernels) / once,
        "they take " + milliseconds_text(kernels.time) + ", moving everything once would take " +
            milliseconds_text(once));
  }

  void add(const std::string& pointer, double value, const std::string& how, double low = 0,
           double high = 0) {
    if (!(value > 0)) return undetermined(pointer, "not above 0: " + how);
    fit_.figures.push_back({pointer, value, source_ + ": " + how, low, high});
  }

  BytesPerSecond rate_;
  Seconds latency_;
  const std::string& source_;
  FrameworkFit& fit_;
};

using Events = std::vector<TraceEvent>;

// Returns the passes of one device, by start, or its messages.
Events of_device(const Trace& trace, const TraceEvent& like, bool passes) {
  Events found;
  for (const TraceEvent& event : trace.events)
    if (event.step == like.step && event.replica == like.replica && event.rank == like.rank &&
        (passes ? is_compute(event.kind) : is_transfer(event.kind)))
      found.push_back(event);
  return found;
}

// Returns the gaps from the end of each pass to the start of the next, less the messages in them. Gaps
// without messages are left out.
std::vector<Seconds> lost_between_passes(const Trace& trace) {
  std::vector<Seconds> lost;
  for (const TraceEvent& pass : trace.events) {
    if (!is_compute(pass.kind)) continue;
    const Events passes = of_device(trace, pass, true);
    const auto next =
        std::ranges::find_if(passes, [&](const TraceEvent& other) { return other.start >= pass.end(); });
    if (next == passes.end()) continue;
    std::vector<Interval> messages;
    for (const TraceEvent& message : of_device(trace, pass, false))
      messages.push_back({message.start, message.end()});
    const Interval gap{pass.end(), next->start};
    const Seconds covering = covered(union_of(std::move(messages)), gap);
    if (covering > Seconds()) lost.push_back(gap.end - gap.start - covering);
  }
  return lost;
}

void fit_messages_of_hosts(const Trace& trace, double launch_us, const std::string& source,
                           FrameworkFit& fit) {
  const std::vector<Seconds> lost = lost_between_passes(trace);
  Seconds sum;
  for (const Seconds one : lost) sum += one;
  const double mean_us = lost.empty() ? 0 : sum.value() * 1e6 / static_cast<double>(lost.size());
  if (mean_us <= launch_us)
    return fit.undetermined.push_back({"/message_us", "no pass follows a message later than a launch"});
  fit.figures.push_back({"/message_us", mean_us - launch_us,
                         source + ": " + text(mean_us) +
                             " us between passes beside the message, on average of " +
                             std::to_string(lost.size()) + ", less a launch"});
}

}  // namespace

LayerTraffic layer_traffic(const LayerStack& stack) {
  LayerTraffic traffic;
  for (const Operator& op : stack.layers[stack.layers.size() / 2].operators) {
    if (op.kind != OperatorKind::Memory || op.traffic_per_token == Bytes()) continue;
    auto named = std::ranges::find(traffic, op.name, &OperatorTraffic::name);
    if (named == traffic.end()) named = traffic.insert(named, {std::string(op.name)});
    named->operators += 1;
    named->forward += op.traffic_per_token;
    named->gradient += op.traffic_per_token + op.kept.for_input_gradient;
  }
  return traffic;
}

double vocabulary_of(const LayerStack& stack) {
  for (const Operator& op : stack.layers.back().operators)
    if (op.name == kLogits) return static_cast<double>(op.n);
  return 0;
}

FrameworkFit fit_framework(std::span<const PassSums> passes, const LayerTraffic& layer, double vocabulary,
                           const Accelerator& accelerator, const std::string& source) {
  FrameworkFit fit;
  FrameworkReading reading(accelerator, source, fit);
  const std::uint16_t last = last_rank(passes);
  const PassSums *forward = pass_of(passes, 0, TraceKind::Forward),
                 *backward = pass_of(passes, 0, TraceKind::Backward);
  if (!forward || !backward || forward->attention.kernels == 0 || layer.empty()) {
    reading.undetermined("/operators", "no forward and backward of a first stage with attention");
    return fit;
  }
  reading.memory(*forward, layer);
  reading.memory(*backward, layer);
  reading.sums(*backward);
  reading.embedding(*backward);
  const PassSums *end = pass_of(passes, last, TraceKind::Forward),
                 *back = pass_of(passes, last, TraceKind::Backward);
  if (last == 0 || !end || !back) {
    reading.undetermined("/operators/loss", "no last stage apart from the first");
    return fit;
  }
  reading.loss(*end, *forward, vocabulary, 2 * kElement, "forward_kernels", "traffic");
  reading.loss(*back, *backward, vocabulary, 2 * kElement + kStatistic, "input_gradient_kernels",
               "gradient_traffic");
  return fit;
}

void fit_launches(const Trace& trace, const std::string& source, FrameworkFit& fit) {
  std::vector<IssuedPass> passes;
  for (const PassKernels& pass : pass_kernels(trace))
    passes.push_back({pass.span, pass.kernel_busy + pass.collective, pass.kernels});
  const Fits host = fit_host(passes, source);
  if (host.numbers.empty()) {
    for (const Undetermined& none : host.undetermined) fit.undetermined.push_back({"/launch_us", none.why});
    return;
  }
  const FittedNumber& launch = host.numbers.front();
  fit.figures.push_back({"/launch_us", launch.value,
                         source + ": span of passes bound by the host over their kernels", launch.low,
                         launch.high});
  fit_messages_of_hosts(trace, launch.value, source, fit);
}

}  // namespace spillway
