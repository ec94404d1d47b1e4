// Sums the kernels of a pass by the kinds for which a framework states figures (platform/framework.h). The
// kernels are those of an Ascend profiler's folder, which have types and shapes.
//
//   product, attention   by their types
//   sum                  of two matrices of one shape, FP32 and BF16: adds a gradient to the accumulated one
//   embedding            launched by an embedding's gradient, and the sum of a matrix of its size
//   loss                 on a row with as many numbers as the vocabulary for each token, except products
//   rest                 everything else
//
// Filling with zeros counts as a kernel, but its time is not counted: it belongs to the step, not to the
// pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "traces/events/trace.h"

namespace spillway {

struct KernelSum {
  double kernels = 0;
  Seconds time = {};

  KernelSum& operator+=(const KernelSum& other) {
    kernels += other.kernels;
    time += other.time;
    return *this;
  }
};

// The addition of a gradient to the accumulated one.
struct MeasuredSum {
  double parameters;
  Seconds time;
};

// The part of `rest` that belongs to layers of attention and a feed-forward of two products. The number of
// products between a kernel and the previous attention decides. In a forward these are attention's output
// (1), the feed-forward's first product (2), its second (3), and the next layer's queries, keys and values
// (4). A backward has two products for each: queries, keys and values (1), the feed-forward's second product
// (2), its first (3), and the output of the previous attention (4).
//
//   norm, residual       after 1 and 3: norms by their types, with sums of one row (gradients of their
//                        weights); all other kernels there
//   activation           after 2
//   head_norms, rotary   after 4 and up to 1: as norm; all other kernels that bring queries, keys and values
//                        to attention, or their gradients from it
struct LayerSums {
  double layers = 0;  // whole ones, from one attention to the next
  KernelSum norm = {}, residual = {}, activation = {}, head_norms = {}, rotary = {};
};

struct PassSums {
  std::uint16_t rank;
  TraceKind kind;  // Forward or Backward
  KernelSum products = {}, attention = {}, embedding = {}, loss = {}, rest = {};
  LayerSums layers = {};
  std::vector<MeasuredSum> sums = {};
  Seconds embedding_sum = {};  // the part of `embedding` that adds to the accumulated gradient
  double tokens = 0;           // rows of its attention
  double embedded = 0;         // parameters of the embedding
};

// Returns the first forward and the first backward of each pipeline rank of the first replica, if their
// kernels are present. `trace` must be of the folder. Throws InputError if the folder is broken.
std::vector<PassSums> pass_sums(const std::string& folder, const Trace& trace, double vocabulary);

}  // namespace spillway
