#include "cost/layers/layer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

Bytes elements(std::uint64_t count) {
  return kElement * static_cast<double>(count);
}
Flops macs(double count) {
  return Flops(kFlopsPerMac * count);
}

// Kept for both gradients or the input gradient alone, but not between the gradients.
void keep(Operator& op, Bytes bytes) {
  op.kept.for_backward += bytes;
  op.kept.for_input_gradient += bytes;
  if (op.share == Share::Tokens) op.kept_outside = op.kept;
}

Layer of(const Operator& op) {
  Layer layer;
  layer.operators.push_back(op);
  return layer;
}

Operator memory(std::string_view name, std::uint64_t in, std::uint64_t out, Share share) {
  Operator op;
  op.kind = OperatorKind::Memory;
  op.share = share;
  op.name = name;
  op.traffic_per_token = elements(in + out);
  return op;
}

Layer norm(std::uint64_t parameters, std::uint64_t width, Share share) {
  Layer layer = nonlinear(kNormName, width, width, share);
  layer.operators.back().parameters = parameters;
  return layer;
}

// The input of a Columns product and the output of a Rows product lie outside the sublayer.
Operator product(OperatorKind kind, std::string_view name, std::uint64_t in, std::uint64_t out, Share share) {
  Operator op = memory(name, in, out, share);
  op.kind = kind;
  op.k = in;
  op.n = out;
  op.parameters = in * out;
  op.kept.for_backward = elements(in);
  op.kept.between_gradients = elements(in + out);
  if (share == Share::Tokens) op.kept_outside = op.kept;
  if (share == Share::Columns) op.kept_outside = {elements(in), {}, elements(in)};
  if (share == Share::Rows) op.kept_outside = {{}, {}, elements(out)};
  return op;
}

Operator expert_product(std::string_view name, std::uint64_t in, std::uint64_t out, std::uint32_t experts,
                        std::uint32_t chosen) {
  Operator op = product(OperatorKind::GroupedGemm, name, in, out, Share::Experts);
  op.groups = experts;
  op.parameters *= experts;
  op.rows_per_token = chosen;
  op.traffic_per_token = op.traffic_per_token * chosen;
  op.kept = op.kept * chosen;
  return op;
}

// Copies are sorted by expert on either side of an exchange, which takes one buffer in addition to input and
// output.
Layer exchange(std::string_view name, std::uint64_t in, std::uint64_t out, std::uint64_t copies) {
  Layer layer = elementwise(name, in, out, Share::Experts);
  layer.operators.back().buffers_per_token = elements(copies);
  return layer;
}

Layer gate_and_down(std::uint64_t inner, std::uint64_t width) {
  return nonlinear("swiglu", 2 * inner, inner, Share::Inner) + linear("mlp down", inner, width, Share::Rows);
}

}  // namespace

KeptPerToken& KeptPerToken::operator+=(const KeptPerToken& other) {
  for_backward += other.for_backward;
  for_input_gradient += other.for_input_gradient;
  between_gradients += other.between_gradients;
  return *this;
}

Flops Operator::weights_per_token() const {
  return macs(static_cast<double>(k * n)) * rows_per_token;
}

Flops Operator::mixing_per_pair() const {
  if (kind != OperatorKind::Attention) return Flops(0);  // a scan has heads, too
  const double square = causal ? kCausalShare : 1.0;
  return square * macs(static_cast<double>(heads.query * (heads.key_width + heads.value_width)));
}

bool is_product(const Operator& op) {
  return op.kind == OperatorKind::Gemm || op.kind == OperatorKind::GroupedGemm;
}

Layer& Layer::operator+=(const Layer& other) {
  operators.insert(operators.end(), other.operators.begin(), other.operators.end());
  all_gathers += other.all_gathers;
  reduce_scatters += other.reduce_scatters;
  gathered_size = std::min(gathered_size, other.gathered_size);
  end_all_gathers += other.end_all_gathers;
  end_reduce_scatters += other.end_reduce_scatters;
  all_to_alls += other.all_to_alls;
  exchanged_size = std::min(exchanged_size, other.exchanged_size);
  if (other.routing.experts > 0) routing = other.routing;
  return *this;
}

Layer linear(std::string_view name, std::uint64_t in, std::uint64_t out, Share share) {
  return of(product(OperatorKind::Gemm, name, in, out, share));
}

Layer linear_with_bias(std::string_view name, std::uint64_t in, std::uint64_t out, Share share) {
  Layer layer = linear(name, in, out, share);
  layer.operators.back().parameters += out;
  return layer;
}

Layer rms_norm(std::uint64_t width, Share share) {
  return norm(width, width, share);
}

Layer layer_norm(std::uint64_t width) {
  return norm(2 * width, width, Share::Tokens);
}

Layer norm_of(NormKind kind, std::uint64_t width) {
  return kind == NormKind::Rms ? rms_norm(width) : layer_norm(width);
}

Layer residual(std::uint64_t width) {
  return elementwise("residual", 2 * width, width, Share::Tokens);
}

Layer position_rows(std::uint64_t rows, std::uint64_t width) {
  return at_end(elementwise("positions", 2 * width, width, Share::Tokens) +
                parameters(rows * width, Share::Tokens));
}

Layer elementwise(std::string_view name, std::uint64_t in, std::uint64_t out, Share share) {
  return of(memory(name, in, out, share));
}

Layer nonlinear(std::string_view name, std::uint64_t in, std::uint64_t out, Share share) {
  Operator op = memory(name, in, out, share);
  keep(op, elements(in));
  return of(op);
}

Layer on_shared_input(Layer operation, std::uint64_t width) {
  ensure(operation.operators.size() == 1 && operation.operators[0].k == width,
         "a shared input is that of one product");
  Operator& op = operation.operators[0];
  for (KeptPerToken* kept : {&op.kept, &op.kept_outside}) {
    kept->for_backward -= elements(width);
    kept->between_gradients -= elements(width);
  }
  return operation;
}

Layer beside(Layer operation, std::uint64_t width) {
  Layer first;
  first.operators.push_back(operation.operators.front());
  operation.operators.front() = on_shared_input(std::move(first), width).operators.front();
  return operation;
}

Layer inside(Module module, Layer operation) {
  for (Operator& op : operation.operators) op.inside |= module;
  return operation;
}

Layer behind(Module module, Layer operation) {
  operation.operators.front().made_by |= module;
  return operation;
}

Layer from_its_input(Module module, Layer operation) {
  for (std::size_t i = 1; i < operation.operators.size(); ++i) operation.operators[i].made_by |= module;
  return inside(module, std::move(operation));
}

Layer at_end(Layer operation) {
  for (Operator& op : operation.operators) op.at_end = true;
  return operation;
}

Layer parameters(std::uint64_t count, Share share) {
  Operator op = memory("parameters", 0, 0, share);
  op.parameters = count;
  return of(op);
}

Layer swiglu(std::uint64_t width, std::uint64_t inner) {
  return linear("mlp up", width, 2 * inner, Share::Columns) + gate_and_down(inner, width);
}

Layer shared_swiglu(std::uint64_t width, std::uint64_t inner) {
  return on_shared_input(linear("shared up", width, 2 * inner, Share::Columns), width) +
         gate_and_down(inner, width);
}

Layer plain_mlp(std::uint64_t width, std::uint64_t inner) {
  return linear("mlp up", width, inner, Share::Columns) +
         nonlinear("activation", inner, inner, Share::Inner) + linear("mlp down", inner, width, Share::Rows);
}

Layer shared_plain_mlp(std::uint64_t width, std::uint64_t inner) {
  Layer layer = beside(plain_mlp(width, inner), width);
  layer.operators.front().name = "shared up";
  return layer;
}

Layer mlp(std::uint64_t width, std::uint64_t inner) {
  return linear_with_bias("mlp up", width, inner, Share::Columns) +
         nonlinear("activation", inner, inner, Share::Inner) +
         linear_with_bias("mlp down", inner, width, Share::Rows);
}

Layer gated_mlp(std::uint64_t width, std::uint64_t inner) {
  return linear_with_bias("mlp up", width, 2 * inner, Share::Columns) +
         nonlinear("swiglu", 2 * inner, inner, Share::Inner) +
         linear_with_bias("mlp down", inner, width, Share::Rows);
}

Layer routed_experts(std::uint64_t width, std::uint64_t inner, std::uint32_t experts, std::uint32_t chosen,
                     const RoutedForm& form) {
  const std::uint64_t sent = form.latent > 0 ? form.latent : width, rows = experts + form.zero_experts,
                      up = form.gated ? 2 * inner : inner;
  Layer layer = linear("router", width, rows, Share::Tokens);
  keep(layer.operators.back(), elements(rows));  // the scores
  if (form.latent > 0) layer += on_shared_input(linear(kLatentDown, width, sent, Share::Tokens), width);
  Operator activation =
      memory(form.gated ? "expert swiglu" : "expert activation", up * chosen, inner * chosen, Share::Experts);
  keep(activation, elements(up * chosen));
  const Layer sort = elementwise(kSortByExpert, chosen * sent, chosen * sent, Share::Experts);
  layer += exchange(kDispatchName, sent, chosen * sent, chosen * sent) + sort;
  layer += of(expert_product("expert up", sent, up, experts, chosen)) +
           inside(Module::ExpertActivation, of(activation)) +
           behind(Module::ExpertActivation, of(expert_product(kExpertDown, inner, sent, experts, chosen)));
  layer += sort + exchange(kCombineName, chosen * sent, sent, chosen * sent);
  if (form.latent > 0) layer += linear(kLatentUp, sent, width, Share::Tokens);
  layer.all_to_alls = 2;
  layer.exchanged_size = static_cast<double>(sent) / static_cast<double>(width);
  layer.routing = {.experts = experts, .chosen = chosen};
  return layer;
}

Layer attention(const AttentionHeads& heads, bool causal) {
  const std::uint64_t read =
      heads.query * heads.key_width + heads.key_value * (heads.key_width + heads.value_width);
  const std::uint64_t written = heads.query * heads.value_width;
  Operator op = memory(kAttention, read, written, Share::Inner);
  op.kind = OperatorKind::Attention;
  op.heads = heads;
  op.causal = causal;
  op.kept.for_backward = elements(read) + kStatistic * static_cast<double>(heads.query);
  op.kept.for_input_gradient = op.kept.for_backward + elements(written);
  op.inside = Module::CoreAttention;
  return of(op);
}

Layer unfused_attention(const AttentionHeads& heads) {
  Layer layer = attention(heads, true);
  layer.operators.back().fused = false;
  Operator softmax = memory("softmax", 0, 0, Share::Inner);
  const Bytes softmax_alone = 2 * kElement, dropout = 2 * kElement + kMask;
  const double scores = static_cast<double>(heads.query);
  softmax.traffic_per_pair = (softmax_alone + dropout) * scores;
  softmax.kept_per_pair = (2 * kElement + kMask) * scores;
  softmax.inside = softmax.made_by = Module::CoreAttention;
  return layer + of(softmax);
}

Layer embedding(std::uint64_t rows, std::uint64_t width) {
  Operator op = memory("embedding", width, width, Share::Inner);
  op.parameters = rows * width;
  return at_end(of(op));
}

Layer head(std::uint64_t width, std::uint64_t rows, Layer norm, bool tied) {
  Layer layer = std::move(norm) + linear(kLogitsName, width, rows, Share::Columns);
  if (tied) layer.operators.back().parameters = 0;
  Operator loss = memory(kLossName, rows, rows, Share::Inner);
  loss.in_place = true;
  keep(loss, elements(rows));
  return at_end(layer + of(loss));
}

void keep_softmax(Operator& loss) {
  ensure(loss.in_place, "a fused loss");
  loss.in_place = false;
  loss.kept = loss.kept * (kStatistic / kElement);
}

Layer tensor_parallel_sublayer() {
  Layer layer;
  layer.all_gathers = 1;
  layer.reduce_scatters = 1;
  return layer;
}

void add_end_collectives(Layer& layer, std::uint32_t all_gathers, std::uint32_t reduce_scatters) {
  layer.all_gathers += all_gathers;
  layer.reduce_scatters += reduce_scatters;
  layer.end_all_gathers += all_gathers;
  layer.end_reduce_scatters += reduce_scatters;
}

void add_vocabulary(std::vector<Layer>& layers, std::uint64_t width, std::uint64_t rows, const Layer& norm,
                    bool tied) {
  ensure(!layers.empty(), "a language model has a layer");
  layers.front() += embedding(rows, width);
  add_end_collectives(layers.front(), 0, 1);  // rows of the table lie on different members
  layers.back() += head(width, rows, norm, tied);
  add_end_collectives(layers.back(), 1, 0);
}

}  // namespace spillway
