#!/bin/bash
# The arguments and values of Ascend/MindSpeed-MM @02655c5a,
# examples/internvl2/finetune_internvl2_76B.sh.
NPUS_PER_NODE=16
NNODES=$(cat $HOSTFILE | wc -l)
WORLD_SIZE=$(($NPUS_PER_NODE*$NNODES))
TP=1
PP=16
CP=1
MBS=1
GRAD_ACC_STEP=128
DP=$(($WORLD_SIZE/$TP/$PP/$CP))
GBS=$(($MBS*$GRAD_ACC_STEP*$DP))
torchrun --nproc_per_node $NPUS_PER_NODE --nnodes $NNODES pretrain_vlm.py \
  --tensor-model-parallel-size ${TP} \
  --pipeline-model-parallel-size ${PP} \
  --context-parallel-size ${CP} \
  --micro-batch-size ${MBS} \
  --global-batch-size ${GBS} \
  --seq-length 4096 \
  --tokenizer-type NullTokenizer \
  --vocab-size 128258 \
  --position-embedding-type rope \
  --rotary-base 500000 \
  --swiglu \
  --no-masked-softmax-fusion \
  --lr 2e-5 \
  --min-lr 0.0 \
  --train-iters 5000 \
  --lr-decay-style cosine \
  --weight-decay 0.05 \
  --clip-grad 1.0 \
  --adam-beta1 0.9 \
  --adam-beta2 0.999 \
  --no-gradient-accumulation-fusion \
  --use-distributed-optimizer \
  --bf16 \
  --load DATA \
  --use-flash-attn \
  --variable-seq-lengths \
  --no-load-optim \
  --no-load-rng \
  --no-save-optim \
  --no-save-rng \
  --num-workers 4 \
  --enable-dummy-optimizer \
  --mm-data ./examples/internvl2/data_76B.json \
  --mm-model ./examples/internvl2/model_76B.json \
  --mm-tool DATA \
  --log-interval 1 \
  --save-interval 5000 \
  --eval-interval 5000 \
  --eval-iters 5000 \
  --save DATA \
  --ckpt-format torch \
  --distributed-backend nccl
