#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/mixtral/train_mixtral_8x7b_distributed.sh.
GPUS_PER_NODE=8
NNODES=1
MBS=1
GBS=256
TP=1
PP=4
LAUNCHER="--nproc_per_node $GPUS_PER_NODE --nnodes $NNODES"
ARGS=(
  --use-mcore-models
  --disable-bias-linear
  --seq-length 4096
  --max-position-embeddings 32768
  --num-layers 32
  --hidden-size 4096
  --ffn-hidden-size 14336
  --num-attention-heads 32
  --init-method-std 0.01
  --attention-dropout 0.0
  --hidden-dropout 0.0
  --normalization RMSNorm
  --position-embedding-type rope
  --swiglu
  --untie-embeddings-and-output-weights
  --group-query-attention
  --num-query-groups 8
  --no-masked-softmax-fusion
  --no-position-embedding
  --rotary-base 1000000
  --num-experts 8
  --moe-router-topk 2
  --moe-router-load-balancing-type aux_loss
  --moe-aux-loss-coeff 1e-2
  --moe-grouped-gemm
  --moe-token-dispatcher-type alltoall
  --overlap-param-gather
  --overlap-grad-reduce
  --tokenizer-type Llama2Tokenizer
  --tokenizer-model
  --data-path
  --split 99990,8,2
  --micro-batch-size ${MBS}
  --global-batch-size ${GBS}
  --lr 1e-4
  --train-iters 500000
  --lr-decay-iters 320000
  --lr-decay-style cosine
  --min-lr 1.0e-5
  --weight-decay 0.1
  --lr-warmup-iters 500
  --clip-grad 1.0
  --bf16
  --tensor-model-parallel-size ${TP}
  --pipeline-model-parallel-size ${PP}
  --expert-model-parallel-size 8
  --use-distributed-optimizer
  --sequence-parallel
  --log-interval 1
  --save-interval 10000
  --eval-interval 1000
  --eval-iters 10
  --save
  --load
  --tensorboard-dir DATA
  --no-load-optim
  --no-load-rng
)
torchrun $LAUNCHER pretrain_gpt.py \
  "${ARGS[@]}"
