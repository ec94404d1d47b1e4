#!/bin/bash
# The arguments and values of modelscope/ms-swift @3602360a56, examples/train/multimodal/ocr.sh.
CUDA_VISIBLE_DEVICES=0 \
MAX_PIXELS=1003520 \
swift sft \
  --model Qwen/Qwen2.5-VL-7B-Instruct \
  --dataset DATA \
  --load_from_cache_file true \
  --split_dataset_ratio 0.01 \
  --tuner_type lora \
  --torch_dtype bfloat16 \
  --num_train_epochs 1 \
  --per_device_train_batch_size 1 \
  --per_device_eval_batch_size 1 \
  --learning_rate 1e-4 \
  --lora_rank 8 \
  --lora_alpha 32 \
  --target_modules all-linear \
  --freeze_vit true \
  --freeze_aligner true \
  --gradient_accumulation_steps 16 \
  --eval_steps 50 \
  --save_steps 50 \
  --save_total_limit 2 \
  --logging_steps 5 \
  --max_length 4096 \
  --output_dir DATA \
  --warmup_ratio 0.05 \
  --dataloader_num_workers 4
