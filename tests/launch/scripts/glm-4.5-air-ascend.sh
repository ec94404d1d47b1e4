#!/bin/bash
# The arguments and values of Ascend/MindSpeed-LLM @c77308a14b, examples/mcore/glm45-air/pretrain_glm45_air_106b_4k_A3_ptd.sh.
NPUS_PER_NODE=16
NNODES=8
TP=1
PP=4
MBS=1
GBS=64
source /usr/local/Ascend/ascend-toolkit/set_env.sh
LAUNCHER="--nproc_per_node $NPUS_PER_NODE --nnodes $NNODES"
ARGS=(
  --tensor-model-parallel-size ${TP}
  --pipeline-model-parallel-size ${PP}
  --expert-model-parallel-size 16
  --recompute-method uniform
  --recompute-granularity full
  --recompute-num-layers 1
  --noop-layers 1,47
  --sequence-parallel
  --use-mcore-models
  --use-flash-attn
  --mtp-num-layers 1
  --kv-channels 128
  --use-fused-rmsnorm
  --use-fused-swiglu
  --overlap-grad-reduce
  --use-distributed-optimizer
  --num-layers 48
  --hidden-size 4096
  --ffn-hidden-size 10944
  --num-attention-heads 96
  --seq-length 4096
  --micro-batch-size ${MBS}
  --global-batch-size ${GBS}
  --max-position-embeddings 131072
  --padded-vocab-size 151552
  --make-vocab-size-divisible-by 1
  --group-query-attention
  --num-query-groups 8
  --disable-bias-linear
  --add-qkv-bias
  --position-embedding-type rope
  --rotary-percent 0.5
  --rotary-base 1000000
  --no-rope-fusion
  --normalization RMSNorm
  --swiglu
  --tokenizer-type PretrainedFromHF
  --tokenizer-name-or-path your tokenizer path
  --lr 1.25e-6
  --norm-epsilon 1e-05
  --train-iters 2000
  --lr-decay-style cosine
  --untie-embeddings-and-output-weights
  --attention-dropout 0.0
  --init-method-std 0.01
  --hidden-dropout 0.0
  --no-masked-softmax-fusion
  --attention-softmax-in-fp32
  --min-lr 1.25e-7
  --weight-decay 1e-1
  --lr-warmup-fraction 0.01
  --clip-grad 1.0
  --adam-beta1 0.9
  --initial-loss-scale 4096
  --adam-beta2 0.95
  --no-load-optim
  --no-load-rng
  --no-shared-storage
  --no-gradient-accumulation-fusion
  --no-bias-swiglu-fusion
  --bf16
  --ckpt-format torch
  --data-path your data path
  --handler-name GeneralPretrainHandler
  --split 100,0,0
  --log-interval 1
  --save-interval 2000
  --eval-interval 2000
  --eval-iters 0
  --moe-grouped-gemm
  --moe-alltoall-overlap-comm
  --moe-permutation-async-comm
  --moe-token-dispatcher-type alltoall_seq
  --first-k-dense-replace 1
  --moe-layer-freq 1
  --n-shared-experts 1
  --num-experts 128
  --moe-router-topk 8
  --moe-ffn-hidden-size 1408
  --moe-router-load-balancing-type none
  --moe-router-num-groups 1
  --moe-router-group-topk 1
  --norm-topk-prob
  --moe-router-score-function sigmoid
  --moe-router-enable-expert-bias
  --moe-router-dtype fp32
  --enable-hf2mg-convert
  --model-type-hf glm45-air
  --load your model ckpt path
  --save your model save ckpt path
  --distributed-backend nccl
  --transformer-impl local
)
torchrun $LAUNCHER pretrain_gpt.py \
  "${ARGS[@]}" | tee log
