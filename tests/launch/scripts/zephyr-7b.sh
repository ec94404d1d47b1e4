#!/bin/bash
# The arguments of huggingface/alignment-handbook @925acdfe4b, README.md: its recipe beside accelerate's ZeRO-3.
accelerate launch --config_file zephyr-zero3.yaml scripts/sft.py --config zephyr-7b.yaml
