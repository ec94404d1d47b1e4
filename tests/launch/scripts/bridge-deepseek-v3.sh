#!/bin/bash
# A recipe of NVIDIA-NeMo/Megatron-Bridge @067f987df0 as scripts/training/run_recipe.py starts it.
torchrun --nproc_per_node=8 scripts/training/run_recipe.py \
  --recipe deepseek_v3_pretrain_1024gpu_h100_bf16_config \
  --mode pretrain \
  --dataset mock
