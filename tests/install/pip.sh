#!/bin/sh
# pip.sh BUILD PYTHON: `pip install .` without a network, in an environment that has Debian's setuptools. What it
# installs is used from a folder with nothing in it. What is built in BUILD goes into the wheel; by night a copy of the
# sources is built from nothing, as a user's is.
set -eu
build=$1 python=$2
sources=$(cd "$(dirname "$0")/../.." && pwd)
for module in venv ensurepip setuptools wheel; do
  "$python" -c "import $module" 2>/dev/null || { echo "pip.sh: skipped, no $module"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "pip.sh: $*" >&2; exit 1; }

if [ -n "${SPILLWAY_NIGHTLY:-}" ]; then
  mkdir "$scratch/sources"
  tar -C "$sources" -c --exclude='./build*' --exclude=./out --exclude=./.git --exclude=./.cache . |
    tar -x -C "$scratch/sources"
  sources=$scratch/sources
else
  export SPILLWAY_BUILD="$build"
fi
unset SPILLWAY_DATA PYTHONPATH
# A pip of its own takes seconds to unpack, and the system's is as good.
own=
[ -z "${SPILLWAY_NIGHTLY:-}" ] && "$python" -m pip --version >/dev/null 2>&1 && own=--without-pip
"$python" -m venv --system-site-packages $own "$scratch/env"
pip() { "$scratch/env/bin/python" -m pip "$@"; }
pip install --no-build-isolation --no-index "$sources" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; fail 'not installed'; }

mkdir "$scratch/elsewhere"
cd "$scratch/elsewhere"
"$scratch/env/bin/python" -c '
import sys, spillway, spillway.measure, spillway.runtime
assert spillway.__file__.startswith(sys.prefix), spillway.__file__
report = spillway.run("first-look", engine="longest-path")
assert report["schedules"][1]["name"] == "mpipe", report
assert abs(report["schedules"][1]["makespan_s"] - 0.108) < 1e-9, report["schedules"][1]
assert spillway.run("qwen2-vl-72b", engine="longest-path", draws=1)["platform"], "a platform by name"
' || fail 'the module'
"$scratch/env/bin/spillway" run first-look --engine longest-path | grep -q 'mpipe takes 108.0 ms' || fail 'the program'
"$scratch/env/bin/spillway" run released-trained-layers >/dev/null || fail 'flows that share links'
if "$python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)'; then
  # By night it starts processes, which look for the model. Every day it is one of a job, which needs two: the program
  # is read and checked, and PyTorch is not loaded.
  refused=missing.py
  [ -n "${SPILLWAY_NIGHTLY:-}" ] || { export RANK=0 WORLD_SIZE=1; refused='program.json: /programs: expected 2 processes'; }
  "$scratch/env/bin/spillway" derive small-vlm --schedule transposed --format program >program.json
  "$scratch/env/bin/python" -m spillway.runtime program.json --model missing.py >said 2>&1 && fail 'no model, no fault'
  grep -q "$refused" said || { cat said; fail 'the runtime, with its schema'; }
  unset RANK WORLD_SIZE
fi
for page in spillway-run spillway.runtime; do
  [ -s "$scratch/env/share/man/man1/$page.1" ] || fail "no manual page of $page"
done
pip uninstall --yes spillway >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail 'not removed'; }
left=$(find "$scratch/env" -type f -path '*spillway*')
[ -z "$left" ] || fail "left behind: $left"
