#!/bin/bash
# The arguments and values of Ascend/MindSpeed-MM @57069cd55a,
# examples/internvl3.5/finetune_internvl3_5.sh.
NPUS_PER_NODE=16
NNODES=1
WORLD_SIZE=$(($NPUS_PER_NODE*$NNODES))
TP=1
PP=1
CP=1
MBS=1
GRAD_ACC_STEP=1
DP=$(($WORLD_SIZE/$TP/$PP/$CP))
GBS=$(($MBS*$GRAD_ACC_STEP*$DP))
SEQ_LEN=4096
torchrun --nproc_per_node $NPUS_PER_NODE --nnodes $NNODES pretrain_transformers.py \
  --use-mcore-models \
  --tensor-model-parallel-size ${TP} \
  --pipeline-model-parallel-size ${PP} \
  --context-parallel-size ${CP} \
  --context-parallel-algo ulysses_cp_algo \
  --micro-batch-size ${MBS} \
  --global-batch-size ${GBS} \
  --tokenizer-type NullTokenizer \
  --vocab-size 152064 \
  --seq-length ${SEQ_LEN} \
  --make-vocab-size-divisible-by 1 \
  --normalization RMSNorm \
  --use-fused-rmsnorm \
  --swiglu \
  --use-fused-swiglu \
  --no-masked-softmax-fusion \
  --lr 1.0e-5 \
  --lr-decay-style cosine \
  --weight-decay 0 \
  --train-iters 10000 \
  --lr-warmup-fraction 0.1 \
  --clip-grad 0.0 \
  --adam-beta1 0.9 \
  --adam-beta2 0.999 \
  --no-gradient-accumulation-fusion \
  --seed 42 \
  --load DATA \
  --use-flash-attn \
  --no-load-optim \
  --no-load-rng \
  --no-save-optim \
  --no-save-rng \
  --num-workers 8 \
  --use-torch-fsdp2 \
  --untie-embeddings-and-output-weights \
  --ckpt-format torch_dcp \
  --fsdp2-config-path ./examples/internvl3.5/fsdp2_config.yaml \
  --optimizer-selection fused_torch_adamw \
  --use-cpu-initialization \
  --log-tps \
  --init-model-with-meta-device \
  --mm-data ./examples/internvl3.5/data.json \
  --mm-model ./examples/internvl3.5/model.json \
  --mm-tool DATA \
  --log-interval 1 \
  --save-interval 10000 \
  --eval-interval 10000 \
  --eval-iters 5000 \
  --save DATA \
  --ckpt-format torch_dcp \
  --distributed-backend nccl
