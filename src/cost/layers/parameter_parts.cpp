#include "cost/layers/parameter_parts.h"

#include <algorithm>
#include <array>

#include "cost/layers/adapters.h"

namespace spillway {
namespace {

enum Part : std::size_t {
  Embedding,
  Positions,
  Attention,
  FeedForward,
  Router,
  RoutedExperts,
  SharedExperts,
  Norms,
  Prediction,
  Merger,
  Head,
  OfAdapters,
  Rest
};
constexpr std::array<std::string_view, Rest + 1> kNames = {
    "embedding", "positions",  "attention", "feed-forward", "router",   "routed experts",   "shared experts",
    "norms",     "prediction", "projector", "head",         "adapters", "biases and scales"};

// Finds the part by the operators' names, as layer.cpp and its neighbours give them.
Part part_of(const Operator& op, LoadUnit unit) {
  if (op.name == kAdapterDown || op.name == kAdapterUp) return OfAdapters;
  if (op.share == Share::Experts) return RoutedExperts;
  if (op.inside.meets(Module::SharedExperts)) return SharedExperts;
  if (op.name == "embedding") return unit == LoadUnit::Patch ? Positions : Embedding;
  if (op.name == "patch embedding" || op.name == "frame convolution") return Embedding;
  if (op.name == "positions") return Positions;
  if (op.name == "router") return Router;
  if (op.name == "logits") return Head;
  if (op.name == "prediction") return Prediction;
  if (op.name == "norm") return Norms;
  if (op.name.starts_with("merger")) return Merger;
  if (op.name.starts_with("mlp")) return FeedForward;
  return op.name == "parameters" ? Rest : Attention;
}

}  // namespace

std::vector<ParameterPart> parameter_parts(const LayerStack& stack) {
  std::vector<ParameterPart> parts;
  for (const std::string_view name : kNames) parts.push_back({name, 0, 0});
  for (const Layer& layer : stack.layers) {
    for (const Operator& op : layer.operators) {
      ParameterPart& part = parts[part_of(op, stack.unit)];
      part.parameters += op.parameters;
      part.active += active_parameters(op);
    }
  }
  std::erase_if(parts, [](const ParameterPart& part) { return part.parameters == 0; });
  return parts;
}

}  // namespace spillway
