sbatch <<EOF
srun bash -c "python pretrain_gpt.py --num-layers $((N=3)) ${A[@]:0:1} --micro-batch-size `x`"
EOF
