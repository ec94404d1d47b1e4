// Recipes of Megatron-Bridge that tune a model: all weights (SFT) or low-rank adapters, of texts or of
// images. Settings that change nothing a step computes are left out. Test:
// tests/launch/bridge_tuning_test.cpp.
#include <array>

#include "launch/bridge/recipes.h"

namespace spillway {
namespace {

constexpr std::array kTuning = std::to_array<BridgeRecipe>({
    {"llama3_8b_sft_2gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-8b", 2,
     "model.tensor_model_parallel_size=2 model.sequence_parallel=false dataset.seq_length=4096 "
     "train.global_batch_size=8",
     BridgeRecipeKind::Tuning},
    {"llama3_8b_peft_1gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-8b", 1,
     "model.sequence_parallel=false dataset.seq_length=4096 train.global_batch_size=8 peft.dim=8",
     BridgeRecipeKind::Adapters},
    {"llama31_8b_sft_2gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-8b", 2,
     "model.tensor_model_parallel_size=2 model.sequence_parallel=false dataset.seq_length=4096 "
     "train.global_batch_size=8",
     BridgeRecipeKind::Tuning},
    {"llama31_8b_peft_1gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-8b", 1,
     "model.sequence_parallel=false dataset.seq_length=4096 train.global_batch_size=8 peft.dim=8",
     BridgeRecipeKind::Adapters},
    {"llama3_70b_sft_32gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-70b", 32,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=4 "
     "model.sequence_parallel=false dataset.seq_length=4096 train.global_batch_size=8",
     BridgeRecipeKind::Tuning},
    {"llama3_70b_peft_8gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-70b", 8,
     "model.tensor_model_parallel_size=8 model.sequence_parallel=false dataset.seq_length=4096 "
     "train.global_batch_size=8 peft.dim=16",
     BridgeRecipeKind::Adapters},
    {"llama31_70b_sft_32gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-70b", 32,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=4 "
     "model.sequence_parallel=false dataset.seq_length=4096 train.global_batch_size=8",
     BridgeRecipeKind::Tuning},
    {"llama31_70b_peft_8gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-70b", 8,
     "model.tensor_model_parallel_size=8 model.sequence_parallel=false dataset.seq_length=4096 "
     "train.global_batch_size=8 peft.dim=16",
     BridgeRecipeKind::Adapters},
    {"llama31_405b_sft_128gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-405b", 128,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=16 "
     "model.sequence_parallel=true model.account_for_embedding_in_pipeline_split=true "
     "model.account_for_loss_in_pipeline_split=true train.global_batch_size=16 "
     "ddp.overlap_grad_reduce=true ddp.overlap_param_gather=true comm_overlap.tp_comm_overlap=true",
     BridgeRecipeKind::Tuning},
    {"llama31_405b_peft_32gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-405b", 32,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=8 model.sequence_parallel=true "
     "model.virtual_pipeline_model_parallel_size=8 model.account_for_embedding_in_pipeline_split=true "
     "model.account_for_loss_in_pipeline_split=true train.global_batch_size=32 peft.dim=16 "
     "peft.target_modules=[linear_qkv]",
     BridgeRecipeKind::Adapters},
    {"qwen3_600m_sft_1gpu_h100_bf16", "qwen/h100/qwen3.py", "qwen3-0.6b", 1,
     "model.sequence_parallel=false train.global_batch_size=8", BridgeRecipeKind::Tuning},
    {"qwen3_600m_peft_1gpu_h100_bf16", "qwen/h100/qwen3.py", "qwen3-0.6b", 1,
     "model.sequence_parallel=false train.global_batch_size=8", BridgeRecipeKind::Adapters},
    {"qwen3_8b_sft_4gpu_h100_bf16", "qwen/h100/qwen3.py", "qwen3-8b", 4,
     "model.tensor_model_parallel_size=4 model.sequence_parallel=false train.global_batch_size=32",
     BridgeRecipeKind::Tuning},
    {"qwen3_8b_peft_1gpu_h100_bf16", "qwen/h100/qwen3.py", "qwen3-8b", 1,
     "model.sequence_parallel=false train.global_batch_size=32 peft.dim=8 "
     "peft.target_modules=[linear_qkv,linear_proj]",
     BridgeRecipeKind::Adapters},
    {"qwen3_32b_sft_16gpu_h100_bf16", "qwen/h100/qwen3.py", "qwen3-32b", 16,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=2 "
     "model.sequence_parallel=false train.global_batch_size=8 model.recompute_granularity=full "
     "model.recompute_method=uniform model.recompute_num_layers=1",
     BridgeRecipeKind::Tuning},
    {"qwen3_32b_peft_1gpu_h100_bf16", "qwen/h100/qwen3.py", "qwen3-32b", 1,
     "model.sequence_parallel=false train.global_batch_size=8 model.recompute_granularity=full "
     "model.recompute_method=uniform model.recompute_num_layers=1",
     BridgeRecipeKind::Adapters},
    {"qwen3_30b_a3b_sft_8gpu_h100_bf16", "qwen/h100/qwen3_moe.py", "qwen3-30b-a3b", 8,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=2 model.sequence_parallel=true "
     "model.expert_model_parallel_size=4 model.expert_tensor_parallel_size=1 "
     "model.moe_token_dispatcher_type=alltoall train.global_batch_size=32 ddp.overlap_grad_reduce=true "
     "ddp.overlap_param_gather=true",
     BridgeRecipeKind::Tuning},
    {"qwen3_30b_a3b_sft_16gpu_h100_bf16", "qwen/h100/qwen3_moe.py", "qwen3-30b-a3b", 16,
     "model.sequence_parallel=false model.expert_model_parallel_size=16 "
     "model.expert_tensor_parallel_size=1 model.moe_token_dispatcher_type=alltoall "
     "train.global_batch_size=32 ddp.overlap_grad_reduce=true ddp.overlap_param_gather=true",
     BridgeRecipeKind::Tuning},
    {"qwen3_235b_a22b_sft_64gpu_h100_bf16", "qwen/h100/qwen3_moe.py", "qwen3-235b-a22b", 64,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=16 "
     "model.sequence_parallel=true model.expert_model_parallel_size=4 model.expert_tensor_parallel_size=1 "
     "model.account_for_embedding_in_pipeline_split=true model.account_for_loss_in_pipeline_split=true "
     "model.moe_token_dispatcher_type=alltoall train.global_batch_size=32 ddp.overlap_grad_reduce=true "
     "ddp.overlap_param_gather=true",
     BridgeRecipeKind::Tuning},
    {"qwen3_30b_a3b_peft_4gpu_h100_bf16", "qwen/h100/qwen3_moe.py", "qwen3-30b-a3b", 4,
     "model.tensor_model_parallel_size=4 model.sequence_parallel=true model.expert_model_parallel_size=4 "
     "model.expert_tensor_parallel_size=1 model.moe_token_dispatcher_type=alltoall "
     "train.global_batch_size=32 peft.dim=8 peft.target_modules=[linear_qkv,linear_proj] "
     "ddp.overlap_grad_reduce=true ddp.overlap_param_gather=true",
     BridgeRecipeKind::Adapters},
    {"qwen3_235b_a22b_peft_16gpu_h100_bf16", "qwen/h100/qwen3_moe.py", "qwen3-235b-a22b", 16,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=4 model.sequence_parallel=true "
     "model.expert_model_parallel_size=4 model.expert_tensor_parallel_size=1 "
     "model.account_for_embedding_in_pipeline_split=true model.account_for_loss_in_pipeline_split=true "
     "model.moe_token_dispatcher_type=alltoall train.global_batch_size=32 peft.dim=8 "
     "peft.target_modules=[linear_qkv,linear_proj] ddp.overlap_grad_reduce=true "
     "ddp.overlap_param_gather=true",
     BridgeRecipeKind::Adapters},
    {"qwen25_7b_sft_2gpu_h100_bf16", "qwen/h100/qwen2.py", "qwen2.5-7b", 2,
     "model.tensor_model_parallel_size=2 model.sequence_parallel=false ddp.overlap_grad_reduce=true "
     "ddp.overlap_param_gather=true",
     BridgeRecipeKind::Tuning},
    {"qwen25_14b_sft_4gpu_h100_bf16", "qwen/h100/qwen2.py", "qwen2.5-14b", 4,
     "model.tensor_model_parallel_size=4 model.sequence_parallel=false ddp.overlap_grad_reduce=true "
     "ddp.overlap_param_gather=true",
     BridgeRecipeKind::Tuning},
    {"qwen25_32b_sft_16gpu_h100_bf16", "qwen/h100/qwen2.py", "qwen2.5-32b", 16,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=2 "
     "model.sequence_parallel=false ddp.overlap_grad_reduce=true ddp.overlap_param_gather=true",
     BridgeRecipeKind::Tuning},
    {"qwen25_7b_peft_1gpu_h100_bf16", "qwen/h100/qwen2.py", "qwen2.5-7b", 1, "model.sequence_parallel=false",
     BridgeRecipeKind::Adapters},
    {"qwen25_14b_peft_1gpu_h100_bf16", "qwen/h100/qwen2.py", "qwen2.5-14b", 1,
     "model.sequence_parallel=false", BridgeRecipeKind::Adapters},
    {"qwen25_32b_peft_8gpu_h100_bf16", "qwen/h100/qwen2.py", "qwen2.5-32b", 8,
     "model.tensor_model_parallel_size=8 model.sequence_parallel=false", BridgeRecipeKind::Adapters},
    {"qwen25_vl_3b_sft_1gpu_h100_bf16", "qwen_vl/h100/qwen25_vl.py", "qwen2.5-vl-3b", 1,
     "model.sequence_parallel=false", BridgeRecipeKind::Images},
    {"qwen25_vl_72b_sft_32gpu_h100_bf16", "qwen_vl/h100/qwen25_vl.py", "qwen2.5-vl-72b", 32,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=4 "
     "model.sequence_parallel=false",
     BridgeRecipeKind::Images},
    {"qwen25_vl_3b_peft_1gpu_h100_bf16", "qwen_vl/h100/qwen25_vl.py", "qwen2.5-vl-3b", 1,
     "model.sequence_parallel=false", BridgeRecipeKind::ImagesAdapters},
    {"qwen25_vl_7b_peft_1gpu_h100_bf16", "qwen_vl/h100/qwen25_vl.py", "qwen2.5-vl-7b-published", 1,
     "model.sequence_parallel=false", BridgeRecipeKind::ImagesAdapters},
    {"qwen25_vl_32b_peft_1gpu_h100_bf16", "qwen_vl/h100/qwen25_vl.py", "qwen2.5-vl-32b-published", 1,
     "model.sequence_parallel=false", BridgeRecipeKind::ImagesAdapters},
    {"qwen25_vl_72b_peft_1gpu_h100_bf16", "qwen_vl/h100/qwen25_vl.py", "qwen2.5-vl-72b", 1,
     "model.sequence_parallel=false", BridgeRecipeKind::ImagesAdapters},
    {"qwen3_vl_8b_peft_1gpu_h100_bf16", "qwen_vl/h100/qwen3_vl.py", "qwen3-vl-8b", 1,
     "model.sequence_parallel=false", BridgeRecipeKind::ImagesAdapters},
    {"qwen3_vl_30b_a3b_peft_4gpu_h100_bf16", "qwen_vl/h100/qwen3_vl.py", "qwen3-vl-30b-a3b", 4,
     "model.sequence_parallel=false model.expert_model_parallel_size=4 "
     "model.moe_token_dispatcher_type=alltoall "
     "peft.target_modules=[linear_qkv,linear_proj,experts]",
     BridgeRecipeKind::ImagesAdapters},
    {"qwen3_vl_235b_a22b_peft_16gpu_h100_bf16", "qwen_vl/h100/qwen3_vl.py", "qwen3-vl-235b-a22b", 16,
     "model.sequence_parallel=false model.expert_model_parallel_size=16 "
     "model.moe_token_dispatcher_type=alltoall "
     "peft.target_modules=[linear_qkv,linear_proj,experts]",
     BridgeRecipeKind::ImagesAdapters},
    {"qwen35_vl_9b_sft_4gpu_h100_bf16", "qwen_vl/h100/qwen35_vl.py", "qwen3.5-9b", 4,
     "model.tensor_model_parallel_size=4 model.sequence_parallel=false model.mtp_num_layers=1 "
     "train.micro_batch_size=4",
     BridgeRecipeKind::Images},
    {"qwen35_vl_27b_sft_16gpu_h100_bf16", "qwen_vl/h100/qwen35_vl.py", "qwen3.5-27b", 16,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=4 "
     "model.sequence_parallel=false model.mtp_num_layers=1 train.micro_batch_size=4",
     BridgeRecipeKind::Images},
    {"qwen35_vl_35b_a3b_sft_16gpu_h100_bf16", "qwen_vl/h100/qwen35_vl.py", "qwen3.5-35b-a3b", 16,
     "model.pipeline_model_parallel_size=2 model.sequence_parallel=false model.mtp_num_layers=1 "
     "model.num_layers_in_first_pipeline_stage=17 model.num_layers_in_last_pipeline_stage=23 "
     "model.expert_model_parallel_size=8 model.expert_tensor_parallel_size=1 "
     "model.moe_token_dispatcher_type=flex train.micro_batch_size=1 model.recompute_granularity=full "
     "model.recompute_method=uniform model.recompute_num_layers=1",
     BridgeRecipeKind::Images},
    {"qwen35_vl_9b_peft_1gpu_h100_bf16", "qwen_vl/h100/qwen35_vl.py", "qwen3.5-9b", 1,
     "model.sequence_parallel=false model.mtp_num_layers=1 train.micro_batch_size=4",
     BridgeRecipeKind::ImagesAdapters},
    {"qwen35_vl_27b_peft_2gpu_h100_bf16", "qwen_vl/h100/qwen35_vl.py", "qwen3.5-27b", 2,
     "model.tensor_model_parallel_size=2 model.sequence_parallel=false model.mtp_num_layers=1 "
     "train.micro_batch_size=4",
     BridgeRecipeKind::ImagesAdapters},
    {"qwen35_vl_35b_a3b_peft_4gpu_h100_bf16", "qwen_vl/h100/qwen35_vl.py", "qwen3.5-35b-a3b", 4,
     "model.tensor_model_parallel_size=2 model.sequence_parallel=true model.mtp_num_layers=1 "
     "model.expert_model_parallel_size=4 model.expert_tensor_parallel_size=1 "
     "model.moe_token_dispatcher_type=alltoall train.micro_batch_size=1 model.recompute_granularity=full "
     "model.recompute_method=uniform model.recompute_num_layers=1 "
     "peft.target_modules=[linear_qkv,linear_proj,linear_fc1,linear_fc2,experts]",
     BridgeRecipeKind::ImagesAdapters},
});

}  // namespace

std::span<const BridgeRecipe> bridge_tuning_recipes() {
  return kTuning;
}

}  // namespace spillway
