#!/bin/bash
# The arguments and values of Ascend/MindSpeed-LLM @c77308a14b, examples/mcore/qwen25/pretrain_qwen25_72b_32k_ptd.sh.
NPUS_PER_NODE=8
NNODES=16
TP=8
PP=4
MBS=1
GBS=32
source /usr/local/Ascend/ascend-toolkit/set_env.sh
LAUNCHER="--nproc_per_node $NPUS_PER_NODE --nnodes $NNODES"
ARGS=(
  --use-mcore-models
  --context-parallel-size 4
  --context-parallel-algo megatron_cp_algo
  --tensor-model-parallel-size ${TP}
  --pipeline-model-parallel-size ${PP}
  --sequence-parallel
  --num-layers 80
  --num-layer-list 17,20,22,21
  --hidden-size 8192
  --ffn-hidden-size 29568
  --num-attention-heads 64
  --tokenizer-type PretrainedFromHF
  --tokenizer-name-or-path your tokenizer path
  --seq-length 32768
  --max-position-embeddings 32768
  --micro-batch-size ${MBS}
  --global-batch-size ${GBS}
  --make-vocab-size-divisible-by 1
  --padded-vocab-size 152064
  --rotary-base 1000000
  --lr 1.25e-6
  --train-iters 2000
  --lr-decay-style cosine
  --untie-embeddings-and-output-weights
  --disable-bias-linear
  --attention-dropout 0.0
  --init-method-std 0.01
  --hidden-dropout 0.0
  --position-embedding-type rope
  --normalization RMSNorm
  --swiglu
  --use-flash-attn
  --use-fused-rotary-pos-emb
  --use-rotary-position-embeddings
  --use-fused-swiglu
  --use-fused-rmsnorm
  --no-masked-softmax-fusion
  --attention-softmax-in-fp32
  --min-lr 1.25e-7
  --weight-decay 1e-1
  --norm-epsilon 1e-5
  --lr-warmup-fraction 0.01
  --clip-grad 1.0
  --adam-beta1 0.9
  --adam-beta2 0.95
  --add-qkv-bias
  --initial-loss-scale 4096
  --no-gradient-accumulation-fusion
  --no-load-optim
  --no-load-rng
  --seed 42
  --bf16
  --group-query-attention
  --num-query-groups 8
  --use-distributed-optimizer
  --overlap-grad-reduce
  --exit-on-missing-checkpoint
  --use-ascend-coc
  --coc-fused-kernel
  --no-shared-storage
  --ckpt-format torch
  --handler-name GeneralPretrainHandler
  --data-path your data path
  --split 100,0,0
  --log-interval 1
  --save-interval 2000
  --eval-interval 2000
  --eval-iters 0
  --enable-hf2mg-convert
  --model-type-hf qwen25
  --load your model ckpt path
  --save your model save ckpt path
  --log-throughput
  --distributed-backend nccl
  --transformer-impl local
)
torchrun $LAUNCHER pretrain_gpt.py \
  "${ARGS[@]}" | tee log
