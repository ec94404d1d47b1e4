#!/bin/sh
# What transposing the encoder gains for each skeleton of the backbone, by the encoder's share of all work: the step
# with the encoder in the backbone's first stage over the step with the encoder transposed.
# usage: bench/transposed.sh [program]
set -eu
spillway=${1:-build/spillway}
shares='5 10 20 30 40 50 60'

# One column: "name speedup" for each skeleton X, from the lines of X and of t,X.
column() {  # share-in-percent trainable
  layer=$(awk -v share="$1" 'BEGIN { print 32 * share / (100 - share) }')
  "$spillway" run workloads/experiments/skeletons.json --engine longest-path --set "/model/blocks/0/trainable=$2" \
    --set "/model/blocks/0/profile/forward_ms=$layer" --set "/model/blocks/0/profile/input_gradient_ms=$layer" \
    --set "/model/blocks/0/profile/weight_gradient_ms=$layer" | awk '
    NF && $1 == "critical" { exit }
    $3 ~ /x$/ && $1 ~ /^t,/ { name = substr($1, 3); printf "%s %.2f\n", name, step[name] / $2 }
    $3 ~ /x$/ { step[$1] = $2 }'
}

table() {  # trainable
  echo "| backbone, encoder $2 |$(for share in $shares; do printf ' %s %% |' "$share"; done)"
  echo "|---|$(for share in $shares; do printf -- '---|'; done)"
  for share in $shares; do column "$share" "$1"; done | awk '
    !($1 in row) { order[++n] = $1 }
    { row[$1] = row[$1] " " $2 " |" }
    END { for (i = 1; i <= n; ++i) print "| " order[i] " |" row[order[i]] }'
}

table true trained
echo
table false frozen
