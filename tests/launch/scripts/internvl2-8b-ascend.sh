#!/bin/bash
# The arguments and values of Ascend/MindSpeed-MM @02655c5a,
# examples/internvl2/finetune_internvl2_8B.sh.
NPUS_PER_NODE=8
NNODES=1
WORLD_SIZE=$(($NPUS_PER_NODE*$NNODES))
TP=1
PP=4
CP=1
MBS=1
GRAD_ACC_STEP=64
DP=$(($WORLD_SIZE/$TP/$PP/$CP))
GBS=$(($MBS*$GRAD_ACC_STEP*$DP))
torchrun --nproc_per_node $NPUS_PER_NODE --nnodes $NNODES pretrain_vlm.py \
  --tensor-model-parallel-size ${TP} \
  --pipeline-model-parallel-size ${PP} \
  --context-parallel-size ${CP} \
  --micro-batch-size ${MBS} \
  --global-batch-size ${GBS} \
  --seq-length 4096 \
  --tokenizer-type NullTokenizer \
  --vocab-size 92553 \
  --position-embedding-type rope \
  --rotary-base 1000000 \
  --swiglu \
  --no-masked-softmax-fusion \
  --lr 4e-5 \
  --min-lr 0.0 \
  --train-iters 5000 \
  --lr-decay-style cosine \
  --weight-decay 0.05 \
  --clip-grad 1.0 \
  --adam-beta1 0.9 \
  --adam-beta2 0.999 \
  --no-gradient-accumulation-fusion \
  --use-distributed-optimizer \
  --bf16 \
  --load DATA \
  --use-flash-attn \
  --use-fused-rotary-pos-emb \
  --variable-seq-lengths \
  --normalization RMSNorm \
  --use-fused-rmsnorm \
  --no-load-optim \
  --no-load-rng \
  --no-save-optim \
  --no-save-rng \
  --num-workers 4 \
  --mm-data ./examples/internvl2/data_8B.json \
  --mm-model ./examples/internvl2/model_8B.json \
  --mm-tool DATA \
  --log-interval 1 \
  --save-interval 5000 \
  --eval-interval 5000 \
  --eval-iters 5000 \
  --save DATA \
  --ckpt-format torch \
  --distributed-backend nccl
