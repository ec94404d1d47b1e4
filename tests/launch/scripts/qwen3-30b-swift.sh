#!/bin/bash
# The arguments and values of modelscope/ms-swift @3602360a56, examples/megatron/moe/qwen3_moe.sh.
NNODES="$WORLD_SIZE" \
megatron sft \
  --model Qwen/Qwen3-30B-A3B-Base \
  --save_safetensors true \
  --dataset DATA \
  --load_from_cache_file true \
  --split_dataset_ratio 0.01 \
  --pipeline_model_parallel_size 2 \
  --expert_model_parallel_size 8 \
  --moe_permute_fusion true \
  --moe_grouped_gemm true \
  --moe_shared_expert_overlap true \
  --moe_aux_loss_coeff 1e-3 \
  --micro_batch_size 1 \
  --global_batch_size 16 \
  --packing true \
  --recompute_granularity full \
  --recompute_method uniform \
  --recompute_num_layers 1 \
  --num_train_epochs 3 \
  --finetune true \
  --cross_entropy_loss_fusion true \
  --lr 1e-5 \
  --lr_warmup_fraction 0.05 \
  --min_lr 1e-6 \
  --output_dir DATA \
  --eval_steps 200 \
  --save_steps 200 \
  --max_length 8192 \
  --dataloader_num_workers 8 \
  --dataset_num_proc 8 \
  --no_save_optim true \
  --no_save_rng true \
  --sequence_parallel true \
  --attention_backend flash
