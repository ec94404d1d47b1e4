// Times of single operators in BF16, or of products in FP8, measured on one device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "platform/evidence.h"

namespace spillway {

// [m x k] times [k x n].
struct MeasuredGemm {
  double m;
  double n;
  double k;
  Seconds time;
};

// `groups` products of [rows / groups x k] times [k x n], each with its own weights: routed experts.
struct MeasuredGroupedGemm {
  double groups;
  double rows;
  double n;
  double k;
  Seconds time;
};

// `batch` sequences of `length` tokens each; fused (flash) attention.
struct MeasuredAttention {
  bool causal;
  bool backward;
  double batch;
  double length;
  double heads;
  double key_value_heads;
  double key_width;
  double value_width;
  Seconds time;
};

struct OperatorTables {
  std::vector<MeasuredGemm> gemms;
  std::vector<MeasuredGroupedGemm> grouped_gemms;
  std::vector<MeasuredAttention> attentions;
  std::vector<MeasuredGemm> fp8_gemms;  // of operands in FP8, to a product in BF16
  std::vector<MeasuredGroupedGemm> fp8_grouped_gemms;
  std::vector<std::string> sources;  // of the tables, for people
  // The evidence of the rows as times of this device: extrapolated if they come from another device.
  Evidence gemm_evidence = Evidence::Measured;
  Evidence grouped_gemm_evidence = Evidence::Measured;
  Evidence attention_evidence = Evidence::Measured;
  Evidence fp8_gemm_evidence = Evidence::Measured;
  Evidence fp8_grouped_gemm_evidence = Evidence::Measured;
};

}  // namespace spillway
