#!/bin/bash
# The arguments and values of Ascend/MindSpeed-MM @57069cd55a,
# examples/qwen2.5vl/finetune_qwen2_5_vl_72b_fsdp.sh.
NPUS_PER_NODE=16
NNODES=$(cat $HOSTFILE | wc -l)
WORLD_SIZE=$(($NPUS_PER_NODE*$NNODES))
TP=1
PP=1
CP=1
MBS=1
GRAD_ACC_STEP=1
DP=$(($WORLD_SIZE/$TP/$PP/$CP))
GBS=$(($MBS*$GRAD_ACC_STEP*$DP))
torchrun --nproc_per_node $NPUS_PER_NODE --nnodes $NNODES pretrain_vlm.py \
  --use-mcore-models \
  --tensor-model-parallel-size ${TP} \
  --pipeline-model-parallel-size ${PP} \
  --context-parallel-size ${CP} \
  --context-parallel-algo ulysses_cp_algo \
  --micro-batch-size ${MBS} \
  --global-batch-size ${GBS} \
  --tokenizer-type NullTokenizer \
  --vocab-size 152064 \
  --seq-length 1024 \
  --make-vocab-size-divisible-by 1 \
  --normalization RMSNorm \
  --use-fused-rmsnorm \
  --swiglu \
  --use-fused-swiglu \
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
  --bf16 \
  --load DATA \
  --variable-seq-lengths \
  --no-load-optim \
  --no-load-rng \
  --no-save-optim \
  --no-save-rng \
  --num-workers 8 \
  --use-flash-attn \
  --untie-embeddings-and-output-weights \
  --use-torch-fsdp2 \
  --fsdp2-config-path ./examples/qwen2.5vl/fsdp2_config.yaml \
  --use-cpu-initialization \
  --init-model-with-meta-device \
  --no-initialization \
  --distributed-timeout-minutes 60 \
  --mm-data ./examples/qwen2.5vl/data_72b.json \
  --mm-model ./examples/qwen2.5vl/model_72b.json \
  --mm-tool DATA \
  --log-interval 1 \
  --save-interval 10000 \
  --eval-interval 10000 \
  --eval-iters 5000 \
  --save DATA \
  --ckpt-format torch_dist \
  --log-tps \
  --distributed-backend nccl
