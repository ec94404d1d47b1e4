#!/bin/bash
# The arguments and values of Ascend/MindSpeed-LLM @c77308a14b, examples/mcore/deepseek2_lite/pretrain_deepseek2_lite_16b_ptd_8p.sh.
NPUS_PER_NODE=8
NNODES=1
TP=1
PP=1
MBS=1
GBS=8
source /usr/local/Ascend/ascend-toolkit/set_env.sh
LAUNCHER="--nproc_per_node $NPUS_PER_NODE --nnodes $NNODES"
ARGS=(
  --shape-order BNSD
  --reuse-fp32-param
  --load your model ckpt path
  --use-distributed-optimizer
  --use-flash-attn
  --use-mcore-models
  --tensor-model-parallel-size ${TP}
  --pipeline-model-parallel-size ${PP}
  --expert-model-parallel-size 8
  --sequence-parallel
  --num-layers 27
  --recompute-granularity full
  --recompute-method uniform
  --recompute-num-layers 1
  --hidden-size 2048
  --ffn-hidden-size 10944
  --num-attention-heads 16
  --tokenizer-type PretrainedFromHF
  --tokenizer-name-or-path your tokenizer path
  --finetune
  --num-workers 8
  --seq-length 4096
  --max-position-embeddings 163840
  --micro-batch-size ${MBS}
  --global-batch-size ${GBS}
  --make-vocab-size-divisible-by 1
  --lr 2e-5
  --train-iters 462240
  --lr-decay-iters 462240
  --lr-decay-style cosine
  --untie-embeddings-and-output-weights
  --disable-bias-linear
  --attention-dropout 0.0
  --init-method-std 0.02
  --hidden-dropout 0.0
  --position-embedding-type rope
  --normalization RMSNorm
  --use-fused-rotary-pos-emb
  --use-rotary-position-embeddings
  --use-fused-swiglu
  --use-fused-rmsnorm
  --swiglu
  --no-masked-softmax-fusion
  --attention-softmax-in-fp32
  --min-lr 1.0e-8
  --weight-decay 1e-1
  --lr-warmup-iters 1920
  --clip-grad 1.0
  --adam-beta1 0.9
  --adam-beta2 0.95
  --initial-loss-scale 65536
  --vocab-size 102400
  --padded-vocab-size 102400
  --rotary-base 10000
  --no-gradient-accumulation-fusion
  --norm-epsilon 1e-6
  --no-load-optim
  --no-load-rng
  --bf16
  --ckpt-format torch
  --data-path your data path
  --handler-name GeneralPretrainHandler
  --split 99,1,0
  --log-interval 1
  --save-interval 1000
  --eval-interval 10000
  --eval-iters 10
  --no-save-optim
  --no-save-rng
  --spec mindspeed_llm.tasks.models.spec.deepseek_spec layer_spec
  --multi-latent-attention
  --qk-pos-emb-head-dim 64
  --qk-head-dim 128
  --kv-lora-rank 512
  --v-head-dim 128
  --qk-layernorm
  --beta-fast 32
  --beta-slow 1
  --rope-scaling-factor 40
  --rope-scaling-mscale 0.707
  --rope-scaling-mscale-all-dim 0.707
  --rope-scaling-original-max-position-embeddings 4096
  --rope-scaling-type yarn
  --moe-grouped-gemm
  --moe-alltoall-overlap-comm
  --moe-permutation-async-comm
  --moe-token-dispatcher-type alltoall_seq
  --moe-permute-fusion
  --first-k-dense-replace 1
  --moe-layer-freq 1
  --n-shared-experts 2
  --num-experts 64
  --moe-router-topk 6
  --moe-ffn-hidden-size 1408
  --moe-router-load-balancing-type pai_megatron_aux_loss
  --moe-router-group-topk 1
  --moe-router-num-groups 8
  --moe-aux-loss-coeff 0.01
  --moe-router-topk-scaling-factor 1.0
  --seq-aux
  --enable-hf2mg-convert
  --model-type-hf deepseek2-lite
  --distributed-backend nccl
  --save your model save ckpt path
  --transformer-impl local
)
python -m torch.distributed.run $LAUNCHER pretrain_gpt.py \
  "${ARGS[@]}" | tee log
