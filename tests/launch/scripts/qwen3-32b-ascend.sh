#!/bin/bash
# The arguments and values of Ascend/MindSpeed-LLM @c77308a14b, examples/mcore/qwen3/pretrain_qwen3_32b_4K_ptd.sh.
NPUS_PER_NODE=8
NNODES=2
MBS=2
GBS=256
TP=8
PP=2
source /usr/local/Ascend/ascend-toolkit/set_env.sh
LAUNCHER="--nproc_per_node $NPUS_PER_NODE --nnodes $NNODES"
ARGS=(
  --use-mcore-models
  --sequence-parallel
  --spec mindspeed_llm.tasks.models.spec.qwen3_spec layer_spec
  --kv-channels 128
  --qk-layernorm
  --tokenizer-name-or-path your tokenizer path
  --max-position-embeddings 4096
  --num-layers 64
  --hidden-size 5120
  --ffn-hidden-size 25600
  --num-attention-heads 64
  --tokenizer-type PretrainedFromHF
  --make-vocab-size-divisible-by 1
  --padded-vocab-size 151936
  --rotary-base 1000000
  --untie-embeddings-and-output-weights
  --disable-bias-linear
  --position-embedding-type rope
  --normalization RMSNorm
  --norm-epsilon 1e-6
  --swiglu
  --attention-softmax-in-fp32
  --no-gradient-accumulation-fusion
  --group-query-attention
  --num-query-groups 8
  --reset-attention-mask
  --ckpt-format torch
  --data-path your data path
  --handler-name GeneralPretrainHandler
  --split 100,0,0
  --log-interval 1
  --save-interval 2000
  --eval-interval 2000
  --eval-iters 0
  --no-load-optim
  --no-load-rng
  --log-throughput
  --use-flash-attn
  --use-fused-rotary-pos-emb
  --use-rotary-position-embeddings
  --use-fused-swiglu
  --use-fused-rmsnorm
  --no-masked-softmax-fusion
  --use-distributed-optimizer
  --overlap-grad-reduce
  --overlap-param-gather
  --micro-batch-size ${MBS}
  --global-batch-size ${GBS}
  --lr 1.25e-6
  --lr-decay-style cosine
  --min-lr 1.25e-7
  --weight-decay 1e-1
  --lr-warmup-fraction 0.01
  --attention-dropout 0.0
  --init-method-std 0.01
  --hidden-dropout 0.0
  --clip-grad 1.0
  --adam-beta1 0.9
  --adam-beta2 0.95
  --initial-loss-scale 4096
  --seed 42
  --bf16
  --train-iters 2000
  --seq-length 4096
  --no-shared-storage
  --tensor-model-parallel-size ${TP}
  --pipeline-model-parallel-size ${PP}
  --num-layers-per-virtual-pipeline-stage 8
  --enable-hf2mg-convert
  --model-type-hf qwen3
  --distributed-backend nccl
  --load your model ckpt path
  --save your model save ckpt path
  --transformer-impl local
)
torchrun $LAUNCHER pretrain_gpt.py \
  "${ARGS[@]}" | tee log
