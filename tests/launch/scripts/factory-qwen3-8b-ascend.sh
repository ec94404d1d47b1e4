#!/bin/bash
# The arguments of hiyouga/LLaMA-Factory @ff6d4d12ee, examples/ascend/qwen3_full_sft_fsdp2.yaml, for 16 NPUs of an A3.
accelerate launch --config_file factory-fsdp2.yaml --num_processes 16 src/train.py factory-qwen3-8b-ascend.yaml
