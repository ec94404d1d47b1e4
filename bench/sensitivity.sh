#!/bin/sh
# How Experiment A's prediction moves with what the paper leaves open; the paper measured 13.42 s, 1.21x.
#   refit  the backbone's efficiency fitted anew, so that this row's baseline takes 16.26 s
#   held   the efficiency that Experiment A as shipped is fitted to; the baseline's step moves too
# Two tables: pipeline ranks, microbatches and a fixed time of each encode; then tensor parallelism and what the
# devices of a rank do with images, the global batch as shipped, 256 sequences. All are 512 dies.
# usage: bench/sensitivity.sh [program [rows]]; rows: a pattern of the shell for the cells of the rows to compute
set -eu
spillway=${1:-build/spillway}
rows=${2:-*}
experiment=workloads/experiments/experiment-a.json

# run SETTING...: "mpipe-step speedup baseline-step efficiency mean-encode-ms", or nothing where no efficiency fits
figures() {
  "$spillway" run $experiment --engine longest-path --verbose "$@" 2>/dev/null | awk '
    /^  / && $1 == "mpipe" && !step { step = $2; for (i = 3; !speedup; ++i) if ($i ~ /x$/) speedup = $i }
    /^  / && $1 == "disttrain-like" && !baseline { baseline = $2 }
    /encoding one microbatch takes/ { mean = $(NF - 1) }
    /^fitted:/ { sub(",", "", $4); efficiency = $4 }
    END { if (step) print step, speedup, baseline, efficiency ? efficiency : "-", mean }' || true
}

row() {  # first-cells ranks tensor microbatches SETTING...
  cells=$1 ranks=$2 tensor=$3 microbatches=$4
  shift 4
  case $cells in
    $rows) ;;
    *) return ;;
  esac
  case $ranks in
    8) layers='[32,9,9,9,9,9,8,8]' ;;
    16) layers='[32,5,4,4,4,4,4,4,4,4,4,4,4,4,4,4]' ;;
  esac
  set -- --set "/pipeline/ranks=$ranks" --set "/parallel/tensor=$tensor" \
    --set "/pipeline/replicas=$((512 / ranks / tensor))" --set "/schedules/1/layers_per_rank=$layers" \
    --set "/pipeline/microbatches=$microbatches" "$@"
  refit=$(figures "$@")
  held=$(figures "$@" --set '/fit=[]' --set "/model/blocks/1/efficiency/compute=$shipped")
  echo "${refit:-none none - none -} ${held:-none none none none none}" | awk -v cells="$cells" '
    { printf "| %s | %.0f ms | %s | %s | %s | %s | %s | %s |\n", cells, $10, $4, $1, $2, $8, $6, $7 }'
}

shipped=$(figures | awk '{ print $4 }')
echo '| P | M | fixed ms | mean encode | refit efficiency | Mpipe s | speedup | held: baseline s | Mpipe s | speedup |'
echo '|---|---|---|---|---|---|---|---|---|---|'
for fixed in 0 250 500; do
  for microbatches in 16 32 64; do
    for ranks in 8 16; do
      row "$ranks | $microbatches | $fixed" $ranks 4 $microbatches --set "/model/blocks/0/fixed_ms=$fixed"
    done
  done
done
echo
echo '| P | TP | M | images | mean encode | refit efficiency | Mpipe s | speedup | held: baseline s | Mpipe s | speedup |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
for ranks in 8 16; do
  for tensor in 2 4 8; do
    microbatches=$((256 * ranks * tensor / 512))
    for images in shared repeated split; do
      row "$ranks | $tensor | $microbatches | $images" $ranks $tensor $microbatches --set "/parallel/images=$images"
    done
  done
done
