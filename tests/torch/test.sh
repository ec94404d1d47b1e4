#!/bin/sh
# What needs PyTorch 2.6 or later and the program in build/: action lists, executed by torch.distributed.pipelining
# (run_lists.py), and the tests of the Python runtime. cmake/torch.sh runs it where there is such a PyTorch.
# usage: tests/torch/test.sh [RANDOM], the number of random schedules beside those that are always tried
set -eu
cd "$(dirname "$0")/../.."
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
python3 -B tests/torch/write_lists.py build/spillway "$lists/lists" ${1:-200}
python3 -B tests/torch/run_lists.py "$lists/lists"

export PYTHONPATH="$PWD/src/python" SPILLWAY_PROGRAM="$PWD/build/spillway" SPILLWAY_SOURCE="$PWD"
cd tests/python
for test in runtime*_test.py; do
  [ -e "$test" ] || continue
  echo "$test in $(python3 -c 'import torch; print("PyTorch", torch.__version__)')"
  python3 -B -m unittest "${test%.py}"
done
