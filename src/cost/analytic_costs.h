// The input of the analytic cost model: a platform, how the devices share the model, and for each block its
// architecture and how well it runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cost/draw_loads.h"
#include "cost/layers/architecture.h"
#include "cost/layers/layer_stacks.h"
#include "cost/measured/measured_passes.h"
#include "cost/network/parallelism.h"
#include "cost/operators/operator_times.h"
#include "cost/slabs/offload.h"
#include "cost/slabs/recomputation.h"
#include "derive/derive.h"
#include "model/model.h"
#include "platform/framework.h"
#include "platform/platform.h"

namespace spillway {

// The share of a peak that a block achieves, in (0, 1], if the experiment states it instead of the platform.
// With `compute`, all products and attention run at that share of the peak, and measured tables are ignored.
struct Efficiency {
  std::optional<double> compute = {};
  std::optional<double> memory = {};
  Evidence evidence = Evidence::Assumed;  // of both

  friend bool operator==(const Efficiency&, const Efficiency&) = default;
};

// Which layers take a block's fixed time per microbatch: all of its layers in equal parts, which stages then
// share, or the first layer alone.
enum class FixedIn : std::uint8_t { Layers, FirstLayer };

inline constexpr std::array<std::pair<std::string_view, FixedIn>, 2> kFixedIns{
    {{"layers", FixedIn::Layers}, {"first-layer", FixedIn::FirstLayer}}};

struct BlockCosts {
  Architecture architecture;
  std::string family = {};  // the model_type of its config.json; prices nothing
  Efficiency efficiency = {};
  Recomputation recompute = {};
  Seconds fixed_per_microbatch = {};  // added to the forward, once per microbatch
  FixedIn fixed_in = FixedIn::Layers;
  Precision precision = {};
  Adapters adapters = {};   // beside frozen weights
  double what_if_time = 1;  // multiplies the times of its passes and of the collectives inside them
  Offload offload = {};

  TrainedBlock trained() const { return {architecture, adapters}; }

  friend bool operator==(const BlockCosts&, const BlockCosts&) = default;
};

struct AnalyticCosts {
  Platform platform;
  Parallelism parallelism;
  std::vector<BlockCosts> blocks;  // one per block of the model
  // The platform's operators, fitted once. If absent, every cost model fits them again.
  std::optional<OperatorTimes> operator_times = {};
  Framework framework = {};  // check_framework finds nothing
  // The platform as given, if `platform` leaves devices empty so that no group straddles a tier
  // (placement.h).
  std::optional<Platform> packed = {};
  std::uint32_t equal_replicas = 1;  // each replica of a `derived` stands for this many equal replicas
  double what_if_inner_collective_time = 1;  // multiplies collectives inside passes
  std::uint32_t first_device = 0;            // of the job, on the platform
  // Passes that were measured, in place of the roofline; null: none (draws/measured_costs.h).
  std::shared_ptr<const PassTable> measured = {};
  double measured_time = 1;  // multiplies them; intervals draw it
  // These costs without what-ifs, as the passes were measured; null: there are no what-ifs.
  std::shared_ptr<const AnalyticCosts> before_what_if = {};
  // Layers laid out before, for these blocks or others; copies share it.
  std::shared_ptr<LayerStacks> stacks = std::make_shared<LayerStacks>();
};

// The places of the job's devices, of all replicas, on the platform.
DeviceGrid device_grid(const AnalyticCosts& costs, const Pipeline& pipeline);

// Returns true if each tier splits or holds whole ranks, each `pipeline.replicas` replicas wide. Transfers
// between two ranks then cross the same tiers in every replica.
bool replicas_lie_alike(const AnalyticCosts& costs, const Pipeline& pipeline);

// Return everything that cannot be priced; pointers are /parallel/..., /pipeline and /model/blocks/<i>/....
// Contract: check_platform and check_architecture find nothing in the platform and the architectures.
std::vector<Violation> check_analytic(const AnalyticCosts& costs, const Model& model,
                                      const Pipeline& pipeline);

// Returns why these costs lack what a schedule is for (Needs): 1f1b-overlap hides the all-to-alls of experts.
// Pointers are /schedule. Refused are what Megatron-LM refuses (transformer_config.py @d98e8a64,
// overlap_moe_expert_parallel_comm): no experts, no expert parallelism, tokens gathered for all experts, and
// whole layers or mixtures that the backward computes again.
std::vector<Violation> check_needs(const AnalyticCosts& costs, const Schedule& schedule);

// Return why a block's layers cannot be split this way over a rank's devices; pointers are /parallel/.... No
// image is divided.
std::vector<Violation> check_split(const BlockCosts& block, const Parallelism& parallel);

// By block, for DeriveOptions::joined_replicas; 1 for blocks without routed experts. Contract: check_analytic
// finds nothing.
std::vector<std::uint32_t> joined_replicas(const AnalyticCosts& costs);

// The loads of a draw for these costs. One DrawLoads serves every schedule and every efficiency.
DrawLoads draw_loads(const AnalyticCosts& costs, const Draw& draw);

}  // namespace spillway
