// A head whose product and loss run in chunks of tokens, so that one chunk of logits exists at a time.
// Nothing as wide as the vocabulary is kept for the backward.
//
//   gradients in the forward   Each chunk's gradients follow its loss at once, so nothing is computed twice.
//   Kept
//                              are the gradient of the head's input, as large as that input, and one of the
//                              weights, in BF16, to which every chunk adds (Hsu et al. 2024, Liger Kernel,
//                              arXiv 2410.10989; liger_kernel/ops/fused_linear_cross_entropy.py)
//   gradients in the backward  The forward keeps the head's input alone. The backward makes the logits of a
//                              chunk again, and computes all of its gradients (Wijmans et al. 2024, Cut
//                              Cross-Entropy, arXiv 2411.09009; Megatron-LM, cross_entropy_fusion_impl
//                              "linear"; a checkpoint around each chunk)
//
// If the number of chunks is not stated it is Liger's: the largest power of two of at most vocabulary /
// width, rounded up. A chunk of logits is then about as large as the head's input.
//
// A frozen head has no weight gradient. Vocabulary parallelism splits a chunk's logits as it splits all.
#pragma once

#include "cost/layers/layer.h"
#include "cost/layers/wanted_gradients.h"
#include "platform/framework.h"

namespace spillway {

// Contract: the framework's other statements are applied.
void chunk_loss(const ChunkedLoss& how, Gradients gradients, Layer& layer);

}  // namespace spillway
