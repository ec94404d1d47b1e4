#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/multimodal:
# nvlm/sft_34b_internvit.sh.
MBZ=1
BZ=128
NW=2
LI=5
AD=0.0
HD=0.0
EXTRA_ARGS=""
SEQ_LEN=261
DECODER_SEQ_LEN=3200
MAX_POS_EMBED=3200
torchrun --nproc_per_node 8 examples/multimodal/train.py \
  --swiglu \
  --use-distributed-optimizer \
  --num-workers ${NW} \
  --num-layers 60 \
  --hidden-size 7168 \
  --normalization RMSNorm \
  --num-attention-heads 56 \
  --exit-duration-in-mins 230 \
  --group-query-attention \
  --num-query-groups 8 \
  --ffn-hidden-size 20480 \
  --seq-length ${SEQ_LEN} \
  --decoder-seq-length ${DECODER_SEQ_LEN} \
  --max-position-embeddings ${MAX_POS_EMBED} \
  --tokenizer-type MultimodalTokenizer \
  --tokenizer-model NousResearch/Nous-Hermes-2-Yi-34B \
  --tokenizer-prompt-format nvlm-yi-34b \
  --vocab-size 64000 \
  --make-vocab-size-divisible-by 1 \
  --position-embedding-type rope \
  --rotary-percent 1.0 \
  --rotary-base 5000000 \
  --disable-bias-linear \
  --tensor-model-parallel-size 8 \
  --language-model-type yi-34b \
  --vision-model-type internvit \
  --micro-batch-size ${MBZ} \
  --global-batch-size ${BZ} \
  --train-samples 30000000 \
  --lr-decay-samples 25600000 \
  --lr-warmup-samples 83200 \
  --lr 2e-6 \
  --min-lr 2.5e-7 \
  --lr-decay-style cosine \
  --split 100,0,0 \
  --clip-grad 10 \
  --weight-decay 0.1 \
  --adam-beta1 0.9 \
  --adam-beta2 0.95 \
  --init-method-std 0.014 \
  --attention-dropout ${AD} \
  --hidden-dropout ${HD} \
  --untie-embeddings-and-output-weights \
  --eod-mask-loss \
  --bf16 \
  --tensorboard-dir DATA \
  --freeze-ViT \
  --img-h 448 \
  --img-w 448 \
  --patch-dim 14 \
  --data-path DATA \
  --dataloader-type external \
  --dataloader-save DATA \
  --prompt-path DATA \
  --log-interval ${LI} \
  --load DATA \
  --save DATA \
  --pretrained-checkpoint DATA \
  --save-interval 5000 \
  --eval-interval 500 \
  --eval-iters 10 \
  --log-params-norm \
  --log-num-zeros-in-grad \
  ${EXTRA_ARGS} \
  --disable-vision-class-token \
  --use-te \
  --ckpt-format torch \
  --pixel-shuffle \
  --use-tiling \
  --max-num-tiles 6 \
  --use-thumbnail \
  --use-tile-tags \
  --image-tag-type nvlm
