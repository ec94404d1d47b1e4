// The conventions of all analytic figures.
#pragma once

#include "base/quantity.h"

namespace spillway {

// Parameters, activations and transfers are BF16, except tokens dispatched in FP8 on request.
inline constexpr Bytes kElement(2);

// An FP8 number with its part of a 4-byte scale for 128 numbers (DeepSeek-V3, arXiv 2412.19437, section
// 3.3.2).
inline constexpr Bytes kFp8Element(1 + 4.0 / 128);

// FP8 weights, one copy as rows and one as columns, without their scales.
inline constexpr Bytes kFp8Copies(2);

// Weight gradients are accumulated in FP32, as Megatron-LM does for BF16 training
// (accumulate_allreduce_grads_in_fp32) and DeepSeek-V3 reports (arXiv 2412.19437, section 3.3). They are also
// reduced in FP32 unless a framework states otherwise.
inline constexpr Bytes kGradient(4);

// Adam keeps a master copy of the weights and two moments, all in FP32 (Rajbhandari et al. 2020, ZeRO, arXiv
// 1910.02054, section 3.1: K = 12).
inline constexpr Bytes kOptimizer(12);

// Softmax and its statistics are kept in FP32.
inline constexpr Bytes kStatistic(4);

// A dropout mask is a byte per element (arXiv 2205.05198, section 4.1).
inline constexpr Bytes kMask(1);

// Accumulating a weight gradient reads and writes it once per microbatch.
inline constexpr Bytes kGradientTraffic = 2 * kGradient;

// One multiply-accumulate is two FLOPs. Model FLOPs count causal attention as half of the full square, and
// never count recomputation.
inline constexpr double kFlopsPerMac = 2;
inline constexpr double kCausalShare = 0.5;

}  // namespace spillway
