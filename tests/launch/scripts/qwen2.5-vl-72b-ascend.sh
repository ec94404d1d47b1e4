#!/bin/bash
# The arguments and values of Ascend/MindSpeed-MM @d57069cd55, examples/qwen2.5vl/finetune_qwen2_5_vl_72b.sh.
NPUS_PER_NODE=16
NNODES=$(cat hostfile | wc -l)
WORLD_SIZE=$(($NPUS_PER_NODE*$NNODES))
TP=2
PP=8
CP=1
MBS=1
GRAD_ACC_STEP=96
DP=$(($WORLD_SIZE/$TP/$PP/$CP))
GBS=$(($MBS*$GRAD_ACC_STEP*$DP))
torchrun --nproc_per_node $NPUS_PER_NODE --nnodes $NNODES pretrain_vlm.py \
  --use-mcore-models \
  --tensor-model-parallel-size ${TP} \
  --pipeline-model-parallel-size ${PP} \
  --context-parallel-size ${CP} \
  --context-parallel-algo ulysses_cp_algo \
  --micro-batch-size ${MBS} \
  --global-batch-size ${GBS} \
  --vocab-size 152064 \
  --seq-length 1024 \
  --make-vocab-size-divisible-by 1 \
  --normalization RMSNorm \
  --swiglu \
  --bf16 \
  --use-distributed-optimizer \
  --use-flash-attn \
  --mm-data ./examples/qwen2.5vl/data_72b.json \
  --mm-model ./examples/qwen2.5vl/model_72b.json
