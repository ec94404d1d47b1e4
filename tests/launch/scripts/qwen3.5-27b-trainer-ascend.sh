#!/bin/bash
# The arguments and values of Ascend/MindSpeed-MM @57069cd55a,
# examples/qwen3_5/finetune_qwen3_5_27B.sh.
export NON_MEGATRON=true
NPUS_PER_NODE=16
NNODES=1
torchrun --nproc_per_node $NPUS_PER_NODE --nnodes $NNODES mindspeed_mm/fsdp/train/trainer.py examples/qwen3_5/qwen3_5_27B_config.yaml \
  --distributed-backend nccl
