// What the kernels of a pass are and take, by what a framework says of them (platform/framework.h): of the
// devices of an Ascend profiler's folder, whose kernels come with their types and shapes.
//
//   product, attention   by their types
//   sum                  of two matrices of one shape, FP32 and BF16: a gradient is added to the accumulated
//   one embedding            launched by an embedding's gradient, and the sum of a matrix of its size loss on
//   a row of as many numbers as the vocabulary has for each token, but for products rest everything else
//
// Filling with zeros counts as a kernel and takes no time here: it is of the step, not of the pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "measured/trace/trace.h"

namespace spillway {

struct KernelSum {
  double kernels = 0;
  Seconds time = {};
};

// A gradient added to the accumulated one.
struct MeasuredSum {
  double parameters;
  Seconds time;
};

struct PassSums {
  std::uint16_t rank;
  TraceKind kind;  // Forward or Backward
  KernelSum products = {}, attention = {}, embedding = {}, loss = {}, rest = {};
  std::vector<MeasuredSum> sums = {};
  Seconds embedding_sum = {};  // of `embedding`, what adds it to the accumulated gradient
  double tokens = 0;           // rows of its attention
  double embedded = 0;         // parameters of the embedding
};

// The first forward and the first backward of each pipeline rank of the first replica, as far as their
// kernels are there. `trace` is of the folder. Throws InputError where the folder is broken.
std::vector<PassSums> pass_sums(const std::string& folder, const Trace& trace, double vocabulary);

}  // namespace spillway
