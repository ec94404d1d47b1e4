#!/bin/bash
# The arguments and values of Ascend/MindSpeed-MM @57069cd55a,
# examples/qwen3vl/finetune_qwen3vl_30B.sh.
export NON_MEGATRON=true
NPUS_PER_NODE=16
NNODES=1
torchrun --nproc_per_node $NPUS_PER_NODE --nnodes $NNODES pretrain_transformers.py examples/qwen3vl/qwen3vl_full_sft_30B.yaml \
  --distributed-backend nccl
