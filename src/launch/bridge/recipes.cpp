// Settings that change nothing a step computes are left out. Test: tests/launch/bridge_scripts_test.cpp.
#include "launch/bridge/recipes.h"

#include <algorithm>
#include <array>

namespace spillway {
namespace {

constexpr std::array kRecipes = std::to_array<BridgeRecipe>({
    {"llama3_8b_pretrain_2gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-8b", 2,
     "model.context_parallel_size=2 dataset.seq_length=8192 train.global_batch_size=512 "
     "train.micro_batch_size=1"},
    {"llama3_8b_pretrain_16gpu_h100_bf16_16k", "llama/h100/llama3.py", "llama-3-8b", 16,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=2 model.context_parallel_size=2 "
     "model.sequence_parallel=true dataset.seq_length=16384 train.global_batch_size=512 "
     "train.micro_batch_size=1"},
    {"llama3_70b_pretrain_32gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-70b", 32,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=4 "
     "model.virtual_pipeline_model_parallel_size=5 model.context_parallel_size=2 "
     "model.sequence_parallel=true "
     "dataset.seq_length=8192 train.global_batch_size=512 train.micro_batch_size=1 "
     "comm_overlap.tp_comm_overlap=true"},
    {"llama3_70b_pretrain_32gpu_h100_bf16_16k", "llama/h100/llama3.py", "llama-3-70b", 32,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=2 model.context_parallel_size=2 "
     "model.sequence_parallel=true dataset.seq_length=16384 train.global_batch_size=512 "
     "train.micro_batch_size=1 comm_overlap.tp_comm_overlap=true"},
    {"llama31_405b_pretrain_256gpu_h100_bf16", "llama/h100/llama3.py", "llama-3-405b", 256,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=8 "
     "model.virtual_pipeline_model_parallel_size=2 model.context_parallel_size=4 "
     "model.sequence_parallel=true "
     "model.account_for_embedding_in_pipeline_split=true model.account_for_loss_in_pipeline_split=true "
     "dataset.seq_length=131072 train.global_batch_size=512 train.micro_batch_size=1 "
     "comm_overlap.tp_comm_overlap=true"},
    {"qwen3_8b_pretrain_4gpu_h100_bf16", "qwen/h100/qwen3.py", "qwen3-8b", 4,
     "model.tensor_model_parallel_size=4 model.sequence_parallel=false"},
    {"qwen3_32b_pretrain_16gpu_h100_bf16", "qwen/h100/qwen3.py", "qwen3-32b", 16,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=2 model.sequence_parallel=false "
     "model.recompute_granularity=full model.recompute_method=uniform model.recompute_num_layers=1"},
    {"qwen3_30b_a3b_pretrain_8gpu_h100_bf16", "qwen/h100/qwen3_moe.py", "qwen3-30b-a3b", 8,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=2 "
     "model.expert_model_parallel_size=4 model.expert_tensor_parallel_size=1 model.sequence_parallel=true "
     "model.moe_token_dispatcher_type=alltoall model.recompute_granularity=full "
     "model.recompute_method=uniform model.recompute_num_layers=1"},
    {"qwen3_30b_a3b_pretrain_16gpu_h100_bf16", "qwen/h100/qwen3_moe.py", "qwen3-30b-a3b", 16,
     "model.expert_model_parallel_size=16 model.expert_tensor_parallel_size=1 "
     "model.moe_token_dispatcher_type=flex train.global_batch_size=1024 train.micro_batch_size=1 "
     "mixed_precision=bf16_mixed mixed_precision.grad_reduce_in_fp32=false "
     "optimizer.use_precision_aware_optimizer=true optimizer.main_params_dtype=fp32 "
     "optimizer.exp_avg_dtype=fp32 optimizer.exp_avg_sq_dtype=fp32 "
     "model.cuda_graph_impl=transformer_engine comm_overlap.tp_comm_overlap=true"},
    {"qwen3_235b_a22b_pretrain_256gpu_h100_bf16", "qwen/h100/qwen3_moe.py", "qwen3-235b-a22b", 256,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=16 model.context_parallel_size=2 "
     "model.expert_model_parallel_size=8 model.expert_tensor_parallel_size=1 model.sequence_parallel=true "
     "model.account_for_embedding_in_pipeline_split=true model.account_for_loss_in_pipeline_split=true "
     "model.moe_token_dispatcher_type=alltoall train.micro_batch_size=1"},
    {"deepseek_v3_pretrain_1024gpu_h100_bf16", "deepseek/h100/deepseek_v3.py", "deepseek-v3", 1024,
     "model.tensor_model_parallel_size=2 model.pipeline_model_parallel_size=16 "
     "model.expert_model_parallel_size=64 model.expert_tensor_parallel_size=1 model.sequence_parallel=true "
     "model.mtp_num_layers=1 model.pipeline_model_parallel_layout=Et*4|(t*4|)*14tmL "
     "model.moe_token_dispatcher_type=alltoall model.moe_shared_expert_overlap=true "
     "train.global_batch_size=4096 train.micro_batch_size=1 mixed_precision=bf16_mixed "
     "mixed_precision.grad_reduce_in_fp32=false optimizer.use_precision_aware_optimizer=true "
     "optimizer.main_params_dtype=fp32 "
     "optimizer.exp_avg_dtype=bf16 optimizer.exp_avg_sq_dtype=bf16"},
    {"gpt3_175b_pretrain_32gpu_h100_bf16", "gpt/h100/gpt3_175b.py", "gpt-175b", 32,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=8 "
     "model.virtual_pipeline_model_parallel_size=6 model.sequence_parallel=true dataset.seq_length=2048 "
     "train.global_batch_size=2048 train.micro_batch_size=2 mixed_precision=bf16_mixed "
     "mixed_precision.grad_reduce_in_fp32=false comm_overlap.tp_comm_overlap=true"},
    {"llama3_8b_pretrain_8gpu_h100_fp8cs", "llama/h100/llama3.py", "llama-3-8b", 8,
     "dataset.seq_length=8192 train.global_batch_size=128 train.micro_batch_size=1 "
     "model.recompute_granularity=full model.recompute_method=block model.recompute_num_layers=5",
     BridgeRecipeKind::Benchmark},
    {"llama3_70b_pretrain_64gpu_h100_fp8cs", "llama/h100/llama3.py", "llama-3-70b", 64,
     "model.tensor_model_parallel_size=4 model.pipeline_model_parallel_size=8 "
     "model.pipeline_model_parallel_layout=Et*2|(t*2|)*34,t*3|(t*2|)*3,tL model.sequence_parallel=true "
     "dataset.seq_length=8192 train.global_batch_size=256 train.micro_batch_size=1 "
     "comm_overlap.tp_comm_overlap=true",
     BridgeRecipeKind::Benchmark},
    {"llama31_405b_pretrain_1024gpu_h100_fp8cs", "llama/h100/llama31.py", "llama-3-405b", 1024,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=8 "
     "model.virtual_pipeline_model_parallel_size=8 model.context_parallel_size=2 "
     "model.sequence_parallel=true model.account_for_embedding_in_pipeline_split=true "
     "model.account_for_loss_in_pipeline_split=true dataset.seq_length=8192 train.global_batch_size=1536 "
     "train.micro_batch_size=1 comm_overlap.tp_comm_overlap=true",
     BridgeRecipeKind::Benchmark},
    {"deepseek_v3_pretrain_1024gpu_h100_fp8cs", "deepseek/h100/deepseek_v3.py", "deepseek-v3", 1024,
     "model.tensor_model_parallel_size=2 model.pipeline_model_parallel_size=8 "
     "model.expert_model_parallel_size=64 model.expert_tensor_parallel_size=1 model.sequence_parallel=true "
     "model.mtp_num_layers=1 model.pipeline_model_parallel_layout=Et|(tt|)*30mL "
     "model.recompute_granularity=selective model.recompute_modules=[mla_up_proj,mlp] "
     "model.moe_token_dispatcher_type=alltoall model.moe_shared_expert_overlap=true "
     "ddp.overlap_grad_reduce=false train.global_batch_size=16384 train.micro_batch_size=1 "
     "optimizer.use_precision_aware_optimizer=true optimizer.main_params_dtype=fp32 "
     "optimizer.exp_avg_dtype=bf16 optimizer.exp_avg_sq_dtype=bf16",
     BridgeRecipeKind::Benchmark},
    {"qwen25_vl_7b_sft_2gpu_h100_bf16", "qwen_vl/h100/qwen25_vl.py", "qwen2.5-vl-7b-published", 2,
     "model.tensor_model_parallel_size=2 model.sequence_parallel=false", BridgeRecipeKind::Images},
    {"qwen25_vl_32b_sft_16gpu_h100_bf16", "qwen_vl/h100/qwen25_vl.py", "qwen2.5-vl-32b-published", 16,
     "model.tensor_model_parallel_size=8 model.pipeline_model_parallel_size=2 "
     "model.sequence_parallel=false",
     BridgeRecipeKind::Images},
    {"qwen3_vl_8b_sft_2gpu_h100_bf16", "qwen_vl/h100/qwen3_vl.py", "qwen3-vl-8b", 2,
     "model.tensor_model_parallel_size=2 model.sequence_parallel=false", BridgeRecipeKind::Images},
    {"qwen3_vl_30b_a3b_sft_8gpu_h100_bf16", "qwen_vl/h100/qwen3_vl.py", "qwen3-vl-30b-a3b", 8,
     "model.expert_model_parallel_size=8 model.sequence_parallel=false "
     "model.moe_token_dispatcher_type=alltoall",
     BridgeRecipeKind::Images},
});

}  // namespace

const BridgeRecipe* bridge_recipe(std::string_view name) {
  if (name.ends_with("_config")) name.remove_suffix(std::string_view("_config").size());
  for (const std::span<const BridgeRecipe> some :
       {std::span<const BridgeRecipe>(kRecipes), bridge_tuning_recipes()})
    if (const auto found = std::ranges::find(some, name, &BridgeRecipe::name); found != some.end())
      return &*found;
  return nullptr;
}

std::vector<BridgeRecipe> bridge_recipes() {
  std::vector<BridgeRecipe> all(kRecipes.begin(), kRecipes.end());
  all.insert(all.end(), bridge_tuning_recipes().begin(), bridge_tuning_recipes().end());
  return all;
}

std::string_view common_bridge_settings() {
  return "train.global_batch_size=32 train.micro_batch_size=2 dataset.seq_length=4096 "
         "ddp.grad_reduce_in_fp32=true ddp.overlap_grad_reduce=true ddp.overlap_param_gather=true "
         "ddp.use_distributed_optimizer=true mixed_precision=bf16_mixed";
}

std::string_view settings_of_kind(BridgeRecipeKind kind) {
  switch (kind) {
    case BridgeRecipeKind::Benchmark:
      return "ddp.grad_reduce_in_fp32=false mixed_precision=bf16_with_fp8_current_scaling_mixed "
             "mixed_precision.grad_reduce_in_fp32=false mixed_precision.first_last_layers_bf16=false";
    case BridgeRecipeKind::Images:
      return "ddp.overlap_grad_reduce=false ddp.overlap_param_gather=false";
    case BridgeRecipeKind::ImagesAdapters:
      return "ddp.overlap_grad_reduce=false ddp.overlap_param_gather=false peft.dim=32 "
             "peft.target_modules=[linear_qkv,linear_proj,linear_fc1,linear_fc2]";
    case BridgeRecipeKind::Tuning:
      return "ddp.overlap_grad_reduce=false ddp.overlap_param_gather=false train.global_batch_size=128 "
             "train.micro_batch_size=1 dataset.seq_length=2048";
    case BridgeRecipeKind::Adapters:
      return "ddp.overlap_grad_reduce=false ddp.overlap_param_gather=false train.global_batch_size=128 "
             "train.micro_batch_size=1 dataset.seq_length=2048 peft.dim=32 "
             "peft.target_modules=[linear_qkv,linear_proj,linear_fc1,linear_fc2]";
    default:
      return "";
  }
}

}  // namespace spillway
