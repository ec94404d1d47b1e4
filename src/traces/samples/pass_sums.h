// What the kernels of a pass are and take, by what a framework says of them (platform/framework.h): of the
// devices of an Ascend profiler's folder, whose kernels come with their types and shapes.
//
//   product, attention   by their types
//   sum                  of two matrices of one shape, FP32 and BF16: a gradient is added to the accumulated
//                        one
//   embedding            launched by an embedding's gradient, and the sum of a matrix of its size
//   loss                 on a row of as many numbers as the vocabulary has for each token, but for products
//   rest                 everything else
//
// Filling with zeros counts as a kernel and takes no time here: it is of the step, not of the pass.
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

// A gradient added to the accumulated one.
struct MeasuredSum {
  double parameters;
  Seconds time;
};

// Of `rest`, what belongs to layers of attention and a feed-forward of two products, by how many products lie
// between it and the attention before it. A forward goes on to attention's output (1), the feed-forward's
// first product (2), its second (3), and the next layer's queries, keys and values (4); a backward, with two
// products each, to queries, keys and values (1), the feed-forward's second product (2), its first (3), and
// the output of the attention before (4).
//
//   norm, residual       behind 1 and 3: norms by their types, with sums of one row (gradients of their
//                        weights); what else lies there
//   activation           behind 2
//   head_norms, rotary   behind 4 and up to 1: as norm; whatever else brings queries, keys and values to
//                        attention, or their gradients from it
struct LayerSums {
  double layers = 0;  // whole ones, from an attention to the next
  KernelSum norm = {}, residual = {}, activation = {}, head_norms = {}, rotary = {};
};

struct PassSums {
  std::uint16_t rank;
  TraceKind kind;  // Forward or Backward
  KernelSum products = {}, attention = {}, embedding = {}, loss = {}, rest = {};
  LayerSums layers = {};
  std::vector<MeasuredSum> sums = {};
  Seconds embedding_sum = {};  // of `embedding`, what adds it to the accumulated gradient
  double tokens = 0;           // rows of its attention
  double embedded = 0;         // parameters of the embedding
};

// The first forward and the first backward of each pipeline rank of the first replica, as far as their
// kernels are there. `trace` is of the folder. Throws InputError where the folder is broken.
std::vector<PassSums> pass_sums(const std::string& folder, const Trace& trace, double vocabulary);

}  // namespace spillway
