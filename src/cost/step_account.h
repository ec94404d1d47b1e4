// The work of one step, and the rates of a step of some length: model FLOPs utilization (Chowdhery et al.
// 2022, PaLM, arXiv 2204.02311, section 4.1), tokens per second, price.
#pragma once

#include <cstdint>
#include <optional>

#include "base/quantity.h"
#include "cost/analytic_costs.h"

namespace spillway {

// This text says how model FLOPs are counted. Every printed MFU comes with it.
inline constexpr const char* kFlopsConvention =
    "6 FLOPs per weight and token (forward 2, backward 4; frozen parts less, as the gates say), causal "
    "attention counted half, no recomputation";

// For the whole job, with all replicas and members.
struct StepAccount {
  Flops model_flops;
  double tokens = 0;         // computed by the backbone, padding included; patches of an encoder do not count
  double useful_tokens = 0;  // of those, the tokens of samples, of images and text
  std::uint32_t devices = 0;                 // ranks x replicas x members
  FlopsPerSecond peak;                       // of one device, BF16
  std::optional<DollarsPerHour> price = {};  // of one device

  friend bool operator==(const StepAccount&, const StepAccount&) = default;
};

// Passes count as in slabs/pass_flops.h, with the gradients that the model wants. Contract: check_analytic
// finds nothing; `loads` comes from draw_loads(costs, ...) and has the pipeline's replicas.
StepAccount step_account(const AnalyticCosts& costs, const Model& model, const Pipeline& pipeline,
                         const DrawLoads& loads);

struct StepCost {
  Dollars step;
  Dollars trillion_useful_tokens;  // infinite if no token is useful
};

struct Throughput {
  double mfu;                           // model FLOPs, padding's included / (devices x peak x makespan)
  double tokens_per_second;             // padding included
  double tokens_per_second_and_device;  // padding included
  double useful_tokens_per_second;
  double fill;                   // useful tokens / tokens
  std::optional<StepCost> cost;  // price x devices x makespan
};

// Contract: makespan > 0.
Throughput throughput(const StepAccount& account, Seconds makespan);

}  // namespace spillway
