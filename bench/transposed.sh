#!/bin/sh
# What transposing the encoder gains for each skeleton of the backbone, by the encoder's share of all work, over two
# steps without: the encoder in the backbone's first stage; and the whole model's layers shared out over the stages by
# what they take, for which the encoder is cut into 32 equal layers (vpp-2 stands beside balanced 1F1B).
# usage: bench/transposed.sh [program [table]]; table: trained or frozen, of which to print one alone
set -eu
spillway=${1:-build/spillway}
shares='5 10 20 30 40 50 60'
bodies='1f1b gpipe zb-h1 zb-h2 zb-1p zb-2p zb-v v-half v-min wave(1) wave(2) dualpipe dualpipev'

# run layer-in-ms trainable SETTING...
run() {
  layer=$1 trainable=$2
  shift 2
  "$spillway" run workloads/experiments/skeletons.json --engine longest-path --set "/model/blocks/0/trainable=$trainable" \
    --set "/model/blocks/0/profile/forward_ms=$layer" --set "/model/blocks/0/profile/input_gradient_ms=$layer" \
    --set "/model/blocks/0/profile/weight_gradient_ms=$layer" "$@"
}

all_transposed() {
  printf '[{"name": "t,vpp-2", "schedule": "transpose,1f1b,1f1b", "cut": [32, 48]}'
  for body in $bodies; do printf ', {"name": "t,%s", "schedule": "transpose,%s"}' "$body" "$body"; done
  printf ']'
}

# "name speedup" for each skeleton X, from the lines of X and of t,X.
over_first_stage() {  # share-in-percent trainable
  run "$(awk -v share="$1" 'BEGIN { print 32 * share / (100 - share) }')" "$2" | awk '
    NF && $1 == "critical" { exit }
    $3 ~ /x$/ && $1 ~ /^t,/ { name = substr($1, 3); printf "%s %.2f\n", name, step[name] / $2 }
    $3 ~ /x$/ { step[$1] = $2 }'
}

# The same of the run's own sentence on what stands beside.
over_balanced() {  # share-in-percent trainable
  run "$(awk -v share="$1" 'BEGIN { print share / (100 - share) }')" "$2" --set /model/blocks/0/layers=32 \
    --set /baseline=t,vpp-2 --set "/schedules=$(all_transposed)" | awk '
    /^  speedup over a balanced pipeline/ { said = 1; sub(/.*: /, "") }
    /^  speedup over \[/ { exit }
    said { for (i = 1; i < NF; i += 2) { if (half) { i = 0; half = 0 } else name = substr($i, 3); printf "%s %.2f\n", name, $(i + 1) }
           if (i == NF) { name = substr($NF, 3); half = 1 } }'
}

table() {  # trainable
  echo "| backbone, encoder $2 |$(for share in $shares; do printf ' %s %% |' "$share"; done)"
  echo "|---|$(for share in $shares; do printf -- '---|'; done)"
  for share in $shares; do
    { over_first_stage "$share" "$1"; echo; over_balanced "$share" "$1"; } | awk '
      !NF { second = 1; next }
      !second { order[++n] = $1; gain[$1] = $2; next }
      { gain[$1] = gain[$1] " / " $2 }
      END { for (i = 1; i <= n; ++i) print order[i] "\t" gain[order[i]] }'
  done | awk -F '\t' '
    !($1 in row) { order[++n] = $1 }
    { row[$1] = row[$1] " " $2 " |" }
    END { for (i = 1; i <= n; ++i) print "| " order[i] " |" row[order[i]] }'
}

case ${2:-both} in
  trained) table true trained ;;
  frozen) table false frozen ;;
  both) table true trained; echo; table false frozen ;;
esac
