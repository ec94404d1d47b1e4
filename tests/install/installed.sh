#!/bin/sh
# installed.sh BUILD CONSUMER: installs into a scratch prefix, and uses what is there from a folder with nothing in it.
set -eu
build=$1 consumer=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
fail() { echo "installed.sh: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$prefix" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail 'not installed'; }
mkdir "$scratch/elsewhere"
cd "$scratch/elsewhere"
unset SPILLWAY_DATA

# Shipped files by name, from nowhere near them.
"$prefix/bin/spillway" run first-look --json --engine longest-path | grep -q '"schema": "spillway/report/2"' || fail 'run by name'
sed -e 's|"\.\./\.\./platforms/\([^"/]*\)\.json"|"\1"|' -e 's|"\.\./models/\([^"/]*\)/config\.json"|"\1"|' \
  -e 's|"\.\./traces/\([^"/]*\)\.csv"|"\1"|' "$prefix/share/spillway/workloads/experiments/experiment-b.json" >mine.json
grep -q '\.\./' mine.json && fail 'paths are left'
"$prefix/bin/spillway" derive mine.json --format json >/dev/null || fail 'platform, models and traces by name'
"$prefix/bin/spillway" images coco_val2017 >/dev/null || fail 'images by name'
PATH="$prefix/bin:$PATH" spillway explain small >/dev/null || fail 'found by PATH'
ln -s "$prefix/bin/spillway" linked
./linked explain small >/dev/null || fail 'found through a link'

# A sweep by the scripts for Slurm, as it calls them: shards, and ranks, and at once.
slurm=$prefix/share/spillway/workloads/studies/slurm
export PATH="$prefix/bin:$PATH" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
spillway sweep small --quiet --out once.sqlite
for shard in 0 1 2; do
  SLURM_ARRAY_TASK_ID=$shard SLURM_ARRAY_TASK_COUNT=3 bash "$slurm/shards.sbatch" small shards || fail 'a shard'
done
spillway sweep merge --out shards.sqlite shards/shard-*.sqlite
SLURM_NTASKS=2 SPILLWAY_MPI_OPTIONS=--oversubscribe bash "$slurm/ranks.sbatch" small ranks.sqlite || fail 'ranks'
spillway sweep export once.sqlite >once.csv
for store in shards ranks; do
  spillway sweep export $store.sqlite | cmp - once.csv || fail "the store of $store is another"
done

# Flows that share links take SimGrid, which the program loads from beside itself, whatever runs it.
shared=released-trained-layers
"$prefix/bin/spillway" run $shared >/dev/null || fail 'flows that share links'
./linked run $shared >/dev/null || fail 'flows that share links, through a link'
mv "$prefix/lib/spillway" "$prefix/lib/hidden"
"$prefix/bin/spillway" run $shared --engine longest-path >/dev/null || fail 'without SimGrid'
"$prefix/bin/spillway" run $shared >/dev/null 2>said && fail 'SimGrid is missing, and nobody says so' || status=$?
[ $status = 2 ] && grep -q '^libspillway-simgrid.so: /: expected SimGrid' said || { cat said; fail 'what is missing'; }
mv "$prefix/lib/hidden" "$prefix/lib/spillway"

# Manual pages and completion.
[ -s "$prefix/share/man/man1/spillway-run.1" ] || fail 'no manual page'
if command -v man >/dev/null; then
  LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=120 man --warnings "$prefix/share/man/man1/spillway-run.1" 2>&1 >page.txt | grep . && fail 'man warns'
  grep -q -- '--set' page.txt || fail 'the page says nothing'
fi
completed=$(PATH="$prefix/bin:$PATH" bash -c '. "$0/share/bash-completion/completions/spillway"
  COMP_WORDS=(spillway run exper) COMP_CWORD=2; _spillway; echo "${COMPREPLY[@]}"
  COMP_WORDS=(spillway dr) COMP_CWORD=1; _spillway; COMP_WORDS=(spillway de) COMP_CWORD=1; _spillway; echo "${COMPREPLY[@]}"
  COMP_WORDS=(spillway run --see) COMP_CWORD=2; _spillway; echo "${COMPREPLY[@]}"' "$prefix")
[ "$completed" = "experiment-a experiment-b
derive
--seed" ] || fail "completed: $completed"

# Somebody else's program. It need not be fast.
cmake -S "$consumer" -B consumer -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 >"$scratch/log" 2>&1 &&
  cmake --build consumer >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail 'a consumer does not build'; }
SPILLWAY_DATA="$prefix/share/spillway" consumer/consumer | grep -q . || fail 'a consumer does not run'

if [ -d "$prefix/lib/python3/dist-packages/spillway" ] && [ -x /usr/bin/python3 ]; then
  grep -q 'python3 .-m spillway.runtime' "$prefix/share/man/man1/spillway.runtime.1" || fail 'no page of the runtime'
  PYTHONPATH="$prefix/lib/python3/dist-packages" /usr/bin/python3 -B -c 'import spillway; spillway.run("released-trained-layers")' || fail 'python'
fi
