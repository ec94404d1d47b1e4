#!/bin/bash
# The arguments and values of Ascend/MindSpeed-LLM @c77308a14b, examples/mcore/qwen3_moe/pretrain_qwen3_235b_a22b_4k_A3_ptd.sh.
NPUS_PER_NODE=16
NNODES=16
MBS=1
GBS=1024
TP=1
PP=4
source /usr/local/Ascend/ascend-toolkit/set_env.sh
LAUNCHER="--nproc_per_node $NPUS_PER_NODE --nnodes $NNODES"
ARGS=(
  --kv-channels 128
  --spec mindspeed_llm.tasks.models.spec.qwen3_spec layer_spec
  --qk-layernorm
  --use-mcore-models
  --tokenizer-name-or-path your tokenizer path
  --max-position-embeddings 4096
  --noop-layers 94,95
  --num-layers 96
  --hidden-size 4096
  --ffn-hidden-size 12288
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
  --group-query-attention
  --num-query-groups 4
  --ckpt-format torch
  --data-path your data path
  --handler-name GeneralPretrainHandler
  --split 100,0,0
  --num-experts 128
  --moe-router-topk 8
  --moe-ffn-hidden-size 1536
  --moe-router-load-balancing-type aux_loss
  --norm-topk-prob
  --moe-grouped-gemm
  --moe-token-dispatcher-type alltoall_seq
  --moe-aux-loss-coeff 0.001
  --moe-permutation-async-comm
  --moe-alltoall-overlap-comm
  --moe-layer-freq -1
  --first-k-dense-replace -1
  --log-interval 1
  --save-interval 2000
  --eval-interval 2000
  --eval-iters 0
  --no-load-optim
  --no-load-rng
  --use-flash-attn
  --use-fused-rotary-pos-emb
  --use-rotary-position-embeddings
  --use-fused-swiglu
  --use-fused-rmsnorm
  --no-masked-softmax-fusion
  --use-distributed-optimizer
  --gemm-gradient-accumulation-fusion
  --reuse-fp32-param
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
  --disable-gloo-group
  --recompute-granularity full
  --recompute-method block
  --recompute-num-layers 8
  --tensor-model-parallel-size ${TP}
  --pipeline-model-parallel-size ${PP}
  --expert-model-parallel-size 32
  --context-parallel-size 1
  --context-parallel-algo megatron_cp_algo
  --num-layers-per-virtual-pipeline-stage 8
  --sequence-parallel
  --enable-hf2mg-convert
  --model-type-hf qwen3-moe
  --load your model ckpt path
  --save your model save ckpt path
  --distributed-backend nccl
  --transformer-impl local
)
torchrun $LAUNCHER pretrain_gpt.py \
  "${ARGS[@]}" | tee log
