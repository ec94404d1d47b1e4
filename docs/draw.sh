#!/usr/bin/env bash
# draw.sh [PROGRAM [FOLDER]]: draws the pictures of docs/ from what the program simulates of docs/pictures/*.json and
# workloads/experiments/first-look.json, into FOLDER, docs/pictures unless given. The same program gives the same bytes; tests/house holds those that are kept to it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-$root/build/spillway}
folder=${2:-$root/docs/pictures}
traces=$(mktemp -d)
trap 'rm -rf "$traces"' EXIT

# simulate EXPERIMENT FOLDER [OPTION...]: a trace of each schedule.
simulate() {
  "$program" run "$root/$1.json" --engine longest-path --quiet --out "$traces/$2" "${@:3}" >"$traces/log"
  gunzip "$traces/$2"/*.gz
}

# draw PICTURE [-v NAME=VALUE...] TRACE...
draw() {
  (cd "$traces" && awk -f "$root/docs/draw.awk" "${@:2}") >"$folder/$1.svg"
}

simulate docs/pictures/schedules schedules
for trace in "$traces"/schedules/*.trace.json; do
  name=$(basename "$trace" .trace.json)
  draw "schedule-$name" "schedules/$name.trace.json"
done
simulate docs/pictures/generator generator
draw schedule-transposed-generator generator/generator.trace.json

simulate workloads/experiments/first-look first-look
simulate workloads/experiments/first-look free --set /what_if/encoder_time=0 --set /schedules/1/name=encoding-free
draw overview first-look/encoder-stage.trace.json first-look/mpipe.trace.json
draw schedule-transposed first-look/mpipe.trace.json
draw bubble -v mark=bubble schedules/1f1b.trace.json
draw slack -v mark=slack free/encoding-free.trace.json
draw spill -v mark=spill -v free=free/round-robin.trace.json first-look/round-robin.trace.json
draw exposed -v mark=exposed first-look/mpipe.trace.json free/encoding-free.trace.json
