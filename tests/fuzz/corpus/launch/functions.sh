#!/bin/bash
A=(--num-layers 4 --hidden-size 64 --num-attention-heads 4)
for i in 1 2; do A+=(--x $((i*2))); done
case $M in a) B=1;; *) B=${C:-2};; esac
f() { torchrun --nproc_per_node 8 pretrain_gpt.py "${A[@]}" --seq-length 128 --micro-batch-size $B; }
f
