#!/bin/bash
# A recipe of NVIDIA-NeMo/Megatron-Bridge @067f987df0 as scripts/training/run_recipe.py starts it.
torchrun --nproc_per_node=8 scripts/training/run_recipe.py \
  --recipe llama3_70b_pretrain_32gpu_h100_bf16_config \
  --mode pretrain \
  --dataset mock
