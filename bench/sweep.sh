#!/bin/sh
# Sweeps at speed, three tables:
#   1. a 1F1B step, P=16, M=64, one draw, with 5,000 forward times: `spillway sweep` with its store, evaluate_point
#      alone, the same step as a plain Python loop, and other programs of the same step from a folder, if one is given
#   2. the same step size with three schedules and an encoder whose durations change from point to point
#   3. the shipped sweep of 10,000 points with 64 draws each
# usage: bench/sweep.sh [folder-of-rivals] [build-folder]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
rivals=${1:-}
build=${2:-$root/build}
ranks=16 microbatches=64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

one_schedule() {
  cat <<END
{ "schema": "spillway/sweep/1", "name": "one schedule",
  "experiment": {
    "schema": "spillway/experiment/1", "name": "1f1b",
    "pipeline": { "ranks": $ranks, "microbatches": $microbatches },
    "model": { "blocks": [ { "name": "llm", "role": "backbone", "layers": $ranks, "trainable": true,
      "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
    "network": { "p2p_ms": 0.5 },
    "schedules": [ { "name": "1f1b", "schedule": "1f1b" } ] },
  "axes": [ { "pointer": "/model/blocks/0/profile/forward_ms", "range": { "from": 1, "to": 1.998, "count": 5000 } } ] }
END
}

three_schedules() {
  cat <<END
{ "schema": "spillway/sweep/1", "name": "three schedules",
  "experiment": "$root/workloads/experiments/image-work.json",
  "set": {
    "/schedules": [
      { "name": "mpipe", "schedule": "transpose,1f1b", "cut": [32], "owner": "greedy" },
      { "name": "disttrain", "schedule": "1f1b", "split": "disaggregated" },
      { "name": "megatron", "schedule": "1f1b" } ],
    "/baseline": "megatron" },
  "axes": [ { "pointer": "/model/blocks/0/profile/forward_ms", "range": { "from": 0.05, "to": 5, "count": 5000 } } ],
  "draws": 1 }
END
}

# The shipped sweep without its fourth schedule.
first_three() {
  sed -e '/"balanced"/d' -e '/"megatron"/s/},$/} ],/' -e "s|\"\.\./|\"$root/workloads/|" \
    "$root/workloads/studies/ranks-microbatches-share.json"
}

# The whole command, a new store each time.
sweep() {  # name sweep-file points jobs
  rm -f "$work/store.sqlite"
  figures=$("$build/bench-command" "$build/spillway" sweep "$2" --out "$work/store.sqlite" --jobs "$4" --quiet)
  megabytes=$(du -m "$work/store.sqlite" | cut -f 1)
  echo "$figures" | awk -v name="$1" -v points="$3" -v store="$megabytes" '{
    printf "  %-30s %10.0f points/s %9.2f s %9.2f s CPU %6d MB, store %d MB\n", name, points / $1, $1, $2, $3, store }'
}

# Of the last point, in seconds.
last_makespan() {
  "$build/spillway" sweep export "$work/store.sqlite" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "makespan_s_mean") column = i; next }
    { last = $column }
    END { print last }'
}

# 500 forward times, so that its last one is the sweep's.
python_loop() {
  command -v python3 >/dev/null || { echo '  the Python loop is left out: no python3'; return; }
  python3 "$root/bench/rivals/dependency_loop.py" $ranks $microbatches 500 | {
    read -r rate makespan
    printf '  %-30s %10.0f points/s\n' 'plain Python loop' "$rate"
    echo "  makespan of the last point: $ours s here, $makespan s in Python"
    awk -v a="$ours" -v b="$makespan" 'BEGIN { exit (a - b) ^ 2 > (1e-9 * b) ^ 2 }' ||
      { echo 'bench/sweep.sh: these differ' >&2; exit 1; }
  }
}

rival() {  # source
  name=$(basename "$1" .cpp)
  libraries=
  if grep -q simgrid "$1"; then libraries=-lsimgrid; fi
  # shellcheck disable=SC2086  # no library is no argument
  "${CXX:-g++}" -O3 -std=c++20 "$1" -o "$work/$name" $libraries
  "$work/$name" $ranks $microbatches 2>/dev/null | sed "s/^/  $name: /"
}

echo "1F1B, P=$ranks M=$microbatches, one draw"
one_schedule >"$work/one.json"
sweep 'spillway sweep, 1 job' "$work/one.json" 5000 1
sweep 'spillway sweep, 2 jobs' "$work/one.json" 5000 2
ours=$(last_makespan)
"$build/bench-sweep-points" "$work/one.json"
python_loop
if [ -n "$rivals" ]; then for source in "$rivals"/*.cpp; do rival "$source"; done; fi

echo "Mpipe, DistTrain and 1F1B, P=$ranks M=$microbatches, one draw, another encoder at every point"
three_schedules >"$work/three.json"
sweep 'spillway sweep, 1 job' "$work/three.json" 5000 1
sweep 'spillway sweep, 2 jobs' "$work/three.json" 5000 2
"$build/bench-sweep-points" "$work/three.json"

echo "P x M x encoder share, three schedules, 64 draws"
first_three >"$work/share.json"
sweep 'spillway sweep, 2 jobs' "$work/share.json" 10000 2
