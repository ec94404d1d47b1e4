// What the analytic cost model is told: a platform, how the devices share the model, and for each block its
// architecture and how well it runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cost/draw_loads.h"
#include "cost/layers/architecture.h"
#include "cost/layers/fp8.h"
#include "cost/layers/layer_stacks.h"
#include "cost/network/parallelism.h"
#include "cost/operators/operator_times.h"
#include "cost/slabs/recomputation.h"
#include "derive/derive.h"
#include "model/model.h"
#include "platform/framework.h"
#include "platform/platform.h"

namespace spillway {

// What of a peak a block achieves, in (0, 1], where that is not left to the platform. With `compute` all
// products and attention run at that share of the peak, whatever was measured.
struct Efficiency {
  std::optional<double> compute = {};
  std::optional<double> memory = {};
  Evidence evidence = Evidence::Assumed;  // of either
};

// Where a block's fixed time per microbatch lies: on all of its layers alike, which stages then share, or on
// the first one alone.
enum class FixedIn : std::uint8_t { Layers, FirstLayer };

inline constexpr std::array<std::pair<std::string_view, FixedIn>, 2> kFixedIns{
    {{"layers", FixedIn::Layers}, {"first-layer", FixedIn::FirstLayer}}};

struct BlockCosts {
  Architecture architecture;
  Efficiency efficiency = {};
  Recomputation recompute = {};
  Seconds fixed_per_microbatch = {};  // added once per microbatch, to forwards
  FixedIn fixed_in = FixedIn::Layers;
  std::optional<Fp8Scaling> fp8 = {};  // products in FP8
  std::uint32_t lora_rank = 0;         // of adapters beside frozen weights; 0: none
  double what_if_time = 1;             // multiplies its passes, and collectives inside them

  TrainedBlock trained() const { return {architecture, lora_rank}; }
};

struct AnalyticCosts {
  Platform platform;
  Parallelism parallelism;
  std::vector<BlockCosts> blocks;  // one per block of the model
  // The platform's operators, fitted once; every cost model fits them anew where this is left out.
  std::optional<OperatorTimes> operator_times = {};
  Framework framework = {};  // check_framework finds nothing
  // The platform as it is, where some of it is left empty so that no group straddles a tier (placement.h).
  std::optional<Platform> packed = {};
  std::uint32_t equal_replicas = 1;  // each replica of a `derived` stands for this many that run alike
  double what_if_inner_collective_time = 1;  // multiplies collectives inside passes
  std::uint32_t first_device = 0;            // of the job on the platform
  // Laid out before for these blocks, or others; copies share it.
  std::shared_ptr<LayerStacks> stacks = std::make_shared<LayerStacks>();
};

// Where the job's devices sit on the platform: those of every replica.
DeviceGrid device_grid(const AnalyticCosts& costs, const Pipeline& pipeline);

// Does each tier split or hold whole ranks, `pipeline.replicas` replicas wide? Transfers between two ranks
// cross the same tiers in every replica then.
bool replicas_lie_alike(const AnalyticCosts& costs, const Pipeline& pipeline);

// Everything that cannot be priced; pointers are /parallel/..., /pipeline and /model/blocks/<i>/.... The
// platform and the architectures' own sizes are the business of check_platform and check_architecture, and
// found correct by them.
std::vector<Violation> check_analytic(const AnalyticCosts& costs, const Model& model,
                                      const Pipeline& pipeline);

// Why the layers of a block cannot be shared out so among a rank's devices; pointers are /parallel/....
// Images are encoded whole.
std::vector<Violation> check_split(const BlockCosts& block, const Parallelism& parallel);

// By block, for DeriveOptions::joined_replicas: 1 for blocks without routed experts.
// Contract: check_analytic finds nothing.
std::vector<std::uint32_t> joined_replicas(const AnalyticCosts& costs);

// The image loads of a draw for these costs; one serves every schedule and every efficiency.
DrawLoads draw_loads(const AnalyticCosts& costs, const Draw& draw);

}  // namespace spillway
