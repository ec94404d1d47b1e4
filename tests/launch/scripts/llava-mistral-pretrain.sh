#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/multimodal:
# pretrain_mistral_clip.sh.
BZ=256
NW=2
HD=0.1
LI=10
EXTRA_ARGS=""
torchrun --nproc_per_node 8 examples/multimodal/train.py \
  --apply-layernorm-1p \
  --attention-softmax-in-fp32 \
  --use-checkpoint-args \
  --no-use-tokenizer-model-from-checkpoint-args \
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
  --decoder-seq-length 1024 \
  --max-position-embeddings 4096 \
  --ffn-hidden-size 14336 \
  --train-iters 20000 \
  --micro-batch-size 1 \
  --global-batch-size ${BZ} \
  --lr-decay-iters 20000 \
  --lr-warmup-fraction .01 \
  --lr 0.00015 \
  --min-lr 1.0e-5 \
  --lr-decay-style cosine \
  --log-interval ${LI} \
  --eval-iters 10 \
  --eval-interval 1000 \
  --tokenizer-type MultimodalTokenizer \
  --tokenizer-model mistralai/Mistral-7B-Instruct-v0.3 \
  --tokenizer-prompt-format mistral \
  --data-path DATA \
  --prompt-path DATA \
  --save-interval 1000 \
  --save DATA \
  --load DATA \
  --dataloader-save DATA \
  --pretrained-checkpoint DATA \
  --split 100,0,0 \
  --clip-grad 1.0 \
  --weight-decay 1e-2 \
  --adam-beta1 0.9 \
  --adam-beta2 0.95 \
  --init-method-std 0.014 \
  --log-params-norm \
  --log-num-zeros-in-grad \
  --bf16 \
  --eod-mask-loss \
  --freeze-LM \
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
  --allow-missing-vision-projection-checkpoint \
  --ckpt-format torch
