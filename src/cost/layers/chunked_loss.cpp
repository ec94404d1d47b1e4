#include "cost/layers/chunked_loss.h"

#include <bit>

#include "base/error.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

double chunks_of(const ChunkedLoss& how, const Operator& logits) {
  if (how.chunks) return how.chunks->value;
  return static_cast<double>(std::bit_floor((logits.n + logits.k - 1) / logits.k));
}

// The kernels of gradients that another pass computes are launched there.
void launch(const ChunkedLoss& how, const InChunks& in, Kernels& kernels) {
  const double of_weights = in.gradients.weight ? kernels.weight_gradient : 0;
  const double of_gradients = (in.gradients.input ? kernels.input_gradient : 0) + of_weights;
  kernels.forward += how.gradients_in_forward ? of_gradients : 0;
  kernels.forward *= in.count;
  kernels.input_gradient = of_gradients * in.count;
}

void chunk(const ChunkedLoss& how, double chunks, Gradients gradients, Operator& op) {
  using enum InChunks::Where;
  op.chunks = {chunks,
               how.gradients_in_forward ? Forward : Backward,
               {.weight = gradients.weight && !op.frozen && is_product(op), .input = gradients.input}};
  launch(how, op.chunks, op.kernels);
}

// Its input or, as large, the gradient of its input.
void keep_input(const ChunkedLoss& how, Operator& logits) {
  const Bytes input = kElement * static_cast<double>(logits.k);
  logits.kept = logits.kept_outside = {input, input, {}};
  if (how.gradients_in_forward && logits.chunks.gradients.weight)
    logits.kept_of_weights = kElement * static_cast<double>(logits.k * logits.n);
}

// The loss holds its tensors for one chunk at a time, and the gradient reads them there.
void keep_nothing(Operator& loss) {
  loss.buffers_per_token = loss.kept.for_input_gradient;
  loss.more_in_gradient += loss.kept.for_input_gradient;
  loss.kept = loss.kept_outside = {};
}

}  // namespace

void chunk_loss(const ChunkedLoss& how, Gradients gradients, Layer& layer) {
  double chunks = 0;
  for (Operator& op : layer.operators) {
    if (op.name == "logits") {
      chunks = chunks_of(how, op);
      chunk(how, chunks, gradients, op);
      keep_input(how, op);
    }
    if (op.name != kLossName) continue;
    ensure(chunks > 0, "a loss follows its logits");
    chunk(how, chunks, gradients, op);
    keep_nothing(op);
  }
}

}  // namespace spillway
