#!/bin/bash
# The arguments and values of NVIDIA/Megatron-LM @d98e8a64dd, examples/multimodal:
# nvlm/pretrain_qwen20_72b_internvit_6b.sh.
MBZ=1
BZ=2048
NW=8
AD=0.1
HD=0.1
LI=5
EXTRA_ARGS=""
SEQ_LEN=256
DECODER_SEQ_LEN=512
torchrun --nproc_per_node 8 examples/multimodal/train.py \
  --use-checkpoint-args \
  --exit-duration-in-mins 230 \
  --disable-bias-linear \
  --tokenizer-type MultimodalTokenizer \
  --tokenizer-model Qwen/Qwen2-72B-Instruct \
  --tokenizer-prompt-format qwen2p0 \
  --transformer-impl transformer_engine \
  --normalization RMSNorm \
  --norm-epsilon 1e-06 \
  --group-query-attention \
  --num-query-groups 8 \
  --no-masked-softmax-fusion \
  --attention-softmax-in-fp32 \
  --attention-dropout ${AD} \
  --hidden-dropout ${HD} \
  --untie-embeddings-and-output-weights \
  --position-embedding-type rope \
  --rotary-percent 1.0 \
  --rotary-base 1000000 \
  --swiglu \
  --tensor-model-parallel-size 8 \
  --pipeline-model-parallel-size 1 \
  --num-layers 80 \
  --hidden-size 8192 \
  --ffn-hidden-size 29568 \
  --add-qkv-bias \
  --num-attention-heads 64 \
  --use-distributed-optimizer \
  --use-te \
  --num-workers ${NW} \
  --seq-length ${SEQ_LEN} \
  --decoder-seq-length ${DECODER_SEQ_LEN} \
  --max-position-embeddings 32768 \
  --train-samples 122880000 \
  --lr-decay-samples 25600000 \
  --lr-warmup-samples 83200 \
  --micro-batch-size ${MBZ} \
  --global-batch-size ${BZ} \
  --lr 1e-4 \
  --min-lr 2.5e-5 \
  --lr-decay-style cosine \
  --log-interval ${LI} \
  --eval-iters 10 \
  --eval-interval 500 \
  --data-path DATA \
  --prompt-path DATA \
  --save-interval 5000 \
  --save DATA \
  --load DATA \
  --dataloader-save DATA \
  --pretrained-checkpoint DATA \
  --split 100,0,0 \
  --clip-grad 10.0 \
  --weight-decay 0.1 \
  --adam-beta1 0.9 \
  --adam-beta2 0.95 \
  --init-method-std 0.014 \
  --bf16 \
  --eod-mask-loss \
  --freeze-ViT \
  --freeze-LM \
  --patch-dim 14 \
  --img-h 448 \
  --img-w 448 \
  --dataloader-type external \
  --tensorboard-dir DATA \
  --language-model-type qwen2.0_72B \
  ${EXTRA_ARGS} \
  --allow-missing-vision-projection-checkpoint \
  --vision-model-type internvit \
  --disable-vision-class-token \
  --log-params-norm \
  --log-num-zeros-in-grad \
  --ckpt-format torch \
  --pixel-shuffle \
  --image-tag-type nvlm
