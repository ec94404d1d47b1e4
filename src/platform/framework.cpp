#include "platform/framework.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "platform/figure_checks.h"
#include "platform/framework_figures.h"

namespace spillway {
namespace {

constexpr double kMostWaits = 1000;
constexpr double kMostChunks = 65536;
constexpr Allowed kWholeShare{true, 1, "a number from 0 to 1"};
constexpr std::array<std::string_view, 15> kComputing = {
    "gemm",         "grouped_gemm", "attention",  "scan",           "qkv",
    "kv",           "mlp up",       "router",     "expert up",      "expert down",
    "adapter down", "adapter up",   "delta rule", "decay and step", "logits"};
constexpr std::array<std::string_view, 30> kOfMemory = {"memory",
                                                        "norm",
                                                        "head norms",
                                                        "gated norm",
                                                        "modulated norm",
                                                        "rotary",
                                                        "rotary and join",
                                                        "positions",
                                                        "residual",
                                                        "activation",
                                                        "swiglu",
                                                        "expert swiglu",
                                                        "output gate",
                                                        "gate",
                                                        "shared gating",
                                                        "modulation activation",
                                                        "timestep activation",
                                                        "merger activation",
                                                        "convolution",
                                                        "pooling",
                                                        "softmax",
                                                        "ring merge",
                                                        "embedding",
                                                        "loss",
                                                        "dispatch",
                                                        "combine",
                                                        "sort by expert",
                                                        "adapter dropout",
                                                        "adapter scale",
                                                        "adapter sum"};

void check_count(const std::string& pointer, const std::optional<Sourced<double>>& count,
                 Findings& findings) {
  if (count) check_figure(pointer, *count, 1.0, findings);
}

// The number must be whole, because the host waits between kernels.
void check_waits(const std::string& pointer, const std::optional<Sourced<double>>& waits,
                 Findings& findings) {
  if (!waits) return;
  const double value = waits->value;
  if (!(value >= 0 && value <= kMostWaits) || value != std::floor(value))
    findings.add(pointer + "/value", "a whole number from 0 to 1000", shortest(value));
  check_source(pointer, waits->source, findings);
}

void check_host(const std::string& pointer, const std::optional<Sourced<Seconds>>& time, Findings& findings) {
  if (time) check_figure(pointer, *time, microseconds(1), findings, kFromZero);
}

void check_operators(const std::string& at, const Framework::Operators& operators, Findings& findings) {
  for (const auto& [name, execution] : operators) {
    const std::string pointer = at + name + "/";
    check_count(pointer + "forward_kernels", execution.forward_kernels, findings);
    check_count(pointer + "input_gradient_kernels", execution.input_gradient_kernels, findings);
    check_count(pointer + "weight_gradient_kernels", execution.weight_gradient_kernels, findings);
    check_count(pointer + "traffic", execution.traffic, findings);
    check_count(pointer + "gradient_traffic", execution.gradient_traffic, findings);
    check_count(pointer + "live", execution.live, findings);
    check_count(pointer + "gradient_live", execution.gradient_live, findings);
    check_waits(pointer + "waits", execution.waits, findings);
    check_host(pointer + "forward_host_us", execution.forward_host, findings);
    check_host(pointer + "gradient_host_us", execution.gradient_host, findings);
    if (execution.gradient_sum)
      check_figure(pointer + "gradient_sum_bytes", *execution.gradient_sum, Bytes(1), findings);
  }
}

// Returns true if an operator states something that only two clocks know.
bool states_host(const Framework::Operators& operators) {
  return std::ranges::any_of(operators, [](const auto& one) {
    return one.second.waits || one.second.forward_host || one.second.gradient_host;
  });
}

void check_chunked_loss(const Framework& framework, Findings& findings) {
  if (!framework.chunked_loss) return;
  check_source("/chunked_loss", framework.chunked_loss->source, findings);
  const auto& chunks = framework.chunked_loss->chunks;
  if (!chunks) return;
  if (!(chunks->value >= 1 && chunks->value <= kMostChunks) || chunks->value != std::floor(chunks->value))
    findings.add("/chunked_loss/chunks/value", "a whole number from 1 to 65536", shortest(chunks->value));
  check_source("/chunked_loss/chunks", chunks->source, findings);
}

// Reports statements that would change nothing.
void check_idle(const Framework& framework, Findings& findings) {
  const auto forbid = [&](bool stated, const char* pointer, const char* without) {
    if (stated) findings.add(pointer, "no such key without " + std::string(without), "this key");
  };
  if (!framework.launch) {
    forbid(is_stated(framework.stage_kernels), "/stage_kernels", "launch_us");
    forbid(is_stated(framework.collective), "/collective_us", "launch_us");
    constexpr const char* kNeeded = "launch_us, which waits and host times need";
    forbid(states_host(framework.operators), "/operators", kNeeded);
    forbid(states_host(framework.encoder_operators), "/encoder_operators", kNeeded);
    forbid(framework.graphs.has_value(), "/graphs", "launch_us");
    forbid(framework.kernels_per_expert, "/kernels_per_expert", "launch_us");
    forbid(framework.sharding.wait() != LayerWait::None, "/sharding/synchronizes", "launch_us");
    forbid(is_stated(framework.sharding.layer), "/sharding/layer_us", "launch_us");
  }
  const auto& reductions = framework.reductions;
  if (reductions &&
      (reductions->value == ReductionStart::AfterBackward || reductions->value == ReductionStart::ByStage))
    forbid(is_stated(framework.hidden_gradients), "/hidden/gradients",
           "step_end/reductions \"aligned\" or \"by-bucket\"");
  if (!framework.graphs) forbid(is_stated(framework.graph_launch), "/graph_launch_us", "graphs");
  if (!is_stated(framework.hidden_gradients))
    forbid(is_stated(framework.gradient_bucket), "/gradient_bucket_mb", "hidden/gradients");
}

// A graph of the whole step holds no point where the host waits or runs hooks.
void check_sharding(const Framework& framework, Findings& findings) {
  const Sharding& sharding = framework.sharding;
  if (sharding.weights) check_source("/sharding/weights", sharding.weights->source, findings);
  if (sharding.reduces) check_source("/sharding/reduces", sharding.reduces->source, findings);
  if (sharding.waits) check_source("/sharding/synchronizes", sharding.waits->source, findings);
  if (!framework.graphs || !framework.graphs->value.whole_step()) return;
  const auto forbid = [&](bool stated, const char* pointer) {
    if (stated) findings.add(pointer, "no such key with graphs over the step", "this key");
  };
  forbid(sharding.wait() != LayerWait::None, "/sharding/synchronizes");
  forbid(is_stated(sharding.layer), "/sharding/layer_us");
}

// A message between ranks is part of a graph of the whole step.
void check_graphs(const Framework& framework, Findings& findings) {
  if (!framework.graphs) return;
  const GraphCover cover = framework.graphs->value;
  check_source("/graphs", framework.graphs->source, findings);
  if (cover.has(GraphPart::Preprocess) && !cover.has(GraphPart::Router))
    findings.add("/graphs/covers", "moe_router, which moe_preprocess needs", words(cover));
  if (cover.has(GraphPart::Router) && cover.has(GraphPart::Mixture))
    findings.add("/graphs/covers", "either moe or moe_router", words(cover));
  if (cover.whole_step() && is_stated(framework.message))
    findings.add("/message_us", "no such key with graphs over the step, which hold its messages", "this key");
}

void check_statements(const Framework& framework, Findings& findings) {
  if (framework.models) check_source("/models", framework.models->source, findings);
  if (framework.stages) check_source("/stages", framework.stages->source, findings);
  if (framework.dispatch) check_source("/dispatch", framework.dispatch->source, findings);
}

void check_attention(const Framework& framework, const Accelerator& accelerator, Findings& findings) {
  if (!framework.attention) return;
  check_source("/attention", framework.attention->source, findings);
  if (attention_kernel(framework, accelerator) || framework.own_attention_otherwise) return;
  std::string known;
  for (const AttentionKernel& kernel : accelerator.attention_kernels) add_to_list(known, kernel.name);
  findings.add("/attention/kernel",
               (known.empty() ? "no attention kernel: " + accelerator.name + " states none"
                              : "one of the attention kernels of " + accelerator.name + ": " + known) +
                   ", or \"otherwise\": \"accelerator\" beside it",
               '"' + framework.attention->value + '"');
}

// Checks the numbers of a list (framework_figures.h).
class FigureCheck {
 public:
  explicit FigureCheck(Findings& findings) : findings_(findings) {}

  template <class Value>
  void operator()(const FigureForm<Value>& form, const Sourced<Value>& figure) const {
    const std::string pointer = "/" + std::string(form.key);
    if (form.range != FigureRange::TwoOrFour)
      return check_figure(pointer, figure, form.unit, findings_,
                          form.range == FigureRange::Share ? kWholeShare : kFromZero);
    const double value = figure.value / form.unit;
    if (value != 2 && value != 4) findings_.add(pointer + "/value", "2 or 4", shortest(value));
    check_source(pointer, figure.source, findings_);
  }
  template <class Value>
  void operator()(const FigureForm<Value>& form, const std::optional<Sourced<Value>>& figure) const {
    if (figure) (*this)(form, *figure);
  }

 private:
  Findings& findings_;
};

}  // namespace

bool is_bound_by_memory(std::string_view name) {
  return std::ranges::find(kOfMemory, name) != kOfMemory.end();
}

bool is_scan(std::string_view name) {
  return name == "scan" || name == "delta rule";
}

bool is_operator_name(std::string_view name) {
  return is_bound_by_memory(name) || std::ranges::find(kComputing, name) != kComputing.end();
}

std::string words(GraphCover cover) {
  for (const auto& [word, known] : kGraphWords)
    if (known == cover) return std::string(word);
  std::string parts;
  for (const auto& [word, part] : kGraphParts)
    if (cover.has(part)) add_to_list(parts, std::string(word));
  return parts;
}

std::string operator_names() {
  return joined(kComputing) + ", " + joined(kOfMemory);
}

const AttentionKernel* attention_kernel(const Framework& framework, const Accelerator& accelerator) {
  if (!framework.attention) return nullptr;
  const auto& kernels = accelerator.attention_kernels;
  const auto kernel = std::ranges::find(kernels, framework.attention->value, &AttentionKernel::name);
  return kernel == kernels.end() ? nullptr : &*kernel;
}

bool takes_own_attention(const Framework& framework, const Accelerator& accelerator) {
  return framework.attention && !attention_kernel(framework, accelerator);
}

std::vector<Violation> check_framework(const Framework& framework, const Accelerator& accelerator) {
  Findings findings;
  each_host_time(framework, FigureCheck(findings));
  check_graphs(framework, findings);
  check_sharding(framework, findings);
  check_attention(framework, accelerator, findings);
  check_source("/attends_across_documents", framework.attends_across_documents.source, findings);
  check_source("/pads_to", framework.pads_to.source, findings);
  check_chunked_loss(framework, findings);
  each_other_figure(framework, FigureCheck(findings));
  if (framework.reductions) check_source("/step_end/reductions", framework.reductions->source, findings);
  if (framework.parameters) check_source("/step_end/parameters", framework.parameters->source, findings);
  check_statements(framework, findings);
  check_idle(framework, findings);
  check_operators("/operators/", framework.operators, findings);
  check_operators("/encoder_operators/", framework.encoder_operators, findings);
  return findings.listed();
}

}  // namespace spillway
