#!/bin/sh
# How far it grows, three tables of whole commands, with the power of the size that processor time and memory grow with:
#   1. 1F1B by the longest path, streamed, to 10^9 events
#   2. the same by SimGrid's replay, to 5 x 10^8
#   3. Llama 3 405B on more and more replicas, folded, to 10^6 devices
# Some five minutes of one core, so not part of `make bench`. usage: bench/growth.sh [build-folder]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

one_f_one_b() {  # ranks microbatches
  cat <<END
{ "schema": "spillway/experiment/1", "name": "1f1b", "pipeline": { "ranks": $1, "microbatches": $2 },
  "model": { "blocks": [ { "name": "llm", "layers": $1,
    "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
  "network": { "p2p_ms": 0.5 },
  "schedules": [ { "name": "1f1b", "schedule": "1f1b" } ] }
END
}

# "size seconds MB", of processor time.
measured() {  # size, arguments of the program...
  size=$1
  shift
  "$build/bench-command" "$build/spillway" run "$@" --quiet | tail -n 1 |
    awk -v size="$size" '{ print size, $2, $3 }'
}

# Rows as they come, then the exponents: least squares of logarithms.
table() {  # what the sizes are
  echo "  $1, CPU s, MB"
  awk '{ printf "  %14.0f %9.2f %6d\n", $1, $2, $3; fflush()
         n++; x[n] = log($1); t[n] = log($2); m[n] = log($3); sx += x[n]; st += t[n]; sm += m[n] }
    END { for (i = 1; i <= n; ++i) { d = x[i] - sx / n; dd += d * d; dt += d * (t[i] - st / n); dm += d * (m[i] - sm / n) }
          printf "  grow with the power of  %.2f    %.2f\n", dt / dd, dm / dd }'
}

streamed() {  # engine, microbatches...
  engine=$1
  shift
  for microbatches in "$@"; do
    one_f_one_b 4096 "$microbatches" >"$work/step.json"
    measured $((4 * 4096 * microbatches)) "$work/step.json" --engine "$engine"
  done | table events
}

echo '1F1B, P=4096, longest path, streamed'
streamed longest-path 4096 8192 16384 32768 65536
echo '1F1B, P=4096, replayed, streamed'
streamed simgrid 4096 8192 16384 32768
echo 'Llama 3 405B, longest path, replicas folded'
for replicas in 512 1024 2048 4096 8192; do
  measured $((128 * replicas)) "$root/workloads/experiments/llama3-405b.json" --engine longest-path \
    --set /pipeline/replicas=$replicas --set '/platform_set={"/tiers/1/devices": 2097152}'
done | table devices
