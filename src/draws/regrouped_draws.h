// A draw whose samples a schedule's rule moves to other replicas, and the time of the exchange between
// encoder and backbone.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/given.h"
#include "derive/derive.h"
#include "experiment/experiment.h"
#include "workload/regroup.h"
#include "workload/sample_cache.h"

namespace spillway {

// Applies the rule to a draw. Contract: the rule is not AsDrawn.
SampledDraw regrouped_draw(const Regrouping& rule, const Draw& draw, Packing packing);

// By [replica][microbatch]: the time of the all-to-all, and the bytes that each device of the replica sends.
// Empty if nothing is exchanged.
struct SampleExchange {
  std::vector<std::vector<Seconds>> time;
  std::vector<std::vector<Bytes>> moved;
};

// The all-to-all runs between the devices that hold the same part of the first stage behind the encoder, in
// every group of replicas that share samples. Every replica is priced as if it sent and received as much as
// the busiest one, in equal parts (cost/network/collectives.h). An exchange that moves nothing still takes
// its latency.
SampleExchange sample_exchange(const AnalyticCosts& costs, const Outline& outline,
                               const std::vector<std::vector<SeamTraffic>>& traffic,
                               std::uint32_t patches_per_token);

// Each exchange takes the time of one transfer. Bytes are those that the images' block states as its output.
SampleExchange sample_exchange(const GivenCosts& costs, const Outline& outline,
                               const std::vector<std::vector<SeamTraffic>>& traffic);

// Returns the stages that hold the first layer behind the leading encoder. Empty if there is no encoder, or
// nothing else. Contract: regions hold whole stages.
std::vector<StageId> stages_behind_encoder(const Outline& outline);

}  // namespace spillway
