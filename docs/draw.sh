#!/usr/bin/env bash
# draw.sh [PROGRAM [FOLDER]]: draws the pictures of docs/ from what the program simulates of docs/pictures/*.json and
# workloads/experiments/first-look.json, and from a measured step, into FOLDER, docs/pictures unless given. The same
# program gives the same bytes; tests/house holds those that are kept to it.
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

# measured CSV RANKS: the passes of a measured step, in the form of such a trace. The first RANKS stages encode.
measured() {
  awk -F, -v ranks="$2" '
    BEGIN { split("F B I W", letters, " "); split("forward,backward,backward,weight gradient", words, ",")
            for (k in letters) word[letters[k]] = words[k]
            print "{\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"measured, replica 0\"}}" }
    /^[0-9]/ && origin == "" { origin = $5 }
    /^[0-9]/ && $4 ~ /^[0-9]+[FBIW][0-9]+$/ {
      pass = $4; gsub(/[0-9]/, "", pass); split($4, numbers, pass); encodes = numbers[1] < ranks
      printf "{\"ph\":\"X\",\"cat\":\"%s%s\",\"tid\":1,\"ts\":%s,\"dur\":%s,", \
        encodes ? "encoder " : "", word[pass], $5 - origin, $6
      printf "\"replica\":0,\"rank\":%d,\"microbatch\":%d,", $3, numbers[2] + 1
      printf "\"stage\":%d}\n", encodes ? 0 : numbers[1] - ranks
    }' "$root/$1"
}

# draw PICTURE [-v NAME=VALUE...] TRACE...
draw() {
  (cd "$traces" && awk -f "$root/docs/draw.awk" -v colours="$root/src/words/colours.css" "${@:2}") >"$folder/$1.svg"
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

simulate docs/pictures/small-vlm-measured small-vlm --set /schedules/0/name=predicted
measured docs/pictures/small-vlm-trained.csv 2 >"$traces/measured.trace.json"
draw trained small-vlm/predicted.trace.json measured.trace.json
