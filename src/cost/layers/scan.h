// Linear attention by the gated delta rule, computed in chunks of tokens.
#pragma once

#include "base/quantity.h"

namespace spillway {

inline constexpr double kScanChunk = 64;  // tokens

// FLOPs of a forward for a token and head. With chunks of C tokens, keys of k and values of v elements: inside
// a chunk the products key-key and query-key take 2Ck each, the triangular solves for values and keys C(k +
// v), and attention over the new values 2Cv. Reading the state twice and updating it takes 2kv each.
// transformers, models/qwen3_5, torch_chunk_gated_delta_rule.
inline Flops scan_flops(double k, double v) {
  constexpr double chunk = kScanChunk;
  return Flops(4 * chunk * k + chunk * (k + v) + 2 * chunk * v + 6 * k * v);
}

}  // namespace spillway
