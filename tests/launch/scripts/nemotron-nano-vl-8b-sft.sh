#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/multimodal:
# llama_3p1_nemotron_nano_vl_8b_v1/sft_llama_3p1_nemotron_nano_vl_8b_v1.sh.
TP=4
MBZ=1
BZ=128
NW=8
AD=0.0
HD=0.0
LI=5
EVAL_INTERVAL=2000
SEQ_LEN=256
DECODER_SEQ_LEN=16384
SPECIAL_TOKENS="--special-tokens IMAGE"
EXTRA_ARGS="--pixel-shuffle --use-tiling --max-num-tiles 12 --use-thumbnail"
torchrun --nproc_per_node 8 examples/multimodal/train.py \
  --use-checkpoint-args \
  --disable-bias-linear \
  --tokenizer-type MultimodalTokenizer \
  --tokenizer-model meta-llama/Llama-3.1-8B-Instruct \
  --transformer-impl transformer_engine \
  --normalization RMSNorm \
  --group-query-attention \
  --num-query-groups 8 \
  --no-masked-softmax-fusion \
  --attention-softmax-in-fp32 \
  --attention-dropout ${AD} \
  --hidden-dropout ${HD} \
  --untie-embeddings-and-output-weights \
  --position-embedding-type rope \
  --rotary-percent 1.0 \
  --rotary-base 500000 \
  --use-rope-scaling \
  --swiglu \
  --tensor-model-parallel-size ${TP} \
  --pipeline-model-parallel-size 1 \
  --num-layers 32 \
  --hidden-size 4096 \
  --ffn-hidden-size 14336 \
  --num-attention-heads 32 \
  --use-distributed-optimizer \
  --use-te \
  --num-workers ${NW} \
  --exit-duration-in-mins 230 \
  --seq-length ${SEQ_LEN} \
  --decoder-seq-length ${DECODER_SEQ_LEN} \
  --max-position-embeddings 131072 \
  --train-samples 2494236 \
  --lr-warmup-fraction 0.03 \
  --micro-batch-size ${MBZ} \
  --global-batch-size ${BZ} \
  --lr 2e-5 \
  --min-lr 0.0 \
  --lr-decay-style cosine \
  --log-interval ${LI} \
  --eval-iters 10 \
  --eval-interval ${EVAL_INTERVAL} \
  --data-path DATA \
  --prompt-path DATA \
  --save-interval 2000 \
  --save DATA \
  --load DATA \
  --pretrained-checkpoint DATA \
  --dataloader-save DATA \
  --split 100,0,0 \
  --clip-grad 1.0 \
  --weight-decay 0.05 \
  --adam-beta1 0.9 \
  --adam-beta2 0.999 \
  --init-method-std 0.014 \
  --bf16 \
  --eod-mask-loss \
  --patch-dim 16 \
  --img-h 512 \
  --img-w 512 \
  --dataloader-type external \
  --tensorboard-dir DATA \
  --language-model-type=llama3.1_8b \
  ${EXTRA_ARGS} \
  --distributed-timeout-minutes 60 \
  --vision-model-type radio \
  --tokenizer-prompt-format llama3p1 \
  --use-loss-scaling \
  --packing-seq-length ${DECODER_SEQ_LEN} \
  ${SPECIAL_TOKENS} \
  --ckpt-format torch \
  --image-tag-type internvl \
  --disable-vision-class-token \
  --recompute-granularity full \
  --recompute-method block \
  --recompute-num-layers 32 \
  --recompute-vision \
  --use-area-weighted-aspect-ratio \
  --inference-max-seq-length 32768
