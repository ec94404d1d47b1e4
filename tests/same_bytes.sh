#!/bin/sh
# same_bytes.sh PROGRAM FOLDER: writes what PROGRAM says of everything shipped into FOLDER, a file a command with its
# exit status last. Two programs say the same where `diff -r` of their folders is silent: what a change that is to
# change nothing is held to. Run from the repository's root; some minutes.
set -u
program=$(realpath "$1")
out=$PWD/out/said  # the same place each time: lines are wrapped by what stands in them
rm -rf "$out"
mkdir -p "$out"
shipped=workloads/experiments published=workloads/published

say() {  # file, arguments...: what the program prints of them
  said=$out/$1
  shift
  "$program" "$@" >"$said" 2>&1
  echo "exit status $?" >>"$said"
  lasting "$said"
}

lasting() {  # files...: without what no two runs share: how long they took, and where
  sed -i -e "s|$out|FOLDER|g" -e 's/[0-9.]* [mu]*s \(once\|a draw\)/TIME \1/' -e '/^ *[0-9]* %  /d' -e '/"simulation": {/,/}/d' \
    -e '/^simulated /,/^\(wrote\|exit status\) /{/^\(wrote\|exit status\) /!d}' "$@"
}

for command in '' run derive explain images validate calibrate import sweep 'sweep export' 'sweep merge' 'sweep plot'; do
  say "help-$(echo "$command" | tr ' ' -)" $command --help
done
for kind in cases derivation experiment platform report sweep validation validation_cases; do say "schema-$kind" schema $kind; done

for experiment in $shipped/*.json; do
  name=$(basename "$experiment" .json)
  engines=simgrid,longest-path,max-plus
  [ "$name" != llama3-405b ] || engines=longest-path
  say "run-$name.json" run "$experiment" --engine $engines --json
  say "run-$name.txt" run "$experiment" --engine $engines --verbose --legend --out "$out/out-$name"
  lasting "$out/out-$name/report.json"
  say "explain-$name.txt" explain "$experiment"
  case $name in llama3-405b | deepseek-v3-h800 | qwen2-vl-72b) continue ;; esac
  sed -n '/"schedules"/,$s/.*"name": "\([^"]*\)".*/\1/p' "$experiment" | while read -r schedule; do
    for format in text json dot graphml csv; do
      say "derive-$name-$schedule.$format" derive "$experiment" --schedule "$schedule" --format $format
    done
  done
done
say run-order run $shipped/small.json --order workloads/orders/small-split.csv --json
say run-workload run --workload $published/traces/straggler-ar.csv --set /pipeline/microbatches=64 --json

for table in $published/*.json $published/traces/*.csv $published/traces/*.json; do
  name=$(basename "$table")
  say "validate-$name" validate "$table"
  say "validate-$name.json" validate "$table" --json
  say "calibrate-$name" calibrate "$table"
  say "import-$name" import "$table"
done
for trace in workloads/traces/*.csv; do say "images-$(basename "$trace")" images "$trace"; done
for sweep in h100-gemm-bf16 b200-gemm-bf16 a100-causal-attention; do
  say "calibrate-$sweep" calibrate workloads/measured/$sweep.csv --platform platforms/hgx-h100.json \
    --out "$out/calibrated-$sweep.json"
done

# The 10,000 points of ranks-microbatches-share take as long as all else.
for study in workloads/studies/*.json; do
  name=$(basename "$study" .json)
  [ "$name" != ranks-microbatches-share ] || [ -n "${EVERYTHING:-}" ] || continue
  rm -f "$out/$name.sqlite"
  say "sweep-$name" sweep "$study" --out "$out/$name.sqlite" --jobs 2
  for format in csv json columns; do
    say "export-$name.$format" sweep export "$out/$name.sqlite" --format $format
  done
  rm -f "$out/$name.sqlite"
done

# What is wrong is answered in the same words, too.
for file in tests/fuzz/corpus/*/*; do
  for command in run validate import sweep images; do
    say "$command-$(echo "${file#tests/fuzz/corpus/}" | tr / -)" $command "$file"
  done
done
rm -f ./*.sqlite
rm -rf "$2"
mv "$out" "$2"
