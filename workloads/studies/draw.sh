#!/bin/sh
# Runs studies, or goes on with them, and draws each: out/studies/NAME.sqlite and NAME.svg.
# usage: workloads/studies/draw.sh [STUDY...], from the folder of build/spillway; all of them without an argument, of which
# ranks-microbatches-share takes a minute or two
set -eu
spillway=build/spillway
studies=$(dirname "$0")
forward=/model/blocks/0/profile/forward_ms
images=/model/blocks/0/image_work

picture() {  # study: what of it is drawn
  case $1 in
    encoder-to-bubble) set -- --x $forward ;;
    encoder-to-bubble-scale) set -- --x $forward --y /pipeline/ranks ;;
    ranks-microbatches-share)
      set -- --x /pipeline/microbatches --y /pipeline/ranks --at $forward=0.524056567077343 ;;
    resolution-mix) set -- --x $images/samples_per_microbatch --series $images/trace --metric exposed_encoder_s_mean ;;
    bandwidth) set -- --x '/platform_set/~1tiers~12~1bandwidth_gbps/value' --metric makespan_s_mean ;;
    replicas) set -- --x /pipeline/replicas --metric makespan_s_mean ;;
    systems | systems-replicas | systems-equal-terms)
      set -- --x $forward --at /pipeline/ranks=16 --at /pipeline/microbatches=64 \
        --at $images/trace=../traces/servegen_image_tokens.csv ;;
    systems-scale)
      set -- --x /pipeline/replicas --at /pipeline/microbatches=32 --at $forward=2 \
        --at $images/trace=../traces/servegen_image_tokens.csv ;;
    *) echo "no picture is laid down for $1" >&2; exit 2 ;;
  esac
  $spillway sweep plot "$store" "$@" --out "${store%.sqlite}.svg"
}

mkdir -p out/studies
[ $# -gt 0 ] || set -- encoder-to-bubble encoder-to-bubble-scale ranks-microbatches-share resolution-mix bandwidth replicas systems systems-replicas systems-equal-terms systems-scale
for study; do
  store=out/studies/$study.sqlite
  $spillway sweep "$studies/$study.json" --resume --quiet --out "$store"
  picture "$study"
done
