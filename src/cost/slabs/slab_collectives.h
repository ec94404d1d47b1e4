// The collectives of a slab of backbone layers, pass by pass, and the work that each hides under.
//
//                                      forward            input gradient             weight gradient
//   tensor, sequence-parallel          gather, scatter    gather; scatter (w);
//                                                         gather of the inputs (i)
//   tensor alone                       all-reduce         all-reduce (w)
//   context, a ring of keys, values    sends (a)          twice the sends (a)
//   context, Ulysses                   two all-to-alls    two all-to-alls
//   expert                             dispatch, combine  dispatch, combine (all-to-alls)
//   expert by an all-gather            gather, scatter    gather, scatter (tokens of the whole group)
//   experts split by tensors           gather, scatter    gather, scatter (beside dispatch and combine)
//   ZeRO-2                                                                           reduce-scatter (w)
//   ZeRO-3                             gather (f)         gather (i)                 reduce-scatter (w)
//
// (a) hides under the attention of the pass; (f), (i) and (w) hide under forward, input gradient and weight
// gradient. If no weight gradient follows in the same event, (w) of the input gradient hides under nothing.
// The other collectives are exposed. With TensorOverlap::None all of tensor parallelism is exposed; with
// TensorOverlap::All only such a (w) is. In a fused event, exposed collectives hide under the computing of
// the other microbatch's pass. Tensor parallelism is the exception: TensorOverlap says all that hides of it.
// Recomputation repeats the forward's exposed collectives. A framework may hide only a share of what could
// hide (framework.h).
//
// Where a framework waits for the whole device at each layer, the gather of the next layer begins when the
// host has issued a layer. It hides under the rest of that layer on the device (AfterIssue). Reductions of a
// layer hide under nothing if the layer before it is recomputed. With HSDP, gathers and scatters run among
// the devices that share out parameters, and an all-reduce of a share follows each scatter.
//
// Megatron-LM overlaps a scatter of input gradients with the weight gradient's product, and the gather of its
// inputs with the input gradient's (megatron/core/tensor_parallel/layers.py). Context parallelism is a ring
// with zigzag chunks (Liu et al. 2023, Ring Attention, arXiv 2310.01889). ZeRO prefetches (arXiv 1910.02054).
#pragma once

#include <span>
#include <vector>

#include "cost/layers/layer_cost.h"
#include "cost/network/collectives.h"
#include "cost/network/stage_groups.h"
#include "cost/slabs/gradients.h"
#include "cost/slabs/recomputation.h"
#include "platform/framework.h"

namespace spillway {

enum class Hides { Nothing, Attention, Pass, AfterIssue, WeightGradient };
enum class Among { Tensor, Context, Expert, Data };

// `times` runs of one operation. The groups lie differently, or they pass a token on from one to the next
// while more arrive. The slowest group sets the pace.
struct SlabCollectiveUse {
  Among among;
  Pass pass;  // Forward, InputGradient or WeightGradient
  Hides under;
  double hidden;  // share that hides under `under`; the rest is exposed
  double beside;  // share of the exposed rest that hides under the other pass of a fused event
  CollectiveOperation operation;
  std::vector<DeviceGroup> groups;
  std::vector<double> shares;             // by group: share of the bytes
  std::vector<CollectiveTime> durations;  // by group
  Bytes per_token;                        // per token that is left after context parallelism
  Bytes fixed;
  double times;
  double repeated = 0;  // share of a forward's times that a backward repeats
  Carrier carrier = Carrier::Library;

  Bytes bytes(double tokens) const { return per_token * tokens + fixed; }
  std::size_t slowest_group(double tokens) const;
  Bytes bytes_in(std::size_t group, double tokens) const { return shares[group] * bytes(tokens); }
  CollectiveEstimate slowest(double tokens) const;
};

struct CollectiveTimes {
  Seconds exposed;
  Seconds exposed_tensor;  // of the exposed ones, those of the tensor-parallel group
  Seconds under_attention;
  Seconds under_pass;
  Seconds after_issue = {};

  CollectiveTimes operator*(double factor) const {
    return {exposed * factor, exposed_tensor * factor, under_attention * factor, under_pass * factor,
            after_issue * factor};
  }
};

// By pass. `input_reduction` hides under the weight gradient if one follows.
struct SlabCommunication {
  CollectiveTimes forward;
  CollectiveTimes input_gradient;
  CollectiveTimes weight_gradient;
  Seconds input_reduction;
  CollectiveTimes repeated = {};  // exposed collectives of the forward that the input gradient repeats

  SlabCommunication operator*(double factor) const {
    return {forward * factor, input_gradient * factor, weight_gradient * factor, input_reduction * factor,
            repeated * factor};
  }
};

struct SlabPlacement {
  const Platform* platform;
  const Framework* framework;
  DeviceGrid grid;
  RankId rank;
  Parallelism parallelism;
  TimedCollectives* timed = nullptr;  // those of the platform, shared by the slabs of a job; null: by none
};

// `width`: elements that pass between layers, per token, or per patch of a split encoder.
std::vector<SlabCollectiveUse> slab_collectives(std::span<const Layer> layers, std::uint32_t width,
                                                Gradients gradients, const SlabPlacement& placement,
                                                const Recomputation& recomputation = {});

SlabCommunication slab_communication(std::span<const SlabCollectiveUse> uses, double tokens);

}  // namespace spillway
