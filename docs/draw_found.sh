#!/usr/bin/env bash
# draw_found.sh [PROGRAM [FOLDER]]: finds orders for three experiments, and draws each under the best named schedule,
# into FOLDER, docs/pictures/found unless given. Takes minutes; the same program gives the same bytes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-$root/build/spillway}
folder=${2:-$root/docs/pictures/found}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"

# found EXPERIMENT EFFORT NAMED: NAMED is the best named schedule, as an entry of `schedules`.
found() {
  local job=$root/workloads/experiments/$1.json
  "$program" synthesize "$job" --effort "$2" --out "$work/$1" >"$work/log"
  "$program" run "$job" --engine longest-path --quiet --out "$work/$1/traces" --set /draws=1 \
    --set "/schedules/-=$3" --set "/schedules/-=$(cat "$work/$1/schedule.json")" >"$work/log"
  gunzip "$work/$1/traces"/*.gz
  (cd "$work/$1/traces" && awk -f "$root/docs/draw.awk" -v colours="$root/src/words/colours.css" -v dense=1 best-named.trace.json \
    synthesized.trace.json) >"$folder/$1.svg"
}

found experiment-a 1500 '{"name": "best-named", "system": "mpipe", "body": "1f1b,1f1b", "moves_samples": false}'
found image-work 1500 '{"name": "best-named", "system": "mpipe", "body": "gpipe,gpipe,gpipe,gpipe",
  "moves_samples": false}'
found systems-four-replicas 1500 '{"name": "best-named", "system": "optimus", "body": "1f1b,1f1b,1f1b,1f1b",
  "moves_samples": false}'
