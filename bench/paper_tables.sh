#!/bin/sh
# What the paper states about published models, beside what comes out here: the six cells of its Table 1 from the
# architectures, and the LLaMA3 and DeepSeek bars of its Figure 1 predicted from their published layouts.
# usage: bench/paper_tables.sh [program] [table-program]
set -eu
spillway=${1:-build/spillway}
table_1=${2:-build/bench-table-1}

# The MFU of an experiment's one schedule, in percent.
mfu() {  # experiment
  "$spillway" run "workloads/experiments/$1.json" --engine longest-path |
    awk '$1 == "throughput" { seen = 1; next } seen && $3 == "%" { print $2; exit }'
}

bar() {  # name published factor experiment reading
  here=$(mfu "$4")
  awk -v name="$1" -v published="$2" -v factor="$3" -v here="$here" -v reading="$5" 'BEGIN {
    printf "| %s | %.2f %% | %.2f %% | %+.1f points | %.2f %% | %s |\n", name, published, here * factor,
      here * factor - published, here, reading }'
}

"$table_1"
echo
echo '| Figure 1 | paper | here, counted alike | difference | MFU as reports count it | reading |'
echo '|---|---|---|---|---|---|'
bar LLaMA3 41 1 llama3-405b '400 TFLOP/s on 16,384 H100, causal attention by half'
# tests/cost/paper_table_test.cpp holds the bar to this convention, and the factor between the two.
bar DeepSeek 44.57 1.123 deepseek-v3-h800 'all of attention, not half; in BF16, its run was in FP8'
