// A draw whose samples are computed where a schedule's rule puts them: what that makes of it, and what the
// exchange between encoder and backbone takes.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/given.h"
#include "derive/derive.h"
#include "experiment/experiment.h"
#include "workload/regroup.h"
#include "workload/sample_cache.h"

namespace spillway {

// What the rule makes of a draw. Contract: it is not as drawn.
SampledDraw regrouped_draw(const Regrouping& rule, const Draw& draw, Packing packing);

// What the all-to-all of a microbatch takes and what the busiest device of a replica sends or receives in it,
// by [replica][microbatch]; empty where nothing is exchanged.
struct SampleExchange {
  std::vector<std::vector<Seconds>> time;
  std::vector<std::vector<Bytes>> moved;
};

// Between the devices that hold the same part of the first stage behind the encoder, in every group of
// replicas that share, as if each sent and received what the busiest of them does, in equal parts
// (cost/network/collectives.h). An exchange in which nothing moves is made all the same.
SampleExchange sample_exchange(const AnalyticCosts& costs, const Outline& outline,
                               const std::vector<std::vector<SeamTraffic>>& traffic,
                               std::uint32_t patches_per_token);

// One transfer's time each; in the bytes that the images' block states of its output.
SampleExchange sample_exchange(const GivenCosts& costs, const Outline& outline,
                               const std::vector<std::vector<SeamTraffic>>& traffic);

// The stage that holds the first layer behind the leading encoder; none where there is no encoder or nothing
// else. Contract: layers of regions are whole stages.
std::vector<StageId> stages_behind_encoder(const Outline& outline);

}  // namespace spillway
