// The software that a step runs on, beside the hardware (platform.h): what a training framework makes of an
// operator (kernels, traffic, which attention), what it hides of collectives, and how precisely it reduces.
// A framework that states nothing is what the cost model takes without one: one kernel for each operator, the
// attention that the platform's tables measured, all that can hide inside passes hidden,
// gradients in FP32 and reduced when the last backward is done.
//
// As JSON (platforms/frameworks/*.json), all optional but schema and name; N as in platform.h:
//   "schema"          "spillway/framework/1"
//   "name", "note"    text
//   "launch_us"       N: the host issues kernels one after the other, this long each, and runs ahead of the
//                     device within a pass (cost/slabs/host_queue.h)
//   "message_us"      N: what a transfer between ranks costs the two hosts, beside the message itself
//   "update_us"       N: what the host takes in the optimizer's step for each tensor of parameters that its
//                     device updates, one after the other, while the device waits
//   "stage_kernels"   N: kernels of a forward of a block's layers on a stage outside its operators:
//                     positions, masks, data brought to the device
//   "attention"       { "kernel": name of one of the accelerator's attention_kernels, "kind", "source" }
//   "pads_values"     whether fused attention has heads of one width, so that values narrower than keys
//                     (latent attention) are padded to them; else each is as wide as it is
//   "fused_loss"      whether the loss is one kernel that keeps the logits and puts their gradient in their
//                     place; else their softmax is kept in FP32
//   "recompute_stops_early"  whether a layer that is recomputed is only up to what its backward reads:
//                     not its last product (PyTorch's checkpoint without reentry, from 2.1 on:
//                     https://docs.pytorch.org/docs/stable/checkpoint.html, early_stop); else all of it
//   "scatter_gather"  whether without sequence parallelism each tensor-parallel device sends its share of
//                     what passes between stages, and the receivers gather it (Narayanan et al. 2021, arXiv
//                     2104.04473, section 4.1); else each sends all of it
//   "gradient_bytes"  N: of a gradient as it is reduced, 2 or 4
//   "gradient_bucket_mb"  N: gradients are reduced by buckets of as many megabytes, each when it is full; the
//                     last one hides under nothing
//   "hidden"          { "tensor": N, "chunks": N, "data": N, "gradients": N, "parameters": N, "fused": N }:
//                     what of a collective that could hide does: of tensor parallelism, of what of it hides
//                     only where it is cut into chunks (else as "tensor"), of ZeRO-2 and -3 inside passes, of
//                     the reduction of gradients beside the backward of the last microbatch, of gathered
//                     updated parameters beside the forward of the next step's first, of what a forward and a
//                     backward that run together hide of each other's
//   "operators"       { NAME: { "forward_kernels": N, "input_gradient_kernels": N,
//                               "weight_gradient_kernels": N, "traffic": N, "gradient_traffic": N,
//                               "waits": N, "gradient_sum_bytes": N } }
//                     NAME is a kind of operator (gemm, grouped_gemm, attention, scan, memory) or one
//                     operator (norm, rotary, loss, ...: `explain` lists them), which has what its kind has
//                     where it states nothing. traffic, gradient_traffic: bytes moved by a forward and by its
//                     gradient, over those of one kernel that reads its inputs and writes its outputs once;
//                     of what is bound by memory. waits: how often during a forward the host waits for the
//                     device. gradient_sum_bytes: what kernels of their own move for a parameter to add its
//                     gradient to the accumulated one; else the product adds while it computes.
//   "encoder_operators"  as "operators": what is otherwise in layers of an encoder
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "platform/evidence.h"

namespace spillway {

struct Accelerator;

// How the software executes one operator.
struct OperatorExecution {
  std::optional<Sourced<double>> forward_kernels = {};
  std::optional<Sourced<double>> input_gradient_kernels = {};
  std::optional<Sourced<double>> weight_gradient_kernels = {};
  std::optional<Sourced<double>> traffic = {};
  std::optional<Sourced<double>> gradient_traffic = {};
  std::optional<Sourced<double>> waits = {};
  std::optional<Sourced<Bytes>> gradient_sum = {};

  friend bool operator==(const OperatorExecution&, const OperatorExecution&) = default;
};

struct Framework {
  std::string name;
  std::optional<Sourced<Seconds>> launch =
      {};  // of a kernel; the accelerator's host overhead where not stated
  Sourced<Seconds> message = not_stated(Seconds());
  Sourced<Seconds> update = not_stated(Seconds());
  std::optional<Sourced<std::string>> attention = {};  // the kernel's name
  bool pads_values = false;
  bool fused_loss = true;
  bool recompute_stops_early = false;
  bool scatter_gather = false;
  Sourced<Bytes> gradient = not_stated(Bytes(4));
  Sourced<double> hidden_tensor = not_stated(1.0);    // shares
  std::optional<Sourced<double>> hidden_chunks = {};  // default: hidden_tensor
  Sourced<double> hidden_data = not_stated(1.0);
  Sourced<double> hidden_gradients = not_stated(0.0);
  Sourced<double> hidden_parameters = not_stated(0.0);
  Sourced<double> hidden_fused = not_stated(1.0);
  Sourced<Bytes> gradient_bucket = not_stated(Bytes());  // zero: the smallest possible buckets
  Sourced<double> stage_kernels = not_stated(0.0);
  using Operators = std::map<std::string, OperatorExecution, std::less<>>;
  Operators operators = {};
  Operators encoder_operators = {};  // overrides `operators` in layers over patches
};

// Returns true for a kind of operator, or an operator of the layers in cost/layers: the names that
// `operators` may have.
bool is_operator_name(std::string_view name);
// Returns true if the operators of this name are bound by memory.
bool is_bound_by_memory(std::string_view name);
std::string operator_names();  // for people

// Returns every reason why a framework cannot run on an accelerator: an attention kernel that the accelerator
// does not state; a number out of its range. Pointers are those of the JSON form.
std::vector<Violation> check_framework(const Framework& framework, const Accelerator& accelerator);

}  // namespace spillway
