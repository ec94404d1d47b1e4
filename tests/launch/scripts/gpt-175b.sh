#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/gpt3/train_gpt3_175b_distributed.sh.
GPUS_PER_NODE=8
NNODES=1
MBS=1
GBS=1536
TP=8
PP=16
LAUNCHER="--nproc_per_node $GPUS_PER_NODE --nnodes $NNODES"
ARGS=(
  --num-layers 96
  --hidden-size 12288
  --num-attention-heads 96
  --seq-length 2048
  --max-position-embeddings 2048
  --attention-backend auto
  --micro-batch-size ${MBS}
  --global-batch-size ${GBS}
  --step-batch-size-schedule 0:16 2.4B:320 4.8B:624 7.2B:928 9.6B:1232 12B:1536
  --train-iters 500000
  --weight-decay 0.1
  --adam-beta1 0.9
  --adam-beta2 0.95
  --init-method-std 0.006
  --clip-grad 1.0
  --fp16
  --lr 6.0e-5
  --lr-decay-style cosine
  --min-lr 6.0e-6
  --lr-warmup-fraction .001
  --lr-decay-iters 430000
  --tensor-model-parallel-size ${TP}
  --pipeline-model-parallel-size ${PP}
  --data-path
  --vocab-file
  --merge-file
  --split 949,50,1
  --log-interval 100
  --save-interval 10000
  --eval-interval 1000
  --save
  --load
  --eval-iters 10
  --tensorboard-dir
)
torchrun $LAUNCHER pretrain_gpt.py \
  "${ARGS[@]}"
