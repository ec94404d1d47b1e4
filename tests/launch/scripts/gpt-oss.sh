#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/gptoss/02_train.sh.
GPUS_PER_NODE=8
NNODES=1
MBS=1
GBS=128
TP=1
PP=8
LAUNCHER="--nproc_per_node $GPUS_PER_NODE --nnodes $NNODES"
ARGS=(
  --no-masked-softmax-fusion
  --transformer-impl transformer_engine
  --disable-bias-linear
  --untie-embeddings-and-output-weights
  --no-rope-fusion
  --normalization RMSNorm
  --num-layers 12
  --hidden-size 512
  --ffn-hidden-size 2048
  --num-attention-heads 64
  --group-query-attention
  --num-query-groups 8
  --seq-length 8192
  --max-position-embeddings 8192
  --use-mcore-models
  --rotary-percent 1.0
  --rope-type rope
  --position-embedding-type rope
  --rotary-base 10000
  --no-bias-gelu-fusion
  --export-force-local-attention
  --no-bias-dropout-fusion
  --quick-geglu
  --glu-linear-offset 1.0
  --softmax-type learnable
  --window-attn-skip-freq 2
  --activation-func-clamp-value 7.0
  --window-size 127,0
  --enable-gpt-oss
  --num-experts 4
  --moe-router-topk 2
  --moe-router-load-balancing-type aux_loss
  --moe-aux-loss-coeff 1e-3
  --moe-grouped-gemm
  --moe-token-dispatcher-type alltoall
  --overlap-param-gather
  --overlap-grad-reduce
  --moe-ffn-hidden-size 2048
  --moe-router-dtype fp32
  --moe-z-loss-coeff 1e-3
  --moe-permute-fusion
  --mock-data
  --tokenizer-type NullTokenizer
  --vocab-size 128256
  --data-cache-path DATA
  --tiktoken-pattern v2
  --split ''"'"'99,1,0'"'"''
  --no-create-attention-mask-in-dataloader
  --no-mmap-bin-files
  --num-workers 1
  --micro-batch-size ${MBS}
  --global-batch-size ${GBS}
  --lr 1.0e-5
  --train-samples 1953125000
  --lr-decay-samples 1949218748
  --lr-decay-style cosine
  --min-lr 1.0e-6
  --weight-decay 0.1
  --lr-warmup-fraction 0.05
  --clip-grad 1.0
  --bf16
  --use-flash-attn
  --attention-softmax-in-fp32
  --accumulate-allreduce-grads-in-fp32
  --disable-bf16-reduced-precision-matmul
  --recompute-activations
  --tensor-model-parallel-size ${TP}
  --pipeline-model-parallel-size ${PP}
  --expert-model-parallel-size 1
  --sequence-parallel
  --context-parallel-size 1
  --use-distributed-optimizer
  --fp8-format hybrid
  --fp8-param-gather
  --fp8-amax-compute-algo max
  --fp8-amax-history-len 1024
  --log-interval 1
  --save-interval 10000
  --eval-interval 50000000
  --eval-iters 0
  --save NO_VALUE_PROVIDED
  --tensorboard-dir DATA
  --moe-per-layer-logging
  --no-load-optim
  --no-load-rng
  --log-throughput
)
python -m torch.distributed.run $LAUNCHER pretrain_gpt.py \
  "${ARGS[@]}"
