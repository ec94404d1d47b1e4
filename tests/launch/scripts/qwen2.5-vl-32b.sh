#!/bin/bash
# The arguments and values of QwenLM/Qwen3-VL @96588727e4, qwen-vl-finetune/scripts/sft_32b.sh.
batch_size=2
torchrun --nproc_per_node=${NPROC_PER_NODE} qwenvl/train/train_qwen.py \
  --deepspeed ./scripts/zero3.json \
  --model_name_or_path Qwen/Qwen2.5-VL-32B-Instruct \
  --dataset_use DATA \
  --data_flatten True \
  --tune_mm_vision False \
  --tune_mm_mlp True \
  --tune_mm_llm True \
  --bf16 \
  --output_dir DATA \
  --num_train_epochs 0.5 \
  --per_device_train_batch_size 2 \
  --per_device_eval_batch_size $((batch_size*2)) \
  --gradient_accumulation_steps 8 \
  --max_pixels 50176 \
  --min_pixels 784 \
  --eval_strategy "no" \
  --save_strategy "steps" \
  --save_steps 1000 \
  --save_total_limit 1 \
  --learning_rate 2e-7 \
  --weight_decay 0 \
  --warmup_ratio 0.03 \
  --max_grad_norm 1 \
  --lr_scheduler_type "cosine" \
  --logging_steps 1 \
  --model_max_length 8192 \
  --gradient_checkpointing True \
  --dataloader_num_workers 4 \
  --run_name DATA \
  --report_to wandb
