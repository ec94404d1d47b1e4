#!/bin/sh
# run.sh [SECONDS [READER...]]: every fuzzer for that long, one after the other, with its corpus and the shipped files
# of seeds.txt as seeds. What it finds new stays in build-fuzz/corpus/READER, what breaks is written beside it; put
# that into tests/fuzz/corpus/READER and it is replayed with every run of the tests.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/corpus | grep -vx any)
broken=
for reader in "$@"; do
  mkdir -p "build-fuzz/corpus/$reader"
  seeds=$(sed -n "s/^$reader //p" tests/fuzz/seeds.txt)
  "build-fuzz/fuzz_$reader" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="build-fuzz/$reader-" "build-fuzz/corpus/$reader" \
    tests/fuzz/corpus/any "tests/fuzz/corpus/$reader" $seeds >"build-fuzz/$reader.log" 2>&1 ||
    broken="$broken $reader"
  printf '%-12s %s executions\n' "$reader" "$(sed -n 's/^stat::number_of_executed_units: *//p' "build-fuzz/$reader.log")"
done
[ -z "$broken" ] || { echo "broken, see build-fuzz/READER.log:$broken"; exit 1; }
