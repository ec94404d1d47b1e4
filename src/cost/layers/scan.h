// Linear attention, computed in chunks of tokens.
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace spillway {

inline constexpr double kScanChunk = 64;  // tokens

// DeltaRule     gated delta rule (arXiv 2412.06464), by flash-linear-attention
// ChannelDelta  the same with a decay for each channel of a key: Kimi Delta Attention (arXiv 2510.26692)
// StateSpace    a state that decays and adds a product: Mamba-2's SSD (arXiv 2405.21060), by mamba_ssm
// Decay         the same recurrence as lightning attention (arXiv 2401.04658), by flash-linear-attention's
//               simple_gla
enum class ScanRule : std::uint8_t { DeltaRule, ChannelDelta, StateSpace, Decay };

struct ScanForm {
  ScanRule rule = ScanRule::DeltaRule;
  std::uint32_t chunk = 64;  // tokens

  friend bool operator==(const ScanForm&, const ScanForm&) = default;
};

// FLOPs of a forward for a token and head. With chunks of C tokens, keys of k and values of v elements:
// inside a chunk the products key-key and query-key take 2Ck each, the triangular solves for values and keys
// C(k + v), and attention over the new values 2Cv. Reading the state twice and updating it takes 2kv each.
// transformers, models/qwen3_5, torch_chunk_gated_delta_rule.
inline Flops scan_flops(double k, double v) {
  constexpr double chunk = kScanChunk;
  return Flops(4 * chunk * k + chunk * (k + v) + 2 * chunk * v + 6 * k * v);
}

// The same without a delta rule: query-key takes 2Ck, once for all heads that share keys; attention over the
// chunk's values 2Cv. Reading the state and updating it takes 2kv each (arXiv 2405.21060, section 6).
inline Flops scan_without_delta_flops(double chunk, double k, double v, double sharing) {
  return Flops(2 * chunk * k / sharing + 2 * chunk * v + 4 * k * v);
}

inline bool has_delta_rule(ScanRule rule) {
  return rule == ScanRule::DeltaRule || rule == ScanRule::ChannelDelta;
}

inline Flops scan_flops(const ScanForm& form, double k, double v, double sharing) {
  return has_delta_rule(form.rule) ? scan_flops(k, v) : scan_without_delta_flops(form.chunk, k, v, sharing);
}

}  // namespace spillway
