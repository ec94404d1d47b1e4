// How the devices of a pipeline rank and its replicas share a stage.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace spillway {

// What data parallelism does with gradients, and which model states the devices with the same parameters
// share out instead of keeping all of them on each (ZeRO, Rajbhandari et al. 2020, arXiv 1910.02054, section
// 5).
enum class DataParallel : std::uint8_t {
  Plain,  // gradients are all-reduced; nothing is shared out
  Zero1,  // optimizer states; gradients are reduce-scattered, updated parameters all-gathered
  Zero2,  // gradients too
  Zero3   // parameters too: gathered for each forward and each backward
};

inline constexpr std::array<std::pair<std::string_view, DataParallel>, 4> kDataParallels{
    {{"plain", DataParallel::Plain},
     {"zero1", DataParallel::Zero1},
     {"zero2", DataParallel::Zero2},
     {"zero3", DataParallel::Zero3}}};

// How a token travels to the devices of its experts.
enum class ExpertDispatch : std::uint8_t {
  PerExpert,  // a copy for every expert, as in an all-to-all of tokens sorted by expert
  // One to every device that has any of them; one over the network to every node, whence it goes on to the
  // node's devices while more arrive (DeepSeek-V3, arXiv 2412.19437, section 3.2.2; DeepEP).
  PerNode,
  // Every token to every device of the group, by an all-gather; what the devices make of it is reduced and
  // scattered (Megatron-LM's MoEAllGatherTokenDispatcher, MindSpeed's "allgather").
  AllGather
};

// How the devices of a context-parallel group share out attention.
enum class ContextBy : std::uint8_t {
  Ring,    // keys and values go round, beside the attention of a chunk (arXiv 2310.01889)
  Ulysses  // all-to-alls exchange tokens for heads and back (Jacobs et al. 2023, arXiv 2309.14509)
};

// Which collectives of the tensor-parallel group run beside products.
enum class TensorOverlap : std::uint8_t {
  None,      // frameworks before Megatron-LM 2.7
  Backward,  // those of a backward that a product does not wait for; Megatron-LM's default
  All  // all of them, cut into chunks that run beside the products they feed or follow (NeMo's user guide,
       // "Communication Overlap": user buffers)
};

// How groups lie on tiers they do not divide: 64 neighbours where a rack has 72.
enum class Placement : std::uint8_t {
  Aligned,  // whole, some of each tier left empty, as far as the job still fits
  Packed    // side by side
};

// What the devices of a rank do with the images of an encoder, which lies whole on each of them, or split.
enum class EncoderImages : std::uint8_t {
  Shared,    // each image on one of them
  Repeated,  // every image on every one, as where a tower from Hugging Face stands in front of a Megatron
             // model (NVIDIA-NeMo/Megatron-Bridge, src/megatron/bridge/utils/common_utils.py,
             // hook_hf_module_setattr_for_tp_grad_sync)
  // Every image on each tensor-parallel group, whose members have heads and columns of its layers, with an
  // all-reduce behind every sublayer: towers made of Megatron's layers (MindSpeed-MM, Megatron-LM's
  // examples/multimodal), without sequence parallelism.
  Split
};

// Where Adam's states lie: on the device, or in its host's memory, swapped in and out while it updates, one
// piece after the other (MindSpeed, docs/features/swap-optimizer.md).
enum class OptimizerPlace : std::uint8_t { Device, Swapped };

// Tensor, context and expert parallelism in devices.
struct Parallelism {
  std::uint32_t tensor = 1;         // heads and columns
  std::uint32_t context = 1;        // a sequence's tokens; the devices hold the same parameters
  std::uint32_t expert = 1;         // which share out the experts of a layer
  std::uint32_t expert_tensor = 1;  // neighbours that share out each expert
  ContextBy context_by = ContextBy::Ring;
  DataParallel data = DataParallel::Plain;
  // Between tensor-parallel sublayers each member has a share of the tokens (arXiv 2205.05198), not all.
  bool sequence_parallel = true;
  TensorOverlap tensor_overlap = TensorOverlap::Backward;
  // Of skewed routing: tokens of the busiest expert-parallel rank over the mean.
  double expert_imbalance = 1;
  ExpertDispatch dispatch = ExpertDispatch::PerExpert;
  // Dispatched in FP8, with a 4-byte scale for each 128 numbers, where combining stays in BF16 (arXiv
  // 2412.19437, section 3.3.3); the gradient of a combine is a dispatch.
  bool fp8_dispatch = false;
  Placement placement = Placement::Aligned;
  OptimizerPlace optimizer = OptimizerPlace::Device;
  EncoderImages images = EncoderImages::Shared;

  // Devices of one pipeline rank and replica.
  std::uint32_t members() const { return tensor * context; }
  // Of those, how many share out a microbatch's images.
  std::uint32_t image_sharers() const { return images == EncoderImages::Shared ? members() : 1; }
  // Over which an encoder's optimizer states may be shared out: what gets the same gradients from elsewhere
  // does not count.
  std::uint32_t encoder_copies() const { return images == EncoderImages::Shared ? members() : context; }
  // Which split its layers.
  std::uint32_t encoder_tensor() const { return images == EncoderImages::Split ? tensor : 1; }
  // Inside an encoder's passes. ZeRO's collectives are not there: above its first stage it is treated so.
  Parallelism of_encoder() const;
  // Of an expert-parallel group: consecutive ones of a stage's members x replicas.
  std::uint32_t expert_devices() const { return expert * expert_tensor; }
};

// How many consecutive replicas one expert-parallel group spans: 1 while it fits a rank's members.
// Contract: check_parallelism finds nothing.
std::uint32_t joined_replicas(const Parallelism& parallelism);

// Sizes that do not fit together; pointers are /parallel/tensor, /parallel/context, /parallel/expert,
// /parallel/expert_tensor, /parallel/expert_imbalance, /parallel/dispatch, /parallel/fp8_dispatch and
// /parallel/sequence_parallel.
std::vector<Violation> check_parallelism(const Parallelism& parallelism, std::uint32_t replicas);

}  // namespace spillway
