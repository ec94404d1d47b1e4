#!/bin/sh
# The step of the replay's table in LogGOPSim, which shares no links, where it is built: LogGOPSim and txt2bin on the
# path (docs/schedules.md). usage: bench/loggopsim.sh [build-folder]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v LogGOPSim >/dev/null && command -v txt2bin >/dev/null || { echo 'LogGOPSim is left out: not built'; exit 0; }

experiment() {  # ranks microbatches
  cat <<END
{ "schema": "spillway/experiment/1", "name": "1f1b", "pipeline": { "ranks": $1, "microbatches": $2 },
  "model": { "blocks": [ { "name": "llm", "role": "backbone", "layers": $1, "trainable": true,
    "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
  "network": { "p2p_ms": 0.5 },
  "schedules": [ { "name": "1f1b", "schedule": "1f1b" } ] }
END
}

for size in '64 512' '512 1024'; do
  set -- $size
  experiment "$1" "$2" >"$work/step.json"
  "$build/spillway" derive "$work/step.json" --schedule 1f1b --format goal >"$work/step.goal"
  txt2bin -i "$work/step.goal" -o "$work/step.bin" >/dev/null
  options=$(sed -n '2s/.*LogGOPSim //p' "$work/step.goal")
  # shellcheck disable=SC2086  # several options
  "$build/bench-command" LogGOPSim -f "$work/step.bin" $options | tail -n 1 |
    awk -v ranks="$1" -v microbatches="$2" '{
      printf "  LogGOPSim, P=%d M=%d: %11.0f activities/s, %d MB\n", ranks, microbatches,
             (4 * ranks - 2) * microbatches / $2, $3 }'
done
