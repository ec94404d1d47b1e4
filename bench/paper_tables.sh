#!/bin/sh
# What the paper states about published models, beside what comes out here: the six cells of its Table 1 from the
# architectures, and the LLaMA3 and DeepSeek bars of its Figure 1 predicted from their published layouts.
# usage: bench/paper_tables.sh [program [table-program [bar]]]; bar: LLaMA3 or DeepSeek, of which to predict one alone
set -eu
spillway=${1:-build/spillway}
table_1=${2:-build/bench-table-1}
one=${3:-}

# MFU in percent and tokens per second and device of an experiment's one schedule.
throughput() {  # experiment
  "$spillway" run "workloads/experiments/$1.json" --engine longest-path --verbose |
    awk '$1 == "throughput" { seen = 1; next } seen && $3 == "%" { print $2, $5; exit }'
}

# A bar counts gflops per token; 0: as reports count here.
bar() {  # name published gflops experiment reading
  [ "${one:-$1}" = "$1" ] || return 0
  throughput "$4" | awk -v name="$1" -v published="$2" -v gflops="$3" -v reading="$5" '{
    alike = gflops > 0 ? 100 * $2 * gflops * 1e9 / 989e12 : $1
    printf "| %s | %.2f %% | %.2f %% | %+.1f points | %.2f %% | %s |\n", name, published, alike, alike - published,
      $1, reading }'
}

"$table_1"
echo
echo '| Figure 1 | paper | here, counted alike | difference | MFU as reports count it | reading |'
echo '|---|---|---|---|---|---|'
bar LLaMA3 41 0 llama3-405b '400 TFLOP/s on 16,384 H100, causal attention by half'
# tests/cost/paper_table_test.cpp holds the bar to this convention and these FLOPs.
bar DeepSeek 44.57 286.3 deepseek-v3-h800 \
  'all of attention and the prediction layer without its head; in BF16, its run was in FP8'
