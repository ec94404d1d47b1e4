#!/bin/bash
# A recipe of NVIDIA-NeMo/Megatron-Bridge @067f987df0 by its name.
python -m torch.distributed.run --nproc_per_node 8 scripts/training/run_recipe.py \
  --recipe qwen25_vl_72b_sft_32gpu_h100_bf16_config
