#!/bin/bash
# The arguments and values of modelscope/ms-swift @3602360a56, examples/megatron/lora/dense.sh.
CUDA_VISIBLE_DEVICES=0,1  NPROC_PER_NODE=2 \
megatron sft \
  --model Qwen/Qwen2.5-7B-Instruct \
  --save_safetensors true \
  --merge_lora false \
  --dataset DATA DATA DATA \
  --tuner_type lora \
  --lora_rank 8 \
  --lora_alpha 32 \
  --target_modules all-linear \
  --tensor_model_parallel_size 2 \
  --sequence_parallel true \
  --micro_batch_size 16 \
  --global_batch_size 16 \
  --recompute_granularity full \
  --recompute_method uniform \
  --recompute_num_layers 1 \
  --finetune true \
  --cross_entropy_loss_fusion true \
  --lr 1e-4 \
  --lr_warmup_fraction 0.05 \
  --min_lr 1e-5 \
  --num_train_epochs 1 \
  --output_dir DATA \
  --save_steps 100 \
  --max_length 2048 \
  --system 'You are a helpful assistant.' \
  --dataloader_num_workers 4 \
  --no_save_optim true \
  --no_save_rng true \
  --dataset_num_proc 4 \
  --model_author swift \
  --model_name swift-robot
