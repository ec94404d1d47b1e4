#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/multimodal:
# nvlm/sft_qwen2p5_7b_internvit_6b_video.sh.
MBZ=1
BZ=256
NW=8
AD=0.0
HD=0.0
LI=5
SEQ_LEN=256
DECODER_SEQ_LEN=16384
MAX_POS_EMBED=32768
TRAIN_SAMPLES=6602173
WARMUP_SAMPLES=198065
EXTRA_ARGS="--pixel-shuffle --use-tiling --max-num-tiles 12 --use-thumbnail"
torchrun --nproc_per_node 8 examples/multimodal/train.py \
  --swiglu \
  --use-distributed-optimizer \
  --num-workers ${NW} \
  --num-layers 28 \
  --hidden-size 3584 \
  --norm-epsilon 1e-06 \
  --normalization RMSNorm \
  --num-attention-heads 28 \
  --exit-duration-in-mins 110 \
  --group-query-attention \
  --num-query-groups 4 \
  --ffn-hidden-size 18944 \
  --add-qkv-bias \
  --seq-length ${SEQ_LEN} \
  --decoder-seq-length ${DECODER_SEQ_LEN} \
  --max-position-embeddings ${MAX_POS_EMBED} \
  --dataloader-seq-length ${DECODER_SEQ_LEN} \
  --tokenizer-type MultimodalTokenizer \
  --tokenizer-model Qwen/Qwen2.5-7B-Instruct \
  --tokenizer-prompt-format qwen2p5 \
  --pixel-shuffle \
  --position-embedding-type rope \
  --rotary-percent 1.0 \
  --rotary-base 1000000 \
  --disable-bias-linear \
  --pipeline-model-parallel-size 1 \
  --tensor-model-parallel-size 4 \
  --language-model-type qwen2.5_7B \
  --vision-model-type internvit \
  --micro-batch-size ${MBZ} \
  --global-batch-size ${BZ} \
  --lr 2e-6 \
  --min-lr 2.5e-7 \
  --train-samples ${TRAIN_SAMPLES} \
  --lr-warmup-samples ${WARMUP_SAMPLES} \
  --lr-decay-style cosine \
  --clip-grad 10 \
  --weight-decay 0.1 \
  --adam-beta1 0.9 \
  --adam-beta2 0.95 \
  --init-method-std 0.014 \
  --attention-dropout ${AD} \
  --hidden-dropout ${HD} \
  --eod-mask-loss \
  --bf16 \
  --tensorboard-dir DATA \
  --img-h 448 \
  --img-w 448 \
  --patch-dim 14 \
  --data-path DATA \
  --dataloader-type external \
  --split 100,0,0 \
  --prompt-path DATA \
  --log-interval ${LI} \
  --save-interval 500 \
  --eval-interval 500 \
  --eval-iters 10 \
  --log-params-norm \
  --log-num-zeros-in-grad \
  ${EXTRA_ARGS} \
  --save DATA \
  --load DATA \
  --pretrained-checkpoint DATA \
  --distributed-timeout-minutes 60 \
  --allow-missing-vision-projection-checkpoint \
  --dataloader-save DATA \
  --disable-vision-class-token \
  --use-te \
  --ckpt-format torch \
  --num-frames 32 \
  --use-checkpoint-args \
  --image-tag-type internvl \
  --recompute-granularity full \
  --recompute-method block \
  --recompute-num-layers 28 \
  --recompute-vision
