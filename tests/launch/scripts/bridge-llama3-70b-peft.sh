#!/bin/bash
# A recipe of NVIDIA-NeMo/Megatron-Bridge @067f987df0 by its name.
python -m torch.distributed.run --nproc_per_node 8 scripts/training/run_recipe.py \
  --recipe llama3_70b_peft_8gpu_h100_bf16_config \
  --mode lora
