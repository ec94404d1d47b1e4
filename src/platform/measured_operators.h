// Times of single operators in BF16, or of products in FP8 or FP4, measured on one device.
#pragma once

#include <cstddef>
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

// `batch` sequences of `length` tokens each, each with `heads` states of key_width x value_width: the gated
// delta rule, which linear attention computes in chunks.
struct MeasuredScan {
  bool backward;
  double batch;
  double length;
  double heads;
  double key_width;
  double value_width;
  Seconds time;
};

// Products of operands in one format, to results in BF16.
struct ProductTables {
  std::vector<MeasuredGemm> gemms;
  std::vector<MeasuredGroupedGemm> grouped_gemms;
  Evidence gemm_evidence = Evidence::Measured;
  Evidence grouped_gemm_evidence = Evidence::Measured;

  std::size_t size() const { return gemms.size() + grouped_gemms.size(); }
};

struct OperatorTables {
  std::vector<MeasuredGemm> gemms;
  std::vector<MeasuredGroupedGemm> grouped_gemms;
  std::vector<MeasuredAttention> attentions;
  std::vector<MeasuredScan> scans;
  ProductTables fp8;
  ProductTables fp8_blocks;  // with a scale for each 128 elements
  ProductTables fp4;
  std::vector<std::string> sources;  // of the tables, for people
  // The evidence of the rows as times of this device: extrapolated if they come from another device.
  Evidence gemm_evidence = Evidence::Measured;
  Evidence grouped_gemm_evidence = Evidence::Measured;
  Evidence attention_evidence = Evidence::Measured;
  Evidence scan_evidence = Evidence::Measured;
};

}  // namespace spillway
