#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/multimodal:
# sft_mistral_clip.sh.
BZ=128
NW=2
HD=0.1
LI=10
EXTRA_ARGS=""
torchrun --nproc_per_node 8 examples/multimodal/train.py \
  --apply-layernorm-1p \
  --attention-softmax-in-fp32 \
  --use-checkpoint-args \
  --use-distributed-optimizer \
  --transformer-impl transformer_engine \
  --use-te \
  --normalization RMSNorm \
  --group-query-attention \
  --num-query-groups 8 \
  --no-masked-softmax-fusion \
  --num-workers ${NW} \
  --exit-duration-in-mins 230 \
  --use-flash-attn \
  --untie-embeddings-and-output-weights \
  --disable-bias-linear \
  --position-embedding-type rope \
  --rotary-percent 1.0 \
  --rotary-base 1000000 \
  --swiglu \
  --attention-dropout 0.0 \
  --hidden-dropout ${HD} \
  --tensor-model-parallel-size 4 \
  --pipeline-model-parallel-size 1 \
  --num-layers 32 \
  --hidden-size 4096 \
  --num-attention-heads 32 \
  --seq-length 576 \
  --decoder-seq-length 2048 \
  --max-position-embeddings 4096 \
  --ffn-hidden-size 14336 \
  --train-iters 20000 \
  --micro-batch-size 1 \
  --global-batch-size ${BZ} \
  --lr-decay-iters 20000 \
  --lr-warmup-fraction .01 \
  --lr 1e-6 \
  --min-lr 1e-7 \
  --lr-decay-style cosine \
  --log-interval ${LI} \
  --eval-iters 10 \
  --eval-interval 500 \
  --tokenizer-type MultimodalTokenizer \
  --tokenizer-model mistralai/Mistral-7B-Instruct-v0.3 \
  --tokenizer-prompt-format mistral \
  --data-path DATA \
  --prompt-path DATA \
  --save-interval 500 \
  --save DATA \
  --load DATA \
  --pretrained-checkpoint DATA \
  --dataloader-save DATA \
  --split 100,0,0 \
  --clip-grad 0.5 \
  --weight-decay 0.1 \
  --adam-beta1 0.9 \
  --adam-beta2 0.95 \
  --init-method-std 0.014 \
  --log-params-norm \
  --log-num-zeros-in-grad \
  --eod-mask-loss \
  --freeze-ViT \
  --patch-dim 14 \
  --img-h 336 \
  --img-w 336 \
  --dataloader-type external \
  --tensorboard-dir DATA \
  --language-model-type=mistral_7b \
  --disable-vision-class-token \
  ${EXTRA_ARGS} \
  --distributed-timeout-minutes 60 \
  --ckpt-format torch
