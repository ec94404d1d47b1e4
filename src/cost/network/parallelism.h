// The ways in which the devices of a pipeline rank and its replicas share a stage.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "platform/expert_dispatch.h"

namespace spillway {

// The collectives that data parallelism runs on gradients, and the model states that devices with the same
// parameters share out instead of each keeping all of them (ZeRO, Rajbhandari et al. 2020, arXiv 1910.02054,
// section 5).
enum class DataParallel : std::uint8_t {
  Plain,  // gradients are all-reduced; nothing is shared out
  Zero1,  // optimizer states; gradients are reduce-scattered, updated parameters all-gathered
  Zero2,  // also gradients
  Zero3   // also parameters: gathered for each forward and each backward
};

inline constexpr std::array<std::pair<std::string_view, DataParallel>, 4> kDataParallels{
    {{"plain", DataParallel::Plain},
     {"zero1", DataParallel::Zero1},
     {"zero2", DataParallel::Zero2},
     {"zero3", DataParallel::Zero3}}};

// The way in which the devices of a context-parallel group share out attention.
enum class ContextBy : std::uint8_t {
  Ring,    // keys and values go round, while attention runs on a chunk (arXiv 2310.01889)
  Ulysses  // all-to-alls exchange tokens for heads and back (Jacobs et al. 2023, arXiv 2309.14509)
};

// The collectives of the tensor-parallel group that run beside products.
enum class TensorOverlap : std::uint8_t {
  None,      // frameworks before Megatron-LM 2.7
  Backward,  // those of a backward that no product waits for; Megatron-LM's default
  // All of them, cut into chunks that run beside the products they feed or follow (NeMo's user guide,
  // "Communication Overlap": user buffers).
  All
};

// The places of groups on tiers that they do not divide: 64 neighbours, racks of 72.
enum class Placement : std::uint8_t {
  Aligned,  // whole; some devices of each tier stay empty, as far as the job still fits
  Packed    // side by side
};

// The work of a rank's devices on the images of an encoder. The encoder lies whole on each of them, or is
// split.
enum class EncoderImages : std::uint8_t {
  Shared,  // each image on one of them
  // Every image on every one, as when a tower from Hugging Face precedes a Megatron model
  // (NVIDIA-NeMo/Megatron-Bridge, src/megatron/bridge/utils/common_utils.py,
  // hook_hf_module_setattr_for_tp_grad_sync).
  Repeated,
  // Every image on each tensor-parallel group, whose members have heads and columns of its layers. An
  // all-reduce follows every sublayer, without sequence parallelism. Towers made of Megatron's layers run so
  // (MindSpeed-MM, Megatron-LM's examples/multimodal).
  Split
};

// Adam's states lie on the device, or in its host's memory. In the latter case they are swapped in and out
// during the update, one piece after the other (MindSpeed, docs/features/swap-optimizer.md).
enum class OptimizerPlace : std::uint8_t { Device, Swapped };

// Adam's states, in bytes per trained parameter (Megatron-LM, use_precision_aware_optimizer with
// main_params_dtype, exp_avg_dtype and exp_avg_sq_dtype), and the share of them that the host keeps and
// updates (optimizer_offload_fraction; megatron/core/optimizer/cpu_offloading). Muon updates the matrices of
// layers without the last of them (cost/orthogonalization.h).
struct OptimizerStates {
  Bytes main_params = Bytes(4);
  Bytes exp_avg = Bytes(4);
  Bytes exp_avg_sq = Bytes(4);
  double offloaded = 0;
  std::uint32_t newton_schulz_steps = 0;  // of Muon (muon_num_ns_steps); 0: Adam updates everything

  Bytes of_matrix() const { return main_params + exp_avg; }
  Bytes each() const { return main_params + exp_avg + exp_avg_sq; }
  friend bool operator==(const OptimizerStates&, const OptimizerStates&) = default;
};

// Muon takes whole matrices, which Zero2 and Zero3 split.
inline bool updates(const OptimizerStates& states, DataParallel data) {
  return states.newton_schulz_steps == 0 || data < DataParallel::Zero2;
}

// Tensor, context and expert parallelism in devices.
struct Parallelism {
  std::uint32_t tensor = 1;         // splits heads and columns
  std::uint32_t context = 1;        // splits a sequence's tokens; the devices hold the same parameters
  std::uint32_t expert = 1;         // devices that share out the experts of a layer
  std::uint32_t expert_tensor = 1;  // neighbours that share out each expert
  ContextBy context_by = ContextBy::Ring;
  DataParallel data = DataParallel::Plain;
  // If true, each member has a share of the tokens between tensor-parallel sublayers (arXiv 2205.05198); else
  // all.
  bool sequence_parallel = true;
  TensorOverlap tensor_overlap = TensorOverlap::Backward;
  // The skew of routing: tokens of the busiest expert-parallel rank over the mean.
  double expert_imbalance = 1;
  bool routing_stated = false;  // somebody stated it; else it is assumed
  ExpertDispatch dispatch = ExpertDispatch::PerExpert;
  // Dispatches in FP8, with a 4-byte scale for each 128 numbers, and combines in BF16 (arXiv 2412.19437,
  // section 3.3.3). The gradient of a combine is a dispatch.
  bool fp8_dispatch = false;
  Placement placement = Placement::Aligned;
  OptimizerPlace optimizer = OptimizerPlace::Device;
  OptimizerStates states = {};
  // The main parameters are the 16 bits that BF16 weights lack (store_param_remainders).
  bool main_remainders = false;
  // With Zero3, false keeps gathered parameters until the backward (PyTorch FSDP2, reshard_after_forward).
  bool reshard_after_forward = true;
  // With Zero3, groups of so many devices share parameters out. Gradients are all-reduced between groups
  // (HSDP; torchtitan's data_parallel_shard_degree). 0: all copies.
  std::uint32_t shard_degree = 0;
  EncoderImages images = EncoderImages::Shared;

  // Devices of one pipeline rank and replica.
  std::uint32_t members() const { return tensor * context; }
  // The members that share out a microbatch's images.
  std::uint32_t image_sharers() const { return images == EncoderImages::Shared ? members() : 1; }
  // The devices that may share out an encoder's optimizer states. Devices that receive the same gradients
  // anyway do not count.
  std::uint32_t encoder_copies() const { return images == EncoderImages::Shared ? members() : context; }
  // The devices that split an encoder's layers.
  std::uint32_t encoder_tensor() const { return images == EncoderImages::Split ? tensor : 1; }
  // The parallelism inside an encoder's passes. They run none of ZeRO's collectives: higher stages count as
  // Zero1.
  Parallelism of_encoder() const;
  // The devices of an expert-parallel group, which are consecutive among a stage's members x replicas.
  std::uint32_t expert_devices() const { return expert * expert_tensor; }

  friend bool operator==(const Parallelism&, const Parallelism&) = default;
};

// The number of consecutive replicas that one expert-parallel group spans: 1 if it fits a rank's members.
// Contract: check_parallelism finds nothing.
std::uint32_t joined_replicas(const Parallelism& parallelism);

// Return the sizes that do not fit together; pointers are /parallel/tensor, /parallel/context,
// /parallel/expert, /parallel/expert_tensor, /parallel/expert_imbalance, /parallel/dispatch,
// /parallel/fp8_dispatch, /parallel/sequence_parallel, /parallel/reshard_after_forward and
// /parallel/data_parallel_shard_degree.
std::vector<Violation> check_parallelism(const Parallelism& parallelism, std::uint32_t replicas);

}  // namespace spillway
