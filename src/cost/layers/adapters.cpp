#include "cost/layers/adapters.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 4> kWithout = {"logits", "router", "shared gate", "patch embedding"};

// Products that are targets as a whole.
constexpr std::array<std::pair<std::string_view, AdapterTarget>, 7> kWholeProducts{
    {{"q", AdapterTarget::Query},
     {"q and gate", AdapterTarget::Query},
     {"q down", AdapterTarget::QueryDown},
     {"q up", AdapterTarget::QueryUp},
     {"kv down", AdapterTarget::KeyValueDown},
     {"kv up", AdapterTarget::KeyValueUp},
     {"mlp down", AdapterTarget::Fc2}}};

using Operators = std::vector<Operator>;

// Outputs of a product, or of several that are one in the framework, that an adapter may stand beside.
struct Adaptable {
  AdapterTarget target;
  std::uint64_t outputs;
};

bool takes_adapters(const Operator& op) {
  if (op.kind == OperatorKind::GroupedGemm) return true;
  return op.kind == OperatorKind::Gemm && std::ranges::find(kWithout, op.name) == kWithout.end();
}

std::uint64_t outputs_of(const Operators& all, std::string_view name) {
  for (const Operator& op : all)
    if (op.kind == OperatorKind::Gemm && op.name == name) return op.n;
  return 0;
}

bool has_scan(const Operators& all) {
  return std::ranges::find(all, OperatorKind::Scan, &Operator::kind) != all.end();
}

// Keys and values are as wide as the heads of the attention behind them.
std::vector<Adaptable> parts_of_qkv(const Operators& all, std::size_t at) {
  const auto attention = std::ranges::find(all.begin() + static_cast<std::ptrdiff_t>(at), all.end(),
                                           OperatorKind::Attention, &Operator::kind);
  if (attention == all.end()) return {};
  const AttentionHeads& heads = attention->heads;
  const std::uint64_t keys = heads.key_value * heads.key_width, values = heads.key_value * heads.value_width;
  return {{AdapterTarget::Qkv, all[at].n},
          {AdapterTarget::Query, all[at].n - keys - values},
          {AdapterTarget::Key, keys},
          {AdapterTarget::Value, values}};
}

// A gated feed-forward's first product makes gates and values; the next product reads half of its outputs.
std::vector<Adaptable> parts_of_up(const Operators& all, std::size_t at) {
  const auto down =
      std::ranges::find_if(all.begin() + static_cast<std::ptrdiff_t>(at) + 1, all.end(), is_product);
  const std::uint64_t outputs = all[at].n;
  if (down == all.end() || 2 * down->k != outputs) return {{AdapterTarget::Fc1, outputs}};
  return {
      {AdapterTarget::Fc1, outputs}, {AdapterTarget::Gate, outputs / 2}, {AdapterTarget::Up, outputs / 2}};
}

// A framework makes one product of several of ours. An adapter beside it comes behind the last of them.
std::vector<Adaptable> adaptable(const Operators& all, std::size_t at) {
  const Operator& op = all[at];
  if (op.kind == OperatorKind::GroupedGemm) return {{AdapterTarget::Experts, op.n}};
  if (op.name == "qkv") return parts_of_qkv(all, at);
  if (op.name == "mlp up" || op.name == "shared up") return parts_of_up(all, at);
  if (op.name == "kv")
    return {{AdapterTarget::Qkv, outputs_of(all, "q and gate") + op.n},
            {AdapterTarget::Key, op.n / 2},
            {AdapterTarget::Value, op.n / 2}};
  if (op.name == "decay and step")
    return {{AdapterTarget::DeltaIn, outputs_of(all, "qkv") + outputs_of(all, "gate") + op.n}};
  if (op.name == "attention out")
    return {{has_scan(all) ? AdapterTarget::DeltaOut : AdapterTarget::AttentionOut, op.n}};
  const auto whole =
      std::ranges::find(kWholeProducts, op.name, &std::pair<std::string_view, AdapterTarget>::first);
  if (whole == kWholeProducts.end()) return {};
  return {{whole->second, op.n}};
}

// The outputs of the adapters beside the operator.
std::vector<std::uint64_t> adapted_outputs(AdapterTargets targets, const Operators& all, std::size_t at) {
  const Operator& op = all[at];
  if (!takes_adapters(op)) return {};
  const bool experts = op.kind == OperatorKind::GroupedGemm;
  if (targets.meets(AdapterTarget::All) || (!targets.any() && !experts)) return {op.n};
  std::vector<std::uint64_t> outputs;
  for (const Adaptable& part : adaptable(all, at))
    if (targets.meets(part.target)) outputs.push_back(part.outputs);
  return outputs;
}

// The share of a tensor beside a product's input, and beside its output.
Share beside_input(Share product) {
  if (product == Share::Columns) return Share::Tokens;
  return product == Share::Rows ? Share::Inner : product;
}
Share beside_output(Share product) {
  if (product == Share::Columns) return Share::Inner;
  return product == Share::Rows ? Share::Tokens : product;
}

// Writes the dropped input and a mask; the gradient reads the mask.
Layer dropout(std::uint64_t width, Share share) {
  Layer layer = elementwise("adapter dropout", width, width, share);
  Operator& op = layer.operators.back();
  const Bytes mask = kMask * static_cast<double>(width);
  op.traffic_per_token += mask;
  op.more_in_gradient = -1.0 * mask;
  op.kept.for_backward = op.kept.for_input_gradient = mask;
  if (share == Share::Tokens) op.kept_outside = op.kept;
  return layer;
}

// In the backward the gradients of `inputs` elements are added, not those of the outputs.
Layer sum(std::uint64_t inputs, std::uint64_t outputs, Share share) {
  Layer layer = elementwise("adapter sum", 2 * outputs, outputs, share);
  layer.operators.back().more_in_gradient =
      3 * kElement * (static_cast<double>(inputs) - static_cast<double>(outputs));
  return layer;
}

// Runs the operators on the rows of the product, experts' ones for each expert.
void run_beside(const Operator& product, Layer& layer) {
  for (Operator& op : layer.operators) {
    op.inside = product.inside;
    op.at_end = product.at_end;
    op.rows_per_token *= product.rows_per_token;
    op.traffic_per_token = op.traffic_per_token * product.rows_per_token;
    op.more_in_gradient = op.more_in_gradient * product.rows_per_token;
    op.kept = op.kept * product.rows_per_token;
    op.kept_outside = op.kept_outside * product.rows_per_token;
    if (product.kind != OperatorKind::GroupedGemm || !is_product(op)) continue;
    op.kind = OperatorKind::GroupedGemm;
    op.groups = product.groups;
    op.parameters *= product.groups;
  }
}

// `input_is_kept`: by an adapter before it.
Layer adapter(const Operator& product, std::uint64_t outputs, const Adapters& how, bool input_is_kept) {
  const Share up = product.share == Share::Rows ? Share::Columns : product.share;
  Layer down = linear(kAdapterDown, product.k, how.rank, product.share);
  Layer layer;
  if (how.dropout)
    layer += dropout(product.k, beside_input(product.share));
  else
    down.operators.back().made_by = product.made_by;
  layer += input_is_kept ? on_shared_input(std::move(down), product.k) : down;
  layer += linear(kAdapterUp, how.rank, outputs, up) +
           elementwise("adapter scale", outputs, outputs, beside_output(product.share)) +
           sum(product.k, outputs, beside_output(product.share));
  run_beside(product, layer);
  return layer;
}

// The widths of inputs that an adapter keeps. A product that keeps no input of its own reads the input of an
// earlier product of this width.
class KeptInputs {
 public:
  void pass(const Operator& product) {
    if (product.kept.for_backward > Bytes()) kept_[product.k] = false;
  }
  // Returns true if it was kept before.
  bool keep(std::uint64_t width) { return std::exchange(kept_[width], true); }

 private:
  std::map<std::uint64_t, bool> kept_;
};

// Attention keeps its output unless an adapter does, which reads this very tensor.
void leave_output(Operators& before) {
  for (auto op = before.rbegin(); op != before.rend(); ++op) {
    if (op->kind == OperatorKind::Attention) op->frozen = false;
    if (op->kind == OperatorKind::Attention || op->kept.for_backward > Bytes()) return;
  }
}

Layer adapted(const Layer& layer, const Adapters& how) {
  Layer result = layer;
  result.operators.clear();
  KeptInputs inputs;
  for (std::size_t i = 0; i < layer.operators.size(); ++i) {
    const Operator& base = layer.operators[i];
    const std::vector<std::uint64_t> outputs = adapted_outputs(how.targets, layer.operators, i);
    if (!outputs.empty() && !how.dropout) leave_output(result.operators);
    result.operators.push_back(base);
    result.operators.back().frozen = true;
    if (base.kind == OperatorKind::Gemm) inputs.pass(base);
    for (const std::uint64_t width : outputs) {
      const bool experts = base.kind == OperatorKind::GroupedGemm;
      const bool kept = !experts && !how.dropout && inputs.keep(base.k);
      std::ranges::copy(adapter(base, width, how, kept).operators, std::back_inserter(result.operators));
    }
  }
  return result;
}

constexpr std::array<std::pair<AdapterTarget, AdapterTarget>, 5> kPartsOf{
    {{AdapterTarget::Query, AdapterTarget::Qkv},
     {AdapterTarget::Key, AdapterTarget::Qkv},
     {AdapterTarget::Value, AdapterTarget::Qkv},
     {AdapterTarget::Gate, AdapterTarget::Fc1},
     {AdapterTarget::Up, AdapterTarget::Fc1}}};

bool same_weights(AdapterTarget a, AdapterTarget b) {
  if (a == b || a == AdapterTarget::All || b == AdapterTarget::All) return true;
  return std::ranges::any_of(kPartsOf, [&](const auto& one) {
    return (one.first == a && one.second == b) || (one.first == b && one.second == a);
  });
}

}  // namespace

AdapterTargets adapter_targets_of(std::span<const Layer> layers) {
  AdapterTargets targets;
  for (const Layer& layer : layers)
    for (std::size_t i = 0; i < layer.operators.size(); ++i) {
      if (!takes_adapters(layer.operators[i])) continue;
      targets |= AdapterTarget::All;
      for (const Adaptable& part : adaptable(layer.operators, i)) targets |= part.target;
    }
  return targets;
}

std::optional<AdapterTarget> adapted_already(AdapterTargets set, AdapterTarget target) {
  for (const auto& [name, other] : kAdapterTargets)
    if (set.meets(other) && same_weights(other, target)) return other;
  return std::nullopt;
}

std::string names_of(AdapterTargets set) {
  std::string names;
  for (const auto& [name, target] : kAdapterTargets)
    if (set.meets(target)) add_to_list(names, std::string(name));
  return names;
}

void add_adapters(const Adapters& adapters, std::span<Layer> layers) {
  ensure(adapters.rank > 0, "adapters have a rank");
  for (Layer& layer : layers) layer = adapted(layer, adapters);
}

}  // namespace spillway
