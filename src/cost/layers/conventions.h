// The conventions of all analytic figures.
#pragma once

#include "base/quantity.h"

namespace spillway {

// Parameters, activations and transfers are BF16, except tokens dispatched in FP8 on request.
inline constexpr Bytes kElement(2);

// An FP8 number with its part of a 4-byte scale for 128 numbers (DeepSeek-V3, arXiv 2412.19437, section
// 3.3.2).
inline constexpr Bytes kFp8Element(1 + 4.0 / 128);

// An NVFP4 number with its byte of scale for 16 numbers (arXiv 2509.25149, section 2.1).
inline constexpr Bytes kFp4Element(0.5 + 1.0 / 16);

// Weight gradients are accumulated and reduced in FP32 unless a framework states otherwise, as Megatron-LM
// does for BF16 training (accumulate_allreduce_grads_in_fp32) and DeepSeek-V3 reports (arXiv 2412.19437,
// section 3.3). The optimizer reads them in FP32 in any case.
inline constexpr Bytes kGradient(4);

// Softmax and its statistics are kept in FP32.
inline constexpr Bytes kStatistic(4);

// A dropout mask is a byte per element (arXiv 2205.05198, section 4.1).
inline constexpr Bytes kMask(1);

// One multiply-accumulate is two FLOPs. Model FLOPs count causal attention as half of the full square, and
// never count recomputation.
inline constexpr double kFlopsPerMac = 2;
inline constexpr double kCausalShare = 0.5;

}  // namespace spillway
